//! Links that a definition declares and nothing in it can fill.
//!
//! Such a definition is sound: what it does read is right. But whoever asks for the link waits for ever, so `networks check` names
//! each. What counts as filling: a field of a mapping, an embedded object with `link`, an endpoint that lists the collection, a hint
//! into another network, a value that one states.

use freshet_types::definition::{Definition, Mapping, MappingKind, TypeRule};

/// The dotted keys of the declared links that nothing fills, with why.
pub(super) fn unfilled(data: &Definition) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (name, rule) in &data.types {
        let mappings: Vec<&Mapping> =
            data.mappings.values().filter(|mapping| type_of(mapping) == Some(name.as_str())).collect();
        for (family, link) in declared(rule) {
            let is_listed = || {
                let lists = |root: &str, listed: Option<&str>| root == name && listed == Some(link);
                data.endpoints.values().any(|endpoint| lists(&endpoint.root, endpoint.link.as_deref()))
            };
            let is_filled = is_listed() && family == "colinks"
                || mappings.iter().any(|mapping| fills(mapping, family, link));
            if !is_filled {
                let how = match family {
                    "plinks" => "add it to `plinks` of a mapping of this type",
                    "clinks" => "add it to `clinks` of a mapping of this type, or `link` to an embed of one",
                    "colinks" => "add `link` to an endpoint that lists it, or it to `colinks` of a mapping",
                    "splinks" => "add it to `splinks` of a mapping of this type",
                    _ => "add a hint for it to a mapping of this type",
                };
                found.push((format!("types.{name}.{family}.{link}"), format!("nothing fills it; {how}")));
            }
        }
    }
    found
}

/// Whether anything fills this link of objects of a type: a declared one, or a value that every mapping may fill.
pub(super) fn is_filled(data: &Definition, type_name: &str, link: &str) -> bool {
    let rule = data.types.get(type_name);
    let family =
        rule.and_then(|rule| declared(rule).find(|(_, name)| *name == link)).map(|(family, _)| family);
    let mut mappings = data.mappings.values().filter(|mapping| type_of(mapping) == Some(type_name));
    mappings.any(|mapping| match family {
        Some(family) => fills(mapping, family, link),
        None => has_common(mapping, link),
    })
}

/// Whether mappings make objects of this type.
pub(super) fn is_made(data: &Definition, type_name: &str) -> bool {
    data.mappings.values().any(|mapping| type_of(mapping) == Some(type_name))
}

/// Whether mappings make objects of this type inside others.
pub(super) fn is_embedded_anywhere(data: &Definition, type_name: &str) -> bool {
    let is_such = |name: &String| data.mappings.get(name).and_then(type_of) == Some(type_name);
    data.mappings.values().any(|mapping| mapping.embeds.iter().any(|embed| is_such(&embed.mapping)))
}

/// Whether pages show the members of this collection with its object: as links (`true`), or as the tags of a post.
pub(super) fn shown(data: &Definition, type_name: &str, link: &str) -> Option<bool> {
    let of_type = || data.mappings.values().filter(|mapping| type_of(mapping) == Some(type_name));
    if of_type().any(|mapping| mapping.colinks.contains_key(link) || is_embedded(mapping, link)) {
        return Some(true);
    }
    let is_tags = type_name != "account" && link == "tags" && of_type().any(|mapping| mapping.tags.is_some());
    is_tags.then_some(false)
}

/// Whether a mapping fills a declared link.
fn fills(mapping: &Mapping, family: &str, link: &str) -> bool {
    match family {
        "plinks" => mapping.plinks.contains_key(link) || has_common(mapping, link),
        "clinks" => leads(mapping, link),
        "colinks" => holds(mapping, link),
        "splinks" => mapping.splinks.iter().any(|value| value.link == *link),
        _ => mapping.hints.iter().any(|hint| hint.link == *link),
    }
}

/// Whether a mapping fills a value that every mapping of its kind may fill.
fn has_common(mapping: &Mapping, value: &str) -> bool {
    let field = match value {
        // These are always known: a post without text has an empty one.
        "text" | "tags" | "is_deleted" | "state" | "opts_out" => return true,
        "url" => &mapping.url,
        "uri" => &mapping.uri,
        "lang" => &mapping.lang,
        "created_at" => &mapping.created_at,
        "edited_at" => &mapping.edited_at,
        "handle" => &mapping.handle,
        "name" => &mapping.name,
        "bio" => &mapping.bio,
        "location" => &mapping.location,
        "followers_count" => &mapping.followers_count,
        "following_count" => &mapping.following_count,
        "posts_count" => &mapping.posts_count,
        _ => return false,
    };
    field.is_some()
}

fn declared(rule: &TypeRule) -> impl Iterator<Item = (&'static str, &String)> {
    let values = rule.plinks.keys().map(|link| ("plinks", link));
    let foreign_values = rule.splinks.keys().map(|link| ("splinks", link));
    let clinks = rule.clinks.keys().map(|link| ("clinks", link));
    let colinks = rule.colinks.keys().map(|link| ("colinks", link));
    let sclinks = rule.sclinks.keys().map(|link| ("sclinks", link));
    let scolinks = rule.scolinks.keys().map(|link| ("scolinks", link));
    values.chain(clinks).chain(colinks).chain(foreign_values).chain(sclinks).chain(scolinks)
}

/// The type of what a mapping makes.
fn type_of(mapping: &Mapping) -> Option<&str> {
    let usual = match mapping.kind {
        MappingKind::Post => "post",
        MappingKind::Account => "account",
        MappingKind::Object => "object",
        MappingKind::Relation | MappingKind::Tag | MappingKind::Group => return None,
    };
    Some(mapping.object_type.as_deref().unwrap_or(usual))
}

/// Whether a mapping fills this c-link.
fn leads(mapping: &Mapping, link: &str) -> bool {
    let field = match link {
        "author" => mapping.author.as_ref(),
        "reply_to" => mapping.reply_to.as_ref(),
        "root" => mapping.root.as_ref(),
        "repost_of" => mapping.repost_of.as_ref(),
        "quote_of" => mapping.quote_of.as_ref(),
        _ => None,
    };
    field.is_some() || mapping.clinks.contains_key(link) || is_embedded(mapping, link)
}

/// Whether a mapping fills this co-link.
fn holds(mapping: &Mapping, link: &str) -> bool {
    let is_tags = link == "tags" && mapping.tags.is_some();
    is_tags || mapping.colinks.contains_key(link) || is_embedded(mapping, link)
}

fn is_embedded(mapping: &Mapping, link: &str) -> bool {
    mapping.embeds.iter().any(|embed| embed.link.as_deref() == Some(link))
}

#[cfg(test)]
mod tests {
    use super::super::Definition;

    const RULES: &str = r#"
name = "places"
title = "Places"
base = "https://places.example"

[types.account]
plinks = { mood = "text" }
clinks = { hometown = "place", birthplace = "place" }
colinks = { posts = "post", friends = "account", albums = "album" }
splinks = { score = "int" }
sclinks = { elsewhere = "mastodon/account" }

[types.post]
clinks = { author = "account" }

[types.place]
plinks = { longitude = "float" }

[types.album]

[endpoints.posts]
url = "/posts"
kind = "posts"
root = "account"
link = "posts"
items = [{ mapping = "post" }]

[mappings.account]
kind = "account"
id = "/id"
clinks = { hometown = "/hometown/id" }
embeds = [{ at = "/albums", mapping = "album", link = "albums" }]

[mappings.album]
kind = "object"
type = "album"
id = "/id"

[mappings.post]
kind = "post"
id = "/id"
"#;

    fn check(from: &str, to: &str, expected: &[&str]) {
        assert!(from.is_empty() || RULES.contains(from), "`{from}` is not there");
        let definition = Definition::parse("places.toml", &RULES.replace(from, to)).unwrap();
        let found = definition.unfilled();
        let keys: Vec<_> = found.iter().map(|problem| problem.key.as_str()).collect();
        assert_eq!(keys, expected, "{from} → {to}");
        assert!(found.iter().all(|problem| problem.line > 1), "{found:?}");
    }

    #[test]
    fn declared_links_that_nothing_fills_are_named() {
        let all = [
            "types.account.plinks.mood",
            "types.account.clinks.birthplace",
            "types.account.colinks.friends",
            "types.account.splinks.score",
            "types.account.sclinks.elsewhere",
            "types.place.plinks.longitude",
            "types.post.clinks.author",
        ];
        check("kind = \"post\"\n", "kind = \"post\"\n", &all);
        check("kind = \"post\"\nid", "kind = \"post\"\nauthor = \"/by\"\nid", &all[..6]);
        let place = "[mappings.place]\nkind = \"object\"\ntype = \"place\"\nid = \"/id\"\nplinks = { longitude = \"/lon\" }\n";
        let without = [all[0], all[1], all[2], all[3], all[4], all[6]];
        let score = "splinks = [{ link = \"score\", in = \"/bio\", pattern = '(\\d+) points', to = \"games/account/$root\", value = \"$1\" }]\n";
        let unscored = [all[0], all[1], all[2], all[4], all[5], all[6]];
        check(
            "clinks = { hometown = \"/hometown/id\" }\n",
            &format!("clinks = {{ hometown = \"/hometown/id\" }}\n{score}"),
            &unscored,
        );
        check("[mappings.post]", &format!("{place}\n[mappings.post]"), &without);
    }

    #[test]
    fn shipped_definitions_fill_what_they_declare() {
        let unfilled: Vec<String> = crate::networks::SHIPPED
            .iter()
            .flat_map(|(file, text)| {
                let definition = Definition::parse(file, text).unwrap_or_else(|error| panic!("{error}"));
                definition.unfilled().into_iter().map(move |it| format!("{file}: {}", it.key))
            })
            .collect();
        assert!(unfilled.is_empty(), "{unfilled:#?}");
    }
}
