//! A SQLite store as the source or the target of a copy: rows as they are, by table and key.

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, OptionalExtension, Result, Row, ToSql, params_from_iter};

use super::{SqliteStore, control, failed};
use crate::api::StoreError;
use crate::transfer::{Cell, Column, DERIVED_CURSORS, Kind, MARK, NUMBERED, Table, Transfer};

impl Transfer for SqliteStore {
    fn rows_behind(&self, table: &Table, key: &[Cell], limit: usize) -> Result<Vec<Vec<Cell>>, StoreError> {
        rows_behind(&self.db, table, key, limit).map_err(failed("read a table"))
    }

    fn take_rows(&mut self, table: &Table, rows: &[Vec<Cell>], mark: &str) -> Result<(), StoreError> {
        self.write("write a table", |db| {
            let places: Vec<String> = (1..=table.columns.len()).map(|place| format!("?{place}")).collect();
            let insert =
                format!("INSERT INTO {} ({}) VALUES ({})", table.name, table.names(), places.join(", "));
            let mut insert = db.prepare_cached(&insert)?;
            for row in rows {
                insert.execute(params_from_iter(row.iter().map(value)))?;
            }
            control::set_setting(db, MARK, mark)
        })
    }

    fn clear(&mut self, table: &Table) -> Result<(), StoreError> {
        self.write("empty a table", |db| db.execute(&format!("DELETE FROM {}", table.name), []).map(drop))
    }

    fn given(&self) -> Result<Vec<(String, i64)>, StoreError> {
        let given = |(table, id): &(&str, &str)| {
            let by_itself = "SELECT seq FROM sqlite_sequence WHERE name = ?1";
            let kept: Option<i64> = self.db.query_row(by_itself, [table], |row| row.get(0)).optional()?;
            let newest = format!("SELECT COALESCE(max({id}), 0) FROM {table}");
            let newest: i64 = self.db.query_row(&newest, [], |row| row.get(0))?;
            Ok(((*table).to_owned(), kept.unwrap_or(0).max(newest)))
        };
        NUMBERED.iter().map(given).collect::<Result<_>>().map_err(failed("read which numbers were given"))
    }

    fn finish(&mut self, given: &[(String, i64)]) -> Result<(), StoreError> {
        self.write("end a copy", |db| {
            for (table, last) in given {
                // Tables that never give a number twice have a line there, once anything was in them.
                let pass = "UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1";
                if db.execute(pass, rusqlite::params![table, last])? == 0 && *last > 0 {
                    let note = "INSERT INTO sqlite_sequence (name, seq) SELECT name, ?2 FROM sqlite_schema \
                                WHERE name = ?1 AND sql LIKE '%AUTOINCREMENT%'";
                    db.execute(note, rusqlite::params![table, last])?;
                }
            }
            for consumer in DERIVED_CURSORS {
                db.execute("DELETE FROM cursors WHERE consumer = ?1", [consumer])?;
            }
            db.execute("DELETE FROM settings WHERE key = ?1", [MARK]).map(drop)
        })
    }

    fn mark(&self) -> Result<Option<String>, StoreError> {
        control::setting(&self.db, MARK).map_err(failed("read a setting"))
    }
}

fn rows_behind(db: &Connection, table: &Table, key: &[Cell], limit: usize) -> Result<Vec<Vec<Cell>>> {
    let (names, order) = (table.names(), table.key_names());
    let behind = match key.len() {
        0 => "1".to_owned(),
        count => {
            let places: Vec<String> = (1..=count).map(|place| format!("?{place}")).collect();
            format!("({order}) > ({})", places.join(", "))
        }
    };
    let sql = format!("SELECT {names} FROM {} WHERE {behind} ORDER BY {order} LIMIT {limit}", table.name);
    let mut find = db.prepare_cached(&sql)?;
    let read = |row: &Row<'_>| {
        let cells = table.columns.iter().enumerate().map(|(place, column)| cell(row, place, *column));
        cells.collect::<Result<Vec<Cell>>>()
    };
    find.query_map(params_from_iter(key.iter().map(value)), read)?.collect()
}

fn cell(row: &Row<'_>, place: usize, Column(_, kind): Column) -> Result<Cell> {
    Ok(match (row.get_ref(place)?, kind) {
        (ValueRef::Null, _) => Cell::Null,
        (_, Kind::Int) => Cell::Int(row.get(place)?),
        (_, Kind::Real) => Cell::Real(row.get(place)?),
        (_, Kind::Text) => Cell::Text(row.get(place)?),
        (_, Kind::Bytes) => Cell::Bytes(row.get(place)?),
    })
}

fn value(cell: &Cell) -> impl ToSql + use<> {
    match cell {
        Cell::Null => Value::Null,
        Cell::Int(value) => Value::Integer(*value),
        Cell::Real(value) => Value::Real(*value),
        Cell::Text(text) => Value::Text(text.clone()),
        Cell::Bytes(bytes) => Value::Blob(bytes.clone()),
    }
}

#[cfg(test)]
impl SqliteStore {
    /// All tables with their columns, but for those of search indexes and of generated values.
    pub(crate) fn columns(&self) -> Vec<(String, String)> {
        let find = "SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_xinfo(t.name) c WHERE t.type = 'table' AND c.hidden = 0 \
                    AND t.name NOT LIKE 'sqlite_%' AND t.name NOT LIKE 'post_text%' AND t.name NOT LIKE 'source_text%' \
                    AND t.name <> 'refinery_schema_history' ORDER BY t.name, c.name";
        let mut find = self.db.prepare(find).expect("the statement is sound");
        let rows = find.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("the schema can be read");
        rows.collect::<Result<_>>().expect("the schema can be read")
    }
}
