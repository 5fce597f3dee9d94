//! The vault's tests: what is saved is read back, and nothing else opens or shows it.

use super::*;

/// scrypt at this factor takes about a millisecond; real files take about a second.
pub(super) const WORK_FACTOR: u8 = 4;

fn credential(name: &str, network: &str, robot: Option<RobotKind>) -> Credential {
    let network = NetworkName::from(network);
    let secret = SecretString::from(format!("secret-of-{name}"));
    Credential::new(name, &network, CredentialKind::Bearer, robot, &secret).unwrap()
}

fn saved(path: &Path) -> Vault {
    let mut vault = Vault::open(path, &"open sesame".into()).unwrap().with_work_factor(WORK_FACTOR);
    vault.add(credential("one", "mastodon:a.example", None)).unwrap();
    vault.add(credential("two", "mastodon:a.example", Some(RobotKind::Status))).unwrap();
    let password = SecretString::from("did:plc:abc:word-word");
    let network = NetworkName::from("bluesky");
    vault
        .add(Credential::new("alice", &network, CredentialKind::AppPassword, None, &password).unwrap())
        .unwrap();
    vault.save().unwrap();
    vault
}

#[test]
fn what_is_saved_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("credentials.age");
    let vault = saved(&path);
    let reopened = Vault::open(&path, &"open sesame".into()).unwrap();
    assert_eq!(reopened.list(), vault.list());
    let alice = reopened.credential("alice").unwrap();
    assert_eq!(alice.identifier.as_deref(), Some("did:plc:abc"));
    assert_eq!(alice.secret.expose_secret(), "word-word");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no neighbour is left behind");
    let bytes = std::fs::read(&path).unwrap();
    assert!(!String::from_utf8_lossy(&bytes).contains("word-word"));
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn what_does_not_open_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("credentials.age");
    saved(&path);
    let wrong = Vault::open(&path, &"open barley".into()).unwrap_err().to_string();
    assert!(wrong.contains("the passphrase does not open"), "{wrong}");

    let mut bytes = std::fs::read(&path).unwrap();
    bytes.truncate(bytes.len() - 5);
    std::fs::write(&path, &bytes).unwrap();
    let cut = Vault::open(&path, &"open sesame".into()).unwrap_err().to_string();
    assert!(cut.contains("cut short or changed"), "{cut}");

    std::fs::write(&path, b"[[credential]]").unwrap();
    let plain = Vault::open(&path, &"open sesame".into()).unwrap_err().to_string();
    assert!(plain.contains("not written by age"), "{plain}");

    let file =
        VaultFile { path: path.clone(), passphrase: "open sesame".into(), work_factor: Some(WORK_FACTOR) };
    let text = b"[[credential]]\nname = \"x\"\nnetwork = \"y\"\nkind = \"planted-secret\"\nsecret = \"z\"";
    std::fs::write(&path, encrypt(&file, text).unwrap()).unwrap();
    let wrong = Vault::open(&path, &"open sesame".into()).unwrap_err().to_string();
    assert!(wrong.contains("line 4") && !wrong.contains("planted"), "{wrong}");

    assert!(matches!(Vault::empty().save(), Err(FetchError::VaultWithoutFile)));
}

#[test]
fn a_robot_gets_its_own_credential_and_servers_are_kept_apart() {
    let folder = tempfile::tempdir().unwrap();
    let mut vault = saved(&folder.path().join("credentials.age"));
    vault.add(credential("loose", "mastodon", None)).unwrap();
    for (network, robot, chosen) in [
        ("mastodon:a.example", None, Some("one")),
        ("mastodon:a.example", Some(RobotKind::User), Some("one")),
        ("mastodon:a.example", Some(RobotKind::Status), Some("two")),
        ("mastodon:evil.example", Some(RobotKind::Status), None),
        ("bluesky", None, Some("alice")),
        ("reddit", None, None),
    ] {
        let holders = vault.holders(&NetworkName::from(network), robot, None);
        assert_eq!(holders.first().map(|it| &*it.credential), chosen, "{network} {robot:?}");
    }
}

#[test]
fn names_are_unique_and_the_environment_wins() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("credentials.age");
    let mut vault = saved(&path);
    let refused = vault.add(credential("one", "reddit", None)).unwrap_err().to_string();
    assert!(refused.contains("the name is taken"), "{refused}");

    let variables = [("FRESHET_CREDENTIAL_ONE", "from-environment"), ("HOME", "/")];
    let variables = variables.map(|(key, value)| (key.to_owned(), value.to_owned()));
    vault.merge(Vault::from_environment(variables).unwrap()).unwrap();
    assert_eq!(vault.list().len(), 3);
    assert_eq!(vault.credential("one").unwrap().origin, Origin::Environment);
    assert_eq!(vault.scrub("from-environment, secret-of-two"), "[secret], [secret]");
    assert!(matches!(vault.remove("one"), Err(FetchError::NoCredential(_))));

    vault.remove("two").unwrap();
    vault.save().unwrap();
    let names: Vec<_> =
        Vault::open(&path, &"open sesame".into()).unwrap().list().into_iter().map(|info| info.name).collect();
    assert_eq!(names, ["alice".into()], "what came from the environment is not saved");
}

#[test]
fn a_named_credential_comes_first_where_it_fits() {
    let mut vault = Vault::empty();
    for (name, network, robot) in [
        ("one", "mastodon:a.example", None),
        ("two", "mastodon:a.example", None),
        ("three", "mastodon:a.example", Some(RobotKind::User)),
        ("elsewhere", "mastodon:b.example", None),
    ] {
        vault.insert(credential(name, network, robot)).unwrap();
    }
    let network = NetworkName::from("mastodon:a.example");
    for (robot, named, expected) in [
        (RobotKind::Status, None, "one"),
        (RobotKind::Status, Some("two"), "two"),
        (RobotKind::Status, Some("three"), "one"),
        (RobotKind::Status, Some("elsewhere"), "one"),
        (RobotKind::Status, Some("nobody"), "one"),
        (RobotKind::User, None, "three"),
        (RobotKind::User, Some("two"), "two"),
    ] {
        let holders = vault.holders(&network, Some(robot), named);
        assert_eq!(&*holders[0].credential, expected, "{robot} {named:?}");
    }
}
