//! Objects of any type, and the links between them: by id, by standing inside, by standing on the root's list.

use super::*;

const PLACES: &str = r#"
name = "net"
title = "Net"
base = "https://net.example"
[types.account]
clinks = { hometown = "place" }
colinks = { albums = "album" }
[types.album]
ids = "media"
clinks = { owner = "account" }
colinks = { photos = "photo" }
[types.photo]
ids = "media"
clinks = { author = "account" }
colinks = { tagged = "account", likers = "account" }
[types.comment]
clinks = { author = "account", reply_to = "comment", root = "photo" }
[types.place]
plinks = { longitude = "float" }
[mappings.account]
kind = "account"
id = "/id"
name = "/name"
embeds = [{ at = "/hometown", mapping = "place", link = "hometown" }]
[mappings.place]
kind = "object"
type = "place"
id = "/id"
name = "/name"
plinks = { longitude = "/location/longitude" }
[mappings.album]
kind = "object"
type = "album"
id = "/id"
name = "/name"
created_at = "/made"
clinks = { owner = "/from" }
embeds = [{ at = "/photos", mapping = "photo", link = "photos" }]
[mappings.photo]
kind = "post"
type = "photo"
id = "/id"
created_at = "/at"
author = "/by"
colinks = { tagged = { at = "/tags", each = "/id" } }
embeds = [{ at = "/tags", mapping = "account" }]
[mappings.comment]
kind = "post"
type = "comment"
id = "/id"
reply_to = "/parent"
root = "$root"
[endpoints.list]
url = "/list/{{ root | urlencode }}"
kind = "objects"
root = "account"
robot = "link"
link = "albums"
items = [{ at = "/albums", mapping = "album" }]
[endpoints.likers]
url = "/likers/{{ root | urlencode }}"
kind = "accounts"
root = "photo"
robot = "link"
link = "likers"
items = [{ at = "/users", mapping = "account" }]
[endpoints.comments]
url = "/comments/{{ root | urlencode }}"
kind = "comments"
root = "photo"
items = [{ at = "/comments", mapping = "comment" }]
"#;

fn read_at(endpoint: &str, root: &str, body: &str) -> Page {
    let definition = Definition::parse("net.toml", PLACES).unwrap_or_else(|error| panic!("{error}"));
    let connector = DefinedConnector::new(&definition).unwrap();
    let instance = instance();
    let target = Target { endpoint, root, ..target(&instance) };
    connector.read(&target, &Intent::First, &response(200, &[], body), now())
}

fn links(page: &Page) -> Vec<String> {
    let shown = page.observation.links.iter().map(|link| {
        let sort = if link.is_member { "*" } else { "" };
        format!("{}/{} {}{sort} {}/{}", link.from.kind, link.from.id, link.name, link.to.kind, link.to.id)
    });
    shown.collect()
}

#[test]
fn albums_photos_people_and_places_are_one_graph() {
    let body = r#"{"albums": [{"id": 3, "name": "Summer", "from": "ada", "made": 1000, "photos": [
        {"id": 3, "at": 2000, "by": "ada", "tags": [{"id": "bob", "name": "Bob",
         "hometown": {"id": "9", "name": "Gent", "location": {"longitude": 3.7}}}]}]},
        {"id": 4, "from": null}, {"name": "no id"}]}"#;
    let page = read_at("list", "ada", body);
    let things: Vec<_> = page.observation.things.iter().map(|it| format!("{}/{}", it.kind, it.id)).collect();
    assert_eq!(things, ["album/3", "place/9", "album/4"]);
    let place = &page.observation.things[1];
    assert_eq!((place.name.as_deref(), &place.plinks[0].1), (Some("Gent"), &Primitive::Float(3.7)));
    let expected = [
        "album/3 owner account/ada",
        "photo/3 tagged* account/bob",
        "account/bob hometown place/9",
        "album/3 photos* photo/3",
        "account/ada albums* album/3",
        "account/ada albums* album/4",
    ];
    assert_eq!(links(&page), expected);
    let photo = &page.observation.posts[0];
    assert_eq!((photo.kind.space(), &*photo.kind, photo.is_embedded), ("media", "photo", true));
    assert_eq!(page.complaints.len(), 1, "{:?}", page.complaints);
}

#[test]
fn members_of_a_list_belong_to_its_root() {
    let page = read_at("likers", "3", r#"{"users": [{"id": "bob"}, {"id": "eve"}, {"id": "bob"}]}"#);
    let expected =
        ["photo/3 likers* account/bob", "photo/3 likers* account/eve", "photo/3 likers* account/bob"];
    assert_eq!(links(&page), expected);
    assert_eq!(page.observation.accounts.len(), 2);
    assert!(links(&read_at("comments", "3", r#"{"comments": [{"id": "3"}]}"#)).is_empty(), "posts tell it");
}

#[test]
fn a_type_says_whose_ids_its_links_have() {
    let page = read_at("comments", "3", r#"{"comments": [{"id": "3", "parent": "2"}]}"#);
    let kind = &page.observation.posts[0].kind;
    assert_eq!((kind.space(), kind.reply_to(), kind.root()), ("comment", None, Some("photo")));
}
