//! Credentials and sessions: shown at home and nowhere else, made and renewed once.

use super::*;

fn vault(network: &str, secret: &str, kind: CredentialKind) -> Vault {
    let mut vault = Vault::empty();
    let credential = Credential::new("mine", &NetworkName::from(network), kind, None, &secret.into());
    vault.add(credential.unwrap()).unwrap();
    vault
}

fn with_auth(server: &Hostile, path: &str, scheme: AuthScheme) -> Request {
    Request {
        network: NetworkName::from(format!("test:{}", server.authority()).as_str()),
        auth: Some(AuthUse { credential: "mine".into(), scheme }),
        ..request(&server.url(path))
    }
}

#[tokio::test]
async fn credentials_are_shown_at_home_and_nowhere_else() {
    let (home, stranger) = (Hostile::start().await, Hostile::start().await);
    home.route("/away", vec![Behaviour::redirect(302, &stranger.url("/echo"))]);
    let network = format!("test:{}", home.authority());
    let fetch = HttpFetch::new(options(vault(&network, "s3cret/token+1", CredentialKind::Bearer))).unwrap();
    let query = AuthScheme::Query { name: "key".into() };
    for (scheme, sent) in [
        (AuthScheme::Bearer, "authorization: Bearer s3cret/token+1"),
        (AuthScheme::Header { name: "X-Api-Key".into() }, "x-api-key: s3cret/token+1"),
        (query.clone(), "GET /redirect/echo?key=s3cret%2Ftoken%2B1"),
    ] {
        let mut asked = with_auth(&home, "/redirect/echo", scheme.clone());
        asked.headers.push(("X-Own".into(), "own".into()));
        let echo = fetch.fetch(&asked).await.unwrap();
        let text = String::from_utf8(echo.body).unwrap();
        assert!(home.requests().iter().any(|request| request.contains(sent)), "{sent}");
        assert!(text.contains("[secret]") && !text.contains("s3cret"), "an echo is scrubbed: {text}");
        assert_eq!(echo.url, home.url("/echo"), "no secret in the URL that answered");

        let away = with_auth(&home, "/away", scheme);
        let away = shown(&fetch, &Request { headers: asked.headers, ..away }).await;
        assert!(away.starts_with("ForbiddenAddress"), "another port is another server: {away}");
    }
    assert!(stranger.requests().is_empty());

    let replaced = with_auth(&home, "/echo?a=1&key=%5Bsecret%5D&b=2", query);
    assert!(shown(&fetch, &replaced).await.contains("/echo?a=1&b=2&key=[secret]"));
    let foreign = with_auth(&stranger, "/echo", AuthScheme::Bearer);
    assert!(shown(&fetch, &foreign).await.starts_with("Credential: credential `mine` is for `test:127"));
    let mut missing = with_auth(&home, "/echo", AuthScheme::Bearer);
    missing.auth = Some(AuthUse { credential: "other".into(), scheme: AuthScheme::Bearer });
    assert!(shown(&fetch, &missing).await.starts_with("Credential: credential `other` is missing"));
}

fn session() -> AuthScheme {
    AuthScheme::Session { url: "/session".into(), token: "/accessJwt".into() }
}

#[tokio::test]
async fn a_session_is_made_kept_and_renewed_once() {
    let server = Hostile::start().await;
    let tokens = ["token-one", "token-two", "token-three"];
    server.route(
        "/session",
        tokens.map(|token| Behaviour::json(200, &format!("{{\"accessJwt\":\"{token}\"}}"))).to_vec(),
    );
    let expired = Behaviour::json(400, r#"{"error":"ExpiredToken","message":"Token has expired"}"#);
    let ok = Behaviour::json(200, "{}");
    server.route("/feed", vec![ok.clone(), ok.clone(), expired, ok, Behaviour::json(401, "{}")]);
    let network = format!("test:{}", server.authority());
    let fetch = HttpFetch::new(options(vault(&network, "did:plc:me:pass-word", CredentialKind::AppPassword)))
        .unwrap();
    let asked = with_auth(&server, "/feed", session());

    let both = futures::future::join(shown(&fetch, &asked), shown(&fetch, &asked)).await;
    assert_eq!(both, ("200 {}".into(), "200 {}".into()));
    assert_eq!(server.count("/session"), 1, "one log-in serves both");
    assert_eq!(shown(&fetch, &asked).await, "200 {}", "an expired token is renewed");
    assert_eq!(server.count("/session"), 2);
    for _ in 0..2 {
        assert!(
            shown(&fetch, &asked).await.starts_with("401"),
            "with a new token, the network's word stands"
        );
        assert_eq!(server.count("/session"), 2, "no log-in for each refusal");
    }
    let requests = server.requests().join("\n");
    assert!(requests.contains(r#"{"identifier":"did:plc:me","password":"pass-word"}"#), "{requests}");
    assert!(requests.contains("authorization: Bearer token-two"));
}

#[tokio::test]
async fn a_refused_password_rests_and_a_busy_network_is_heard() {
    let server = Hostile::start().await;
    let busy = Behaviour::answer(429, &[("ratelimit-reset", "1700000000")], b"slow down");
    server.route("/session", vec![busy, Behaviour::json(401, r#"{"error":"AuthenticationRequired"}"#)]);
    let network = format!("test:{}", server.authority());
    let fetch =
        HttpFetch::new(options(vault(&network, "me:pass-word", CredentialKind::AppPassword))).unwrap();
    let asked = with_auth(&server, "/feed", session());
    let busy = fetch.fetch(&asked).await.unwrap();
    assert_eq!((busy.status, busy.header("ratelimit-reset")), (429, Some("1700000000")));
    for _ in 0..3 {
        let refused = shown(&fetch, &asked).await;
        assert!(
            refused.starts_with("Credential: credential `mine`: `127.0.0.1` refused it (status 401)"),
            "{refused}"
        );
    }
    assert_eq!(server.count("/session"), 2, "a refused password is not tried again at once");
    assert_eq!(server.count("/feed"), 0);

    let stranger = Hostile::start().await;
    let scheme = AuthScheme::Session { url: stranger.url("/session"), token: "/accessJwt".into() };
    assert!(shown(&fetch, &with_auth(&server, "/feed", scheme)).await.contains("is not shown to"));
    assert!(stranger.requests().is_empty(), "a password stays with its server");

    let bearer = vault(&network, "token", CredentialKind::Bearer);
    let fetch = HttpFetch::new(options(bearer)).unwrap();
    assert!(shown(&fetch, &asked).await.contains("has no identifier"));
}
