//! A PostgreSQL store as the source or the target of a copy: rows as they are, by table and key; a piece is one statement.

use super::db::{Connection, Many, Result, Row, ToSql, ValueRef};
use super::{PostgresStore, control, failed};
use crate::api::StoreError;
use crate::transfer::{Cell, DERIVED_CURSORS, Kind, MARK, NUMBERED, Table, Transfer};

impl Transfer for PostgresStore {
    fn rows_behind(&self, table: &Table, key: &[Cell], limit: usize) -> Result<Vec<Vec<Cell>>, StoreError> {
        rows_behind(&self.db, table, key, limit).map_err(failed("read a table"))
    }

    fn take_rows(&mut self, table: &Table, rows: &[Vec<Cell>], mark: &str) -> Result<(), StoreError> {
        self.write("write a table", |db| {
            let places: Vec<String> = (1..=table.columns.len()).map(|place| format!("${place}")).collect();
            let insert = format!(
                "INSERT INTO {} ({}) SELECT * FROM unnest({})",
                table.name,
                table.names(),
                places.join(", ")
            );
            let columns: Vec<Box<dyn ToSql>> =
                (0..table.columns.len()).map(|at| column(table, rows, at)).collect();
            db.prepare_cached(&insert)?.execute(&*columns)?;
            control::set_setting(db, MARK, mark)
        })
    }

    fn clear(&mut self, table: &Table) -> Result<(), StoreError> {
        self.write("empty a table", |db| db.execute(&format!("DELETE FROM {}", table.name), []).map(drop))
    }

    fn given(&self) -> Result<Vec<(String, i64)>, StoreError> {
        let given = |(table, id): &(&str, &str)| {
            let sql = format!(
                "SELECT GREATEST((SELECT last_value FROM pg_sequences WHERE schemaname = current_schema() AND sequencename = '{table}_{id}_seq'), \
                 (SELECT max({id}) FROM {table}), 0)"
            );
            Ok(((*table).to_owned(), self.db.query_row(&sql, [], |row| row.get(0))?))
        };
        NUMBERED.iter().map(given).collect::<Result<_>>().map_err(failed("read which numbers were given"))
    }

    fn finish(&mut self, given: &[(String, i64)]) -> Result<(), StoreError> {
        self.write("end a copy", |db| {
            for (table, id) in NUMBERED {
                let last = given.iter().find(|(name, _)| name == table).map_or(0, |(_, last)| *last);
                if last > 0 {
                    let pass = format!("SELECT setval('{table}_{id}_seq', $1)");
                    db.query_row(&pass, [last], |_| Ok(()))?;
                }
            }
            for consumer in DERIVED_CURSORS {
                db.execute("DELETE FROM cursors WHERE consumer = $1", [consumer])?;
            }
            db.execute("DELETE FROM settings WHERE key = $1", [MARK]).map(drop)
        })
    }

    fn mark(&self) -> Result<Option<String>, StoreError> {
        control::setting(&self.db, MARK).map_err(failed("read a setting"))
    }
}

fn rows_behind(db: &Connection, table: &Table, key: &[Cell], limit: usize) -> Result<Vec<Vec<Cell>>> {
    let (names, order) = (table.names(), table.key_names());
    let behind = match key.len() {
        0 => "true".to_owned(),
        count => {
            let places: Vec<String> = (1..=count).map(|place| format!("${place}")).collect();
            format!("({order}) > ({})", places.join(", "))
        }
    };
    let sql = format!("SELECT {names} FROM {} WHERE {behind} ORDER BY {order} LIMIT {limit}", table.name);
    let key: Vec<Box<dyn ToSql>> = key.iter().map(value).collect();
    let read =
        |row: &Row| (0..table.columns.len()).map(|place| cell(row, place)).collect::<Result<Vec<Cell>>>();
    db.prepare_cached(&sql)?.query_map(&*key, read)?.collect()
}

fn cell(row: &Row, place: usize) -> Result<Cell> {
    Ok(match row.get_ref(place)? {
        ValueRef::Null => Cell::Null,
        ValueRef::Int(value) => Cell::Int(value),
        ValueRef::Real(value) => Cell::Real(value),
        ValueRef::Text(text) => Cell::Text(text.to_owned()),
        ValueRef::Bytes(bytes) => Cell::Bytes(bytes.to_vec()),
    })
}

fn value(cell: &Cell) -> Box<dyn ToSql> {
    match cell {
        Cell::Null => Box::new(None::<i64>),
        Cell::Int(value) => Box::new(*value),
        Cell::Real(value) => Box::new(*value),
        Cell::Text(text) => Box::new(text.clone()),
        Cell::Bytes(bytes) => Box::new(bytes.clone()),
    }
}

/// All values of one column. `jsonb` takes no zero character, escaped or not, and coverage is read as such.
fn column(table: &Table, rows: &[Vec<Cell>], at: usize) -> Box<dyn ToSql> {
    let cells = rows.iter().map(|row| &row[at]);
    match table.columns[at].1 {
        Kind::Int => Box::new(Many(
            cells
                .map(|cell| if let Cell::Int(value) = cell { Some(*value) } else { None })
                .collect::<Vec<_>>(),
        )),
        Kind::Real => Box::new(Many(
            cells
                .map(|cell| if let Cell::Real(value) = cell { Some(*value) } else { None })
                .collect::<Vec<_>>(),
        )),
        Kind::Text => Box::new(Many(
            cells
                .map(|cell| {
                    if let Cell::Text(text) = cell { Some(text.replace("\\u0000", "\\ufffd")) } else { None }
                })
                .collect::<Vec<_>>(),
        )),
        Kind::Bytes => Box::new(Many(
            cells
                .map(|cell| if let Cell::Bytes(bytes) = cell { Some(bytes.clone()) } else { None })
                .collect::<Vec<_>>(),
        )),
    }
}
