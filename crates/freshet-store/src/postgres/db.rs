//! One connection to a PostgreSQL server, asked synchronously: statements, their values in, rows out.
//!
//! Invariants: nothing here runs a runtime on the caller's thread, so it may be called from inside tokio (whoever calls waits by parking);
//! a lost connection is an error of its own, and the next question outside of a transaction connects again, once and within
//! [`Options::busy`]; inside a transaction nothing is ever asked twice. An answer is read whole before its first row is given: what may
//! be large is asked for in pages. It knows no table.

mod gather;
mod link;
mod row;
mod value;

use std::cell::{Cell, Ref, RefCell};

use freshet_types::Map;
use tokio_postgres::error::SqlState;

pub(super) use self::gather::Gathered;
use self::link::Link;
pub(super) use self::link::wait;
pub(super) use self::row::{MappedRows, OptionalExtension, Row, Rows, ValueRef};
pub(super) use self::value::{Many, Params, ToSql, Value};
use crate::options::Options;

/// Statements kept prepared; more than all modules of this backend use together.
const STATEMENTS_MAX: usize = 1_024;

/// What came of a question.
pub(super) type Result<T, E = Error> = std::result::Result<T, E>;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    /// The server, or the way to it, said so.
    #[error("{}", told(.0))]
    Server(#[from] tokio_postgres::Error),
    /// There is no server to ask.
    #[error("{0}")]
    Away(String),
    /// One row was asked for, and there is none.
    #[error("a row that should be there is not")]
    NoRow,
    /// A value that is stored makes no sense.
    #[error("column {0}: {1}")]
    Value(usize, String),
}

/// What the server said, in its own words, with what it adds.
fn told(error: &tokio_postgres::Error) -> String {
    let Some(said) = error.as_db_error() else {
        let why = std::error::Error::source(error).map(ToString::to_string);
        return why.map_or_else(|| error.to_string(), |why| format!("{error}: {why}"));
    };
    let more = |text: Option<&str>| text.map(|text| format!("; {text}")).unwrap_or_default();
    format!("{}{}{}", said.message(), more(said.detail()), more(said.hint()))
}

impl Error {
    /// What the server's error is, by its code.
    pub(super) fn code(&self) -> Option<&SqlState> {
        match self {
            Self::Server(error) => error.code(),
            _ => None,
        }
    }

    /// Whether the connection is gone, or there never was one.
    pub(super) fn is_away(&self) -> bool {
        match self {
            Self::Away(_) => true,
            Self::Server(error) => {
                error.is_closed() || error.code().is_none() && !error.to_string().contains("serializing")
            }
            Self::NoRow | Self::Value(..) => false,
        }
    }

    /// Whether this is about what is stored, and not about the moment.
    pub(super) fn is_damage(&self) -> bool {
        matches!(self, Self::NoRow | Self::Value(..))
            || self
                .code()
                .is_some_and(|code| *code == SqlState::DATA_CORRUPTED || *code == SqlState::INDEX_CORRUPTED)
    }
}

/// What stands for the parameters of a statement.
macro_rules! params {
    ($($value:expr),* $(,)?) => { &[$(&$value as &dyn $crate::postgres::db::ToSql),*] as &[&dyn $crate::postgres::db::ToSql] };
}
pub(super) use params;

/// How a connection begins: what is said to the server before the first question.
pub(super) type Greeting = String;

/// A connection that comes back when it is lost.
pub(super) struct Connection {
    config: tokio_postgres::Config,
    greeting: Greeting,
    options: Options,
    is_reader: bool,
    link: RefCell<Option<Link>>,
    statements: RefCell<Map<String, tokio_postgres::Statement>>,
    is_writing: Cell<bool>,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Its address may hold a password.
        f.debug_struct("Connection").field("is_reader", &self.is_reader).finish_non_exhaustive()
    }
}

impl Connection {
    /// Connects, and lets `prepare` look at the server before anything else is asked.
    pub(super) fn open(
        config: tokio_postgres::Config,
        greeting: Greeting,
        options: Options,
        is_reader: bool,
    ) -> Result<Self> {
        let db = Self {
            config,
            greeting,
            options,
            is_reader,
            link: RefCell::default(),
            statements: RefCell::default(),
            is_writing: Cell::default(),
        };
        db.linked()?;
        Ok(db)
    }

    /// Whether nothing may be changed by it.
    pub(super) fn is_reader(&self) -> bool {
        self.is_reader
    }

    /// What may be chosen of a store.
    pub(super) fn options(&self) -> Options {
        self.options
    }

    /// Lets go of the connection, and gives what it was to whoever needs it alone.
    pub(super) fn alone<T>(&self, work: impl FnOnce(&mut tokio_postgres::Client) -> T) -> Result<T> {
        drop(self.linked()?);
        let mut link = self.link.borrow_mut();
        let link = link.as_mut().ok_or_else(|| Error::Away("the connection is lost".to_owned()))?;
        Ok(work(link.client_mut()))
    }

    /// The connection as it is; made anew where it was lost, unless a transaction was under way.
    fn linked(&self) -> Result<Ref<'_, Link>> {
        let is_there = self.link.borrow().as_ref().is_some_and(|link| !link.is_closed());
        if !is_there {
            if self.is_writing.get() {
                return Err(Error::Away(
                    "the connection was lost, and what was being written with it".to_owned(),
                ));
            }
            self.statements.borrow_mut().clear();
            self.link.replace(None);
            let link = Link::connect(&self.config, self.options.busy)?;
            wait(link.client().batch_execute(&self.greeting))?;
            self.link.replace(Some(link));
        }
        Ref::filter_map(self.link.borrow(), Option::as_ref)
            .map_err(|_| Error::Away("the connection is lost".to_owned()))
    }

    /// Runs statements that have no parameters and no answer.
    pub(super) fn execute_batch(&self, sql: &str) -> Result<()> {
        let link = self.linked()?;
        Ok(wait(link.client().batch_execute(sql))?)
    }

    /// Runs `write` in one transaction that begins with these statements. After an error nothing of it is left.
    pub(super) fn transaction<T>(&self, begin: &str, write: impl FnOnce(&Self) -> Result<T>) -> Result<T> {
        let begun = self.execute_batch(begin);
        self.is_writing.set(true);
        let result = begun.and_then(|()| write(self)).and_then(|value| {
            self.execute_batch("COMMIT")?;
            Ok(value)
        });
        let is_there = self.link.borrow().as_ref().is_some_and(|link| !link.is_closed());
        // Without a connection the server undoes it by itself.
        if result.is_err() && is_there && self.execute_batch("ROLLBACK").is_err() {
            self.link.replace(None);
        }
        self.is_writing.set(false);
        result
    }

    #[expect(clippy::unnecessary_wraps, reason = "as the other backend prepares, where it can fail")]
    pub(super) fn prepare_cached(&self, sql: &str) -> Result<CachedStatement<'_>> {
        Ok(CachedStatement { db: self, sql: sql.to_owned() })
    }

    pub(super) fn execute(&self, sql: &str, params: impl Params) -> Result<usize> {
        self.prepare_cached(sql)?.execute(params)
    }

    pub(super) fn query_row<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row) -> Result<T>,
    ) -> Result<T> {
        self.prepare_cached(sql)?.query_row(params, read)
    }

    /// The statement of this text, prepared for parameters of these types.
    fn prepared(&self, link: &Link, sql: &str, values: &[Value<'_>]) -> Result<tokio_postgres::Statement> {
        if let Some(known) = self.statements.borrow().get(sql) {
            return Ok(known.clone());
        }
        let types: Vec<_> = values.iter().map(Value::kind).collect();
        let made = wait(link.client().prepare_typed(sql, &types))?;
        let mut statements = self.statements.borrow_mut();
        if statements.len() >= STATEMENTS_MAX {
            statements.clear();
        }
        statements.insert(sql.to_owned(), made.clone());
        Ok(made)
    }

    fn run(&self, sql: &str, params: &dyn Params) -> Result<u64> {
        let link = self.linked()?;
        let values = params.values();
        let statement = self.prepared(&link, sql, &values)?;
        let values: Vec<_> = values.iter().map(Value::as_sql).collect();
        Ok(wait(link.client().execute(&statement, &values))?)
    }

    fn ask(&self, sql: &str, params: &dyn Params) -> Result<Vec<Row>> {
        let link = self.linked()?;
        let values = params.values();
        let statement = self.prepared(&link, sql, &values)?;
        let values: Vec<_> = values.iter().map(Value::as_sql).collect();
        Ok(wait(link.client().query(&statement, &values))?.into_iter().map(Row).collect())
    }
}

/// A statement that stays prepared as long as the connection does.
#[derive(Debug)]
pub(super) struct CachedStatement<'a> {
    db: &'a Connection,
    sql: String,
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "arrays, tuples and slices alike, as the other backend takes them"
)]
impl CachedStatement<'_> {
    /// Runs it; gives how many rows it changed.
    pub(super) fn execute(&mut self, params: impl Params) -> Result<usize> {
        Ok(self.db.run(&self.sql, &params)? as usize)
    }

    /// The first row of the answer.
    pub(super) fn query_row<T>(
        &mut self,
        params: impl Params,
        read: impl FnOnce(&Row) -> Result<T>,
    ) -> Result<T> {
        let rows = self.db.ask(&self.sql, &params)?;
        read(rows.first().ok_or(Error::NoRow)?)
    }

    /// All rows, to be kept for later.
    pub(super) fn query_owned(&mut self, params: impl Params) -> Result<Vec<Row>> {
        self.db.ask(&self.sql, &params)
    }

    /// The first row, to be kept for later.
    pub(super) fn query_first(&mut self, params: impl Params) -> Result<Row> {
        self.query_owned(params)?.into_iter().next().ok_or(Error::NoRow)
    }

    pub(super) fn query(&mut self, params: impl Params) -> Result<Rows> {
        Ok(Rows::new(self.db.ask(&self.sql, &params)?))
    }

    pub(super) fn query_map<T, F: FnMut(&Row) -> Result<T>>(
        &mut self,
        params: impl Params,
        read: F,
    ) -> Result<MappedRows<F>> {
        Ok(MappedRows::new(self.db.ask(&self.sql, &params)?, read))
    }
}
