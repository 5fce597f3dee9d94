//! SocWeb's own example, end to end: from an album to its photos, to who is tagged on them, to where they come from, to a longitude.
//!
//! Facebook's shipped definition reads the answers, the store keeps what they showed, and every step is a link that it gives back.

use freshet_engine::compare::compare;
use freshet_network::connector::DefinedConnector;
use freshet_network::networks::Networks;
use freshet_store::api::{Apply, Read, Store};
use freshet_store::row::{LinkQuery, Upload};
use freshet_store::testing;
use freshet_types::{
    Connector, Instance, Intent, NetworkName, Page, Primitive, Response, Target, Timestamp, VisitId,
};

const ALBUMS: &str = r#"{"data": [{"id": "77", "name": "High water", "created_time": "2021-08-10T18:45:03+0000", "count": 1,
    "from": {"id": "123", "name": "River Watch"}}]}"#;
const PHOTOS: &str = r#"{"data": [{"id": "77", "created_time": "2021-08-10T19:00:00+0000", "name": "At the bridge",
    "from": {"id": "123", "name": "River Watch"}, "tags": {"data": [{"id": "9001", "name": "Ada",
    "hometown": {"id": "55", "name": "Gent", "location": {"city": "Gent", "longitude": 3.72, "latitude": 51.05}}}]}}]}"#;

fn network() -> NetworkName {
    NetworkName::new("facebook", None)
}

fn now() -> Timestamp {
    Timestamp::from_secs(1_700_000_000)
}

/// What the shipped definition reads in an answer of this endpoint about this root.
fn read(endpoint: &str, root: &str, body: &str) -> Page {
    let networks = Networks::shipped();
    let definition = networks.definition("facebook").expect("it is shipped");
    let connector = DefinedConnector::new(&definition).expect("it is sound");
    let base = "https://graph.facebook.com".into();
    let instance = Instance { network: network(), base, allow_private: false };
    let target = Target { instance: &instance, endpoint, root, credential: None, validators: None };
    let response = Response {
        status: 200,
        headers: Vec::new(),
        body: body.as_bytes().to_vec(),
        url: "https://graph.facebook.com/".to_owned(),
        received_at: now(),
    };
    connector.read(&target, &Intent::First, &response, now())
}

/// The objects to which the links of this name lead.
fn follow(store: &dyn Store, (kind, id): (&str, &str), name: &str) -> Vec<(String, String)> {
    let query = LinkQuery {
        network: &network(),
        object: (kind, id),
        is_inward: false,
        name: Some(name),
        with_cancelled: false,
        limit: 10,
    };
    let rows = store.links_of(&query).expect("a store in memory can be read");
    rows.into_iter().map(|row| (row.link.to.kind.to_string(), row.link.to.id)).collect()
}

#[test]
fn an_album_leads_to_the_longitude_of_a_home_town() {
    let mut store = testing::memory();
    for (endpoint, root, body) in [("albums", "123", ALBUMS), ("album_photos", "77", PHOTOS)] {
        let page = read(endpoint, root, body);
        assert_eq!(page.complaints, [], "{endpoint}");
        let upload = Upload { observation: page.observation, ..Upload::new(VisitId(1), network(), now()) };
        store.apply(&[upload], compare).expect("it is stored");
    }
    let step = |from: &(String, String), name: &str| {
        let found = follow(&store, (&from.0, &from.1), name);
        assert_eq!(found.len(), 1, "{from:?} {name}");
        found[0].clone()
    };
    let album = step(&("account".to_owned(), "123".to_owned()), "albums");
    let photo = step(&album, "photos");
    assert_eq!(
        (album, photo.clone()),
        (("album".to_owned(), "77".to_owned()), ("post".to_owned(), "77".to_owned())),
        "one id, two objects"
    );
    let ada = step(&photo, "tagged");
    let (kind, id) = step(&ada, "hometown");
    let place = store.things_of(&network(), &[(&kind, &id)]).expect("it can be read").remove(0);
    let values = place.expect("the page showed it").thing.plinks;
    let longitude = values.iter().find(|(name, _)| &**name == "longitude").map(|(_, value)| value);
    assert_eq!(longitude, Some(&Primitive::Float(3.72)));
}
