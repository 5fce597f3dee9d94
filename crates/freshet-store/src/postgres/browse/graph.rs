//! What stands one step from an object: the links of the model that its rows hold, both ways.
//!
//! Every kind of link is cut at the same length, and said to be. Who follows whom has an index each
//! way; who answers a post has none, because it would cost every post that is stored: answers are
//! looked for among the [`ANSWERS_AMONG`] posts that were seen next.

use freshet_types::list::{LIST_KINDS, is_list};
use freshet_types::{Map, NetworkName};

use super::super::db::{Connection, Many, OptionalExtension, Result, Row, ToSql, params};
use super::super::network::Networks;
use crate::browse::{ANSWERS_AMONG, Neighbours, Node, Tie};

/// Letters of a post by which people know it.
const LABEL_CHARS: i64 = 60;
const ACCOUNT: &str = "account";

/// Where an object stands in its tables.
struct Centre {
    network: i64,
    name: NetworkName,
    kind: String,
    id: String,
}

/// The object of this number.
pub(super) fn node(db: &Connection, networks: &Networks, number: i64) -> Result<Option<Node>> {
    let account = "SELECT network, native_id, COALESCE(handle, name) FROM accounts WHERE id = $1";
    let read = |row: &Row| Ok((row.get(0)?, row.get(1)?, row.get::<_, Option<String>>(2)?));
    let found: Option<(i64, String, _)> = db.prepare_cached(account)?.query_row([number], read).optional()?;
    if let Some((network, id, label)) = found {
        let name = networks.name(db, network)?;
        return Ok(Some(made(&name, ACCOUNT, &id, Some(number), label)));
    }
    let other = "SELECT network, native_id, substr(text, 1, $2::int), kind FROM posts WHERE id = $1 \
                 UNION ALL SELECT network, native_id, substr(name, 1, $2::int), kind FROM things WHERE id = $1 \
                 UNION ALL SELECT network, native_id, substr(title, 1, $2::int), kind FROM lists WHERE id = $1";
    let read = |row: &Row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
    let found: Option<(i64, String, Option<String>, String)> =
        db.prepare_cached(other)?.query_row(params![number, LABEL_CHARS], read).optional()?;
    let Some((network, id, label, kind)) = found else { return Ok(None) };
    let name = networks.name(db, network)?;
    Ok(Some(made(&name, &kind, &id, Some(number), label)))
}

/// What stands around it, at most `limit` of each kind of link.
pub(super) fn around(db: &Connection, networks: &Networks, node: &Node, limit: usize) -> Result<Neighbours> {
    let mut around = Neighbours::default();
    let Some(number) = node.object else { return Ok(around) };
    let name = NetworkName::from(node.network.as_str());
    let Some(network) = networks.find(db, &name)? else { return Ok(around) };
    let centre = Centre { network, name, kind: node.kind.clone(), id: node.id.clone() };
    let mut walk = Walk { db, centre: &centre, limit, around: &mut around };
    if node.kind == ACCOUNT {
        walk.of_account()?;
    } else if is_list(&node.kind) {
        walk.of_list(number as i64)?;
    } else {
        walk.of_post(number as i64)?;
    }
    walk.linked()?;
    walk.across(number as i64)?;
    walk.among()?;
    Ok(around)
}

struct Walk<'a> {
    db: &'a Connection,
    centre: &'a Centre,
    limit: usize,
    around: &'a mut Neighbours,
}

impl Walk<'_> {
    fn of_account(&mut self) -> Result<()> {
        let follows = "SELECT target FROM relations WHERE network = $1 AND source = $2 AND cancelled_at IS NULL LIMIT $3";
        let followed = "SELECT source FROM relations WHERE network = $1 AND target = $2 AND cancelled_at IS NULL LIMIT $3";
        for (sql, name, is_out) in [(follows, "follows", true), (followed, "follows", false)] {
            let ids = self.texts(sql)?;
            let nodes = ids.iter().map(|id| self.account(id)).collect::<Result<Vec<_>>>()?;
            self.tie(name, is_out, nodes);
        }
        let posts = "SELECT id, native_id, substr(text, 1, $4::int), kind FROM posts WHERE network = $1 AND author = $2 \
                     ORDER BY created_at DESC NULLS LAST LIMIT $3";
        let nodes =
            self.posts(posts, params![self.centre.network, self.centre.id, self.more(), LABEL_CHARS])?;
        self.tie("author", false, nodes);
        let tags = "SELECT g.name FROM account_tags t JOIN tags g ON g.id = t.tag \
                    WHERE t.network = $1 AND t.account = $2 AND t.cancelled_at IS NULL LIMIT $3";
        let tags = self.texts(tags)?;
        let nodes = tags.into_iter().map(|tag| made(&self.centre.name, "tag", &tag, None, None)).collect();
        self.tie("tag", true, nodes);
        Ok(())
    }

    fn of_post(&mut self, number: i64) -> Result<()> {
        let sql = "SELECT author, reply_to, COALESCE(reply_kind, kind), root, COALESCE(root_kind, kind), repost_of, quote_of \
                   FROM posts WHERE id = $1";
        let read = |row: &Row| {
            let own = self.centre.kind.clone();
            Ok([
                ("author", ACCOUNT.to_owned(), row.get::<_, Option<String>>(0)?),
                ("reply_to", row.get(2)?, row.get(1)?),
                ("root", row.get(4)?, row.get(3)?),
                ("repost_of", own.clone(), row.get(5)?),
                ("quote_of", own, row.get(6)?),
            ])
        };
        let Some(links) = self.db.prepare_cached(sql)?.query_row([number], read).optional()? else {
            return Ok(());
        };
        for (name, kind, id) in links {
            let Some(id) = id else { continue };
            let node = self.named(&kind, &id)?;
            self.tie(name, true, vec![node]);
        }
        let list = "SELECT l.id, l.native_id, substr(l.title, 1, $2::int), l.kind FROM posts p JOIN lists l ON l.id = p.list \
                    WHERE p.id = $1";
        let nodes = self.posts(list, params![number, LABEL_CHARS])?;
        self.tie("posts", false, nodes);
        let key = params![
            self.centre.network,
            self.centre.id,
            self.more(),
            LABEL_CHARS,
            number,
            ANSWERS_AMONG as i64,
            self.centre.kind,
        ];
        for (name, of) in
            [("reply_to", "COALESCE(reply_kind, kind)"), ("repost_of", "kind"), ("quote_of", "kind")]
        {
            let sql = format!(
                "SELECT id, native_id, substr(text, 1, $4::int), kind FROM posts WHERE id > $5 AND id <= $5 + $6 \
                 AND network = $1 AND {name} = $2 AND {of} = $7 ORDER BY id LIMIT $3"
            );
            let nodes = self.posts(&sql, key)?;
            self.tie(name, false, nodes);
        }
        Ok(())
    }

    /// What a list of a forum contains, and what contains it.
    fn of_list(&mut self, number: i64) -> Result<()> {
        let key = params![number, self.more(), LABEL_CHARS];
        for kind in LIST_KINDS {
            let lists = format!(
                "SELECT l.id, l.native_id, substr(l.title, 1, $3::int), l.kind FROM list_members i JOIN lists l ON l.id = i.member \
                 WHERE i.list = $1 AND l.kind = '{kind}' ORDER BY l.id LIMIT $2"
            );
            let nodes = self.posts(&lists, key)?;
            self.tie(&format!("{kind}s"), true, nodes);
        }
        let within = "SELECT l.id, l.native_id, substr(l.title, 1, $3::int), l.kind FROM list_members i JOIN lists l ON l.id = i.list \
                      WHERE i.member = $1 ORDER BY l.id LIMIT $2";
        let nodes = self.posts(within, key)?;
        self.tie(&format!("{}s", self.centre.kind), false, nodes);
        let posts = "SELECT id, native_id, substr(text, 1, $3::int), kind FROM posts WHERE list = $1 ORDER BY created_at NULLS FIRST, id LIMIT $2";
        let nodes = self.posts(posts, key)?;
        self.tie("posts", true, nodes);
        Ok(())
    }

    /// Links to other networks, by address.
    fn across(&mut self, number: i64) -> Result<()> {
        let sql = "SELECT name, target FROM cross_links WHERE object = $1 AND kind <> 'sp' AND cancelled_at IS NULL \
                   ORDER BY confidence DESC, place LIMIT $2";
        let mut find = self.db.prepare_cached(sql)?;
        let rows = find.query_map(params![number, self.more()], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let links: Vec<(String, String)> = rows.collect::<Result<_>>()?;
        for (name, target) in links {
            let network = target.split('/').next().unwrap_or_default();
            let node = Node {
                network: network.to_owned(),
                kind: "elsewhere".to_owned(),
                id: target.clone(),
                label: target,
                object: None,
            };
            self.tie(&name, true, vec![node]);
        }
        Ok(())
    }

    /// Who of those shown follows whom.
    fn among(&mut self) -> Result<()> {
        let sql = "SELECT target FROM relations WHERE network = $1 AND source = $2 AND cancelled_at IS NULL \
                   AND target = ANY($3)";
        let mut find = self.db.prepare_cached(sql)?;
        let nodes = self.around.nodes.iter().enumerate().filter(|(_, node)| node.kind == ACCOUNT);
        let places: Map<&str, usize> = nodes.map(|(at, node)| (node.id.as_str(), at)).collect();
        let ids = Many(places.keys().map(|id| Some(*id)).collect());
        let mut among = Vec::new();
        for (source, from) in &places {
            let targets = find.query_map(params![self.centre.network, source, ids], |row| row.get(0))?;
            for target in targets.collect::<Result<Vec<String>>>()? {
                among.extend(places.get(target.as_str()).filter(|to| *to != from).map(|to| (*from, *to)));
            }
        }
        among.sort_unstable();
        self.around.among = among;
        Ok(())
    }

    /// One more than wanted, which tells that there are more.
    fn more(&self) -> i64 {
        self.limit as i64 + 1
    }

    fn texts(&self, sql: &str) -> Result<Vec<String>> {
        let mut find = self.db.prepare_cached(sql)?;
        let rows =
            find.query_map(params![self.centre.network, self.centre.id, self.more()], |row| row.get(0))?;
        rows.collect()
    }

    fn posts(&self, sql: &str, key: &[&dyn ToSql]) -> Result<Vec<Node>> {
        let mut find = self.db.prepare_cached(sql)?;
        let rows = find.query_map(key, |row| {
            let id: String = row.get(1)?;
            let kind: String = row.get(3)?;
            Ok(made(&self.centre.name, &kind, &id, Some(row.get(0)?), row.get(2)?))
        })?;
        rows.collect()
    }

    fn account(&self, id: &str) -> Result<Node> {
        self.named(ACCOUNT, id)
    }

    /// The node of a type and an id, stored or only named.
    fn named(&self, kind: &str, id: &str) -> Result<Node> {
        let sql = match kind {
            ACCOUNT => {
                "SELECT id, COALESCE(handle, name) FROM accounts WHERE network = $1 AND native_id = $2 AND $3 <> ''"
            }
            _ => {
                "SELECT id, substr(text, 1, 60) FROM posts \
                  WHERE network = $1 AND native_id = $2 AND (kind = $3 OR space <> kind) \
                  UNION ALL SELECT id, substr(name, 1, 60) FROM things WHERE network = $1 AND native_id = $2 AND kind = $3"
            }
        };
        let read = |row: &Row| Ok((row.get(0)?, row.get(1)?));
        let key = params![self.centre.network, id, kind];
        let found: Option<(i64, Option<String>)> =
            self.db.prepare_cached(sql)?.query_row(key, read).optional()?;
        let (object, label) = found.map_or((None, None), |(object, label)| (Some(object), label));
        Ok(made(&self.centre.name, kind, id, object, label))
    }

    /// Links that no column of a row tells, both ways.
    fn linked(&mut self) -> Result<()> {
        let out = "SELECT name, to_kind, to_id FROM object_links \
                   WHERE network = $1 AND from_id = $2 AND from_kind = $3 AND cancelled_at IS NULL ORDER BY name LIMIT $4";
        let back = "SELECT name, from_kind, from_id FROM object_links \
                    WHERE network = $1 AND to_id = $2 AND to_kind = $3 AND cancelled_at IS NULL ORDER BY name LIMIT $4";
        for (sql, is_out) in [(out, true), (back, false)] {
            let mut find = self.db.prepare_cached(sql)?;
            let key = params![self.centre.network, self.centre.id, self.centre.kind, self.more()];
            let rows = find.query_map(key, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            let links: Vec<(String, String, String)> = rows.collect::<Result<_>>()?;
            for group in links.chunk_by(|one, other| one.0 == other.0) {
                let nodes = group.iter().map(|(_, kind, id)| self.named(kind, id)).collect::<Result<_>>()?;
                self.tie(&group[0].0, is_out, nodes);
            }
        }
        Ok(())
    }

    /// Adds links of one kind; a node that is there already is not shown twice.
    fn tie(&mut self, name: &str, is_out: bool, mut nodes: Vec<Node>) {
        let is_cut = nodes.len() > self.limit;
        nodes.truncate(self.limit);
        let around = &mut *self.around;
        for node in nodes {
            let same = |it: &Node| (&it.network, &it.kind, &it.id) == (&node.network, &node.kind, &node.id);
            let at = around.nodes.iter().position(same).unwrap_or(around.nodes.len());
            if at == around.nodes.len() {
                around.nodes.push(node);
            }
            around.ties.push(Tie { name: name.to_owned(), is_out, node: at, is_cut });
        }
    }
}

fn made(network: &NetworkName, kind: &str, id: &str, object: Option<i64>, label: Option<String>) -> Node {
    let label = label.filter(|label| !label.trim().is_empty()).unwrap_or_else(|| id.to_owned());
    let object = object.map(|object| object as u64);
    Node { network: network.to_string(), kind: kind.to_owned(), id: id.to_owned(), label, object }
}
