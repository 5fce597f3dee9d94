//! What is remembered of a post that is erased, so that no page brings it back.

use super::super::db::{Connection, OptionalExtension, Result, Row};
use super::super::forgotten::Named;

/// What is remembered of a post: its type with its id, its id alone for texts that name it, and the space of its ids where that has
/// another name.
pub(super) fn post_names(db: &Connection, post: i64) -> Result<Vec<Named>> {
    let find = "SELECT n.name, p.native_id, p.kind, p.space FROM posts p JOIN networks n ON n.id = p.network \
                WHERE p.id = $1";
    let read = |row: &Row| {
        let [network, id, kind, space] = [0, 1, 2, 3].map(|column| row.get_ref(column));
        let (network, id, kind, space) =
            (network?.as_str()?, id?.as_str()?, kind?.as_str()?, space?.as_str()?);
        let space = (space != kind).then(|| Named::post(network, space, id));
        let names = [Named::post(network, kind, id), Named::mention(network, id)];
        Ok(names.into_iter().chain(space).collect())
    };
    Ok(db.prepare_cached(find)?.query_row([post], read).optional()?.unwrap_or_default())
}
