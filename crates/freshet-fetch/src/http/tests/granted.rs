//! What OAuth granted: shown, renewed once, saved, signed; and what becomes of it when the network takes it back.

use freshet_types::definition::{ClientAuth, LoginRule};
use freshet_types::{RobotKind, Span};
use secrecy::{ExposeSecret as _, SecretString};

use super::*;
use crate::login::{Login, Place};
use crate::oauth::App;
use crate::{CredentialState, Grant, LiveVault};

fn passphrase() -> SecretString {
    "open sesame".into()
}

/// A token that has run out, or lasts, with what renews it at `/token` of this server.
fn credential(server: &Hostile, is_over: bool) -> Credential {
    let network = NetworkName::from(format!("test:{}", server.authority()).as_str());
    let typed = Credential::new(
        "mine",
        &network,
        CredentialKind::Oauth1,
        None,
        &"app:app-secret:old-token:x-secret".into(),
    );
    let mut grant = Grant::new(AuthScheme::Bearer);
    grant.app_secret = Some("app-secret".into());
    grant.refresh = Some("refresh-one".into());
    grant.token_url = Some(server.url("/token"));
    grant.client_auth = ClientAuth::Basic;
    let left = if is_over { Span::from_secs(-5) } else { Span::HOUR };
    grant.expires_at = Some(SystemClock.now() + left);
    Credential { kind: CredentialKind::Oauth2, grant: Some(grant), ..typed.unwrap() }
}

/// A vault in a file, and who fetches with it.
fn fetch(folder: &tempfile::TempDir, credential: Credential) -> (HttpFetch, LiveVault) {
    let path = folder.path().join("credentials.age");
    let ((), vault) = Vault::change(&path, &passphrase(), |vault| vault.put(credential)).unwrap();
    let vault = LiveVault::watching(vault, &path, None);
    (HttpFetch::new(HttpOptions { vault: vault.clone(), ..options(Vault::empty()) }).unwrap(), vault)
}

fn asked(server: &Hostile) -> Request {
    Request {
        network: NetworkName::from(format!("test:{}", server.authority()).as_str()),
        auth: Some(AuthUse { credential: "mine".into(), scheme: AuthScheme::Bearer }),
        ..request(&server.url("/feed"))
    }
}

fn saved(folder: &tempfile::TempDir) -> Vault {
    Vault::open(&folder.path().join("credentials.age"), &passphrase()).unwrap()
}

#[tokio::test]
async fn a_token_that_runs_out_is_renewed_once_and_saved() {
    let (server, folder) = (Hostile::start().await, tempfile::tempdir().unwrap());
    let next = r#"{"access_token":"new-token","refresh_token":"refresh-two","expires_in":3600}"#;
    server.route("/token", vec![Behaviour::json(200, next)]);
    server.route("/feed", vec![Behaviour::json(200, r#"{"echo":"new-token"}"#)]);
    let (fetch, vault) = fetch(&folder, credential(&server, true));
    let asked = asked(&server);
    let both = futures::future::join(shown(&fetch, &asked), shown(&fetch, &asked)).await;
    assert_eq!(both.0, r#"200 {"echo":"[secret]"}"#, "a renewed token is scrubbed too");
    assert_eq!(both.0, both.1);
    assert_eq!(server.count("/token"), 1, "one renewal serves both");
    assert_eq!(asked.meter.extra_count(), 2, "it counts where it takes from the same server");
    let sent = server.requests().join("\n");
    for part in
        ["grant_type=refresh_token&refresh_token=refresh-one", "authorization: Basic", "Bearer new-token"]
    {
        assert!(sent.contains(part), "{part}: {sent}");
    }
    assert!(!sent.contains("Bearer old-token"), "{sent}");
    let kept = saved(&folder);
    let kept = kept.credential("mine").unwrap();
    let refresh = kept.grant.as_ref().unwrap().refresh.as_ref().unwrap();
    assert_eq!((kept.secret.expose_secret(), refresh.expose_secret()), ("new-token", "refresh-two"));
    assert!(vault.has_changed() && !vault.has_changed(), "the file is another now, which is told once");
}

#[tokio::test]
async fn a_refused_token_is_replaced_once() {
    let (server, folder) = (Hostile::start().await, tempfile::tempdir().unwrap());
    let token = |number: u32| Behaviour::json(200, &format!(r#"{{"access_token":"token-{number}"}}"#));
    server.route("/token", vec![token(1), token(2)]);
    server.route(
        "/feed",
        vec![Behaviour::json(401, "{}"), Behaviour::json(200, "{}"), Behaviour::json(401, "{}")],
    );
    let (fetch, _) = fetch(&folder, credential(&server, false));
    let asked = asked(&server);
    assert_eq!(shown(&fetch, &asked).await, "200 {}");
    for _ in 0..3 {
        assert!(
            shown(&fetch, &asked).await.starts_with("401"),
            "with a new token, the network's word stands"
        );
    }
    assert_eq!(server.count("/token"), 1, "no renewal for each refusal");
    let kept = saved(&folder);
    let grant = kept.credential("mine").unwrap().grant.clone().unwrap();
    assert_eq!(
        grant.refresh.unwrap().expose_secret(),
        "refresh-one",
        "without a new one, the old one stands"
    );
    assert_eq!(grant.expires_at, None);
}

#[tokio::test]
async fn what_is_taken_back_rests_and_what_is_unclear_is_asked_again() {
    let (server, folder) = (Hostile::start().await, tempfile::tempdir().unwrap());
    server.route(
        "/token",
        vec![
            Behaviour::json(503, "{}"),
            Behaviour::json(400, r#"{"error":"invalid_grant","error_description":"refresh-one is over"}"#),
        ],
    );
    let (fetch, vault) = fetch(&folder, credential(&server, true));
    let asked = asked(&server);
    assert_eq!(shown(&fetch, &asked).await, "503 {}", "a busy network is heard");
    for _ in 0..3 {
        let said = shown(&fetch, &asked).await;
        let wanted = format!("it needs `freshet login {} --name mine` again", asked.network);
        assert!(said.starts_with("Credential: credential `mine`") && said.contains(&wanted), "{said}");
        assert!(!said.contains("refresh-one"), "{said}");
    }
    assert_eq!(
        (server.count("/token"), server.count("/feed")),
        (2, 0),
        "what was taken back is not asked for"
    );
    assert!(
        vault.now().holders(&asked.network, Some(RobotKind::Status), None).is_empty(),
        "others are chosen"
    );
    assert_eq!(saved(&folder).list()[0].state, CredentialState::Refused);

    let (server, folder) = (Hostile::start().await, tempfile::tempdir().unwrap());
    server.route("/token", vec![Behaviour::answer(200, &[], b"<html>maintenance</html>")]);
    let (fetch, _) = self::fetch(&folder, credential(&server, true));
    for _ in 0..3 {
        let said = shown(&fetch, &self::asked(&server)).await;
        assert!(said.contains("answered something else"), "{said}");
    }
    assert_eq!(server.count("/token"), 1, "it rests");
    assert_eq!(saved(&folder).list()[0].state, CredentialState::Ready, "and may be good again");
}

#[tokio::test]
async fn a_file_that_changes_is_taken_in_and_a_broken_one_is_not() {
    let (server, folder) = (Hostile::start().await, tempfile::tempdir().unwrap());
    let path = folder.path().join("credentials.age");
    let (_, vault) = fetch(&folder, credential(&server, false));
    let network = NetworkName::from("reddit");
    let other =
        Credential::new("other", &network, CredentialKind::Bearer, None, &"other-token".into()).unwrap();
    Vault::change(&path, &passphrase(), |vault| vault.remove("mine").and_then(|_| vault.add(other))).unwrap();
    let news = vault.reload().unwrap();
    assert_eq!((news.added, news.removed), (vec!["other".into()], vec!["mine".into()]));
    assert_eq!(
        vault.scrubber().scrub("old-token other-token"),
        "[secret] [secret]",
        "old secrets stay known"
    );
    std::fs::write(&path, "nonsense").unwrap();
    assert!(vault.reload().unwrap_err().to_string().contains("not written by age"));
    assert_eq!(vault.now().list()[0].name, "other".into());

    let locked = LiveVault::watching(Vault::empty(), &path, None);
    assert!(locked.reload().unwrap_err().to_string().contains("FRESHET_PASSPHRASE"));
}

#[tokio::test]
async fn requests_of_the_older_protocol_are_signed() {
    let server = Hostile::start().await;
    let rule = format!(
        "kind = \"oauth1\"\nrequest_token_url = \"{0}\"\nauthorize_url = \"{1}\"\naccess_token_url = \"{2}\"",
        server.url("/request"),
        server.url("/authorize"),
        server.url("/access")
    );
    let rule: LoginRule = toml::from_str(&rule).unwrap();
    server.route(
        "/request",
        vec![Behaviour::answer(200, &[], b"oauth_token=temporary&oauth_token_secret=half")],
    );
    let access = b"oauth_token=lasting&oauth_token_secret=other-half&screen_name=ada".as_slice();
    server.route("/access", vec![Behaviour::answer(200, &[], access)]);
    server.route("/feed", vec![Behaviour::json(200, "{}")]);
    let network = NetworkName::from(format!("test:{}", server.authority()).as_str());
    let place = Place { network, rule, allow_private: true };
    let fetch = fetcher();
    let login = Login { fetch: &fetch, place: &place, name: "mine" };
    let app = App { id: "app".to_owned(), secret: Some("app-secret".into()) };
    let pending = login.begin(app, "http://127.0.0.1:1/".to_owned()).await.unwrap();
    assert_eq!(pending.address, format!("{}?oauth_token=temporary", server.url("/authorize")));
    let answer = "http://127.0.0.1:1/?oauth_token=temporary&oauth_verifier=yes";
    let credential = login.finish(pending, answer).await.unwrap();
    assert_eq!(credential.identifier.as_deref(), Some("ada"));

    let mut vault = Vault::empty();
    vault.put(credential).unwrap();
    let fetch = HttpFetch::new(options(vault)).unwrap();
    assert_eq!(shown(&fetch, &asked(&server)).await, "200 {}");
    let sent = server.requests();
    for (at, parts) in [
        (0, ["oauth_callback=\"http%3A%2F%2F127.0.0.1%3A1%2F\"", "oauth_consumer_key=\"app\""]),
        (1, ["oauth_verifier=\"yes\"", "oauth_token=\"temporary\""]),
        (2, ["oauth_token=\"lasting\"", "oauth_signature=\""]),
    ] {
        assert!(parts.iter().all(|part| sent[at].contains(part)), "{}", sent[at]);
    }
    let all = sent.join("\n");
    assert!(["app-secret", "other-half"].iter().all(|secret| !all.contains(secret)), "{all}");
}
