//! The six link kinds, allowed and refused, as one table.

use std::collections::BTreeMap;

use super::*;
use crate::{Object, ObjectType};

fn schema() -> Schema {
    let account = ObjectType {
        links: BTreeMap::from([
            ("username".to_owned(), LinkType::P(PrimitiveKind::Text)),
            ("hometown".to_owned(), LinkType::C("place".to_owned())),
            ("posts".to_owned(), LinkType::Co("post".to_owned())),
            ("score".to_owned(), LinkType::Sp(PrimitiveKind::Int)),
            ("twin".to_owned(), LinkType::Sc(Some("video".to_owned()), "channel".to_owned())),
            ("clips".to_owned(), LinkType::Sco(None, "clip".to_owned())),
        ]),
        ids: None,
    };
    let place = ObjectType {
        links: BTreeMap::from([("longitude".to_owned(), LinkType::P(PrimitiveKind::Float))]),
        ids: None,
    };
    Schema {
        network: "social".to_owned(),
        types: BTreeMap::from([("account".to_owned(), account), ("place".to_owned(), place)]),
    }
}

fn object(address: &str) -> Object {
    Object::new(address.parse().unwrap())
}

fn value(network: &str, value: impl Into<Primitive>) -> LinkTarget {
    LinkTarget::Value(network.into(), value.into())
}

#[test]
fn each_kind_is_linked_and_read_as_in_the_paper() {
    let schema = schema();
    let mut place = object("social/place/9");
    place.link(&schema, "longitude", value("social", 20)).unwrap();
    let mut user = object("social/account/1");
    let cases = [
        ("username", value("social", "ada"), LinkKind::P),
        ("hometown", LinkTarget::One(place), LinkKind::C),
        ("posts", LinkTarget::Many(vec![object("social/post/1"), object("social/post/2")]), LinkKind::Co),
        ("score", value("video", 7), LinkKind::Sp),
        ("twin", LinkTarget::One(object("video/channel/c")), LinkKind::Sc),
        ("clips", LinkTarget::Many(vec![object("video/clip/1")]), LinkKind::Sco),
    ];
    for (name, target, kind) in cases {
        assert_eq!(user.link(&schema, name, target), Ok(kind), "{name}");
    }
    assert_eq!(user.plinks["username"], Primitive::from("ada"));
    assert_eq!(user.clinks["hometown"].plinks["longitude"], Primitive::Int(20));
    assert_eq!(user.colinks["posts"][1].address.id, "2");
    assert_eq!(user.splinks["score"], Primitive::Int(7));
    assert_eq!(user.sclinks["twin"].address.id, "c");
    assert_eq!(user.scolinks["clips"][0].address.id, "1");
}

#[test]
fn what_the_definition_does_not_allow_is_refused_by_name() {
    let cases = [
        ("social/account/1", "uploaded", value("social", 1), "allows `account` only"),
        ("social/album/1", "username", value("social", "x"), "has no type `album`"),
        ("video/account/1", "username", value("video", "x"), "not an object of `social`"),
        ("social/account/1", "username", value("social", 1), "holds Text, not Int"),
        ("social/account/1", "username", value("video", "x"), "stays inside"),
        ("social/account/1", "username", LinkTarget::Many(vec![]), "not a collection"),
        ("social/account/1", "hometown", LinkTarget::One(object("social/post/1")), "leads to `place`"),
        ("social/account/1", "score", value("social", 1), "another network"),
        ("social/account/1", "twin", LinkTarget::One(object("other/channel/1")), "not to `other/channel/1`"),
        ("social/account/1", "clips", LinkTarget::Many(vec![object("social/clip/1")]), "another network"),
    ];
    for (from, name, target, why) in cases {
        let mut from = object(from);
        let before = from.clone();
        let refused = from.link(&schema(), name, target).unwrap_err();
        assert!(refused.to_string().contains(why), "{refused}");
        assert_eq!(from, before, "a refused link leaves no trace");
    }
}
