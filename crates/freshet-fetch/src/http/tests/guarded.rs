//! Private addresses: refused unless allowed, however somebody leads there.

use super::*;

/// Names that a hook resolves: `public.example` to the test server, as if it were public.
fn hooked(addresses: &'static [&'static str]) -> HttpOptions {
    let lookup: guard::Lookup = Arc::new(move |name| {
        assert!(name.ends_with(".example"), "{name}");
        let found: Vec<IpAddr> = addresses.iter().map(|text| text.parse().unwrap()).collect();
        Box::pin(async move { Ok(found) })
    });
    HttpOptions { lookup, ..options(Vault::empty()) }
}

#[tokio::test]
async fn private_addresses_are_refused_unless_allowed() {
    let server = Hostile::start().await;
    let port = server.port();
    let closed = |url: &str| Request::get(&NetworkName::from("test"), url);
    for (addresses, url, expected) in [
        (&["127.0.0.1"][..], server.url("/ok"), "ForbiddenAddress: `127.0.0.1`"),
        (&["127.0.0.1"], format!("http://localhost:{port}/ok"), "ForbiddenAddress: `localhost`"),
        (&["127.0.0.1"], format!("http://rebound.example:{port}/ok"), "ForbiddenAddress: `rebound.example`"),
        (&["10.0.0.1", "::1", "fd00::1"], format!("http://inside.example:{port}/ok"), "ForbiddenAddress"),
        (&["::ffff:127.0.0.1"], format!("http://mapped.example:{port}/ok"), "ForbiddenAddress"),
        (&[], "http://nobody.example/".to_owned(), "Dns: `nobody.example`"),
    ] {
        let fetch = HttpFetch::new(hooked(addresses)).unwrap();
        let shown = shown(&fetch, &closed(&url)).await;
        assert!(shown.starts_with(expected), "{url}: {shown}");
        assert!(server.requests().is_empty(), "nothing was sent for {url}");
    }
    let fetch = HttpFetch::new(hooked(&["127.0.0.1"])).unwrap();
    let allowed = request(&format!("http://rebound.example:{port}/ok"));
    assert!(shown(&fetch, &allowed).await.starts_with("200"));
}

/// A redirect is judged like a first URL; nothing is sent to where it leads.
#[tokio::test]
async fn redirects_to_private_addresses_are_refused() {
    let closed = Request::get(&NetworkName::from("test"), "http://93.184.215.14/");
    let hop = Hop::first(&closed).unwrap();
    for (location, kind) in [
        ("http://10.0.0.1/", FaultKind::ForbiddenAddress),
        ("http://169.254.169.254/latest/meta-data/", FaultKind::ForbiddenAddress),
        ("//[::1]/", FaultKind::ForbiddenAddress),
        ("http://localhost/", FaultKind::ForbiddenAddress),
        ("file:///etc/passwd", FaultKind::Request),
    ] {
        let redirect = Redirect { status: 302, location: location.into() };
        let fault = hop.next(&redirect, &Scrubber::default()).err().expect(location);
        assert_eq!(fault.kind, kind, "{location}");
        assert!(fault.message.contains("`93.184.215.14` redirects"), "{}", fault.message);
    }
}
