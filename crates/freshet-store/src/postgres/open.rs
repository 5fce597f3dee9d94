//! Opening a PostgreSQL store: is it one, which schema has it, how does a connection begin.
//!
//! Invariants: a database that holds something else is refused before anything is written to it; tables are made and brought up to date in
//! one transaction, by one process at a time. An address that asks for encryption is refused rather than answered without it. No error
//! shows an address whole, for it may hold a password. A reader changes nothing: the server itself sees to that.

use std::str::FromStr as _;
use std::time::Duration;

use refinery::{Migration, Runner};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use super::db::{Connection, OptionalExtension as _, Result, wait};
use super::failed;
use crate::api::StoreError;
use crate::options::Options;

/// All migrations, oldest first; one that was released is never edited.
const MIGRATIONS: [(&str, &str); 1] =
    [("V1__spine", include_str!("../../migrations/postgres/V1__spine.sql"))];
/// What an address begins with.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];
/// The oldest server that this was tried with.
const SERVER_MIN: i64 = 130_000;
/// A transaction in which nothing is asked for so long is of a process that hangs: the server undoes it, and others go on.
const IDLE_MAX: Duration = Duration::from_mins(1);
/// How long a process waits for another that makes the tables.
const MAKE_WAIT: Duration = Duration::from_mins(1);

/// The one writer's lock, by the name of the schema, in one journey with the beginning of the transaction.
pub(super) const BEGIN: &str =
    "BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('freshet ' || current_schema(), 0))";

/// Whether this is the address of such a store.
pub(crate) fn is_address(text: &str) -> bool {
    SCHEMES.iter().any(|scheme| text.starts_with(scheme))
}

/// The connection that may write; makes or migrates the tables.
pub(super) fn writer(address: &str, options: Options) -> Result<Connection, StoreError> {
    let (config, name) = config(address)?;
    let greeting = greeting(options, false);
    let db = Connection::open(config, greeting, options, false).map_err(refused(&name))?;
    check_server(&db, &name)?;
    migrate(&db, &name)?;
    Ok(db)
}

/// A connection that reads only.
pub(super) fn reader(address: &str, options: Options) -> Result<Connection, StoreError> {
    let (config, name) = config(address)?;
    let greeting = greeting(options, true);
    let db = Connection::open(config, greeting, options, true).map_err(refused(&name))?;
    check_server(&db, &name)?;
    match check_version(&db, &name)? {
        0 => Err(open_error(&name, "there is no store; `freshet init` with the same address makes one")),
        found if found < known_version() => Err(open_error(
            &name,
            "it is of an earlier freshet; `freshet init` brings it up to date and keeps everything",
        )),
        _ => Ok(db),
    }
}

/// What an address says, and how it is called in messages: without user and password.
fn config(address: &str) -> Result<(Config, String), StoreError> {
    let mut config = Config::from_str(address).map_err(|error| {
        let why = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
        open_error("postgres://…", &format!("this is no address of a PostgreSQL database: {error} {why}"))
    })?;
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(host)) => host.clone(),
        #[cfg(unix)]
        Some(Host::Unix(path)) => path.display().to_string(),
        None => {
            return Err(open_error(
                "postgres://…",
                "the address names no server: `postgres://USER@HOST/DATABASE`",
            ));
        }
    };
    let port = config.get_ports().first().map(|port| format!(":{port}")).unwrap_or_default();
    let database = config.get_dbname().or(config.get_user()).unwrap_or_default().to_owned();
    let name = format!("postgres://{host}{port}/{database}");
    if !matches!(config.get_ssl_mode(), SslMode::Disable | SslMode::Prefer) {
        let why = "the address asks for encryption (`sslmode=require`), which is not there yet; take a server on this machine, or a \
                   tunnel that encrypts (ssh, WireGuard, stunnel), and leave `sslmode` out";
        return Err(open_error(&name, why));
    }
    if config.get_application_name().is_none() {
        config.application_name("freshet");
    }
    Ok((config, name))
}

/// What a connection says first. Plans of short statements are not compiled, and made anew for tables that
/// may have grown a thousandfold since; waiting for others has a limit.
fn greeting(options: Options, is_reader: bool) -> String {
    let reading = if is_reader { "SET default_transaction_read_only = on;" } else { "" };
    format!(
        "SET client_min_messages = warning; SET jit = off; SET plan_cache_mode = force_custom_plan; SET lock_timeout = {}; \
         SET idle_in_transaction_session_timeout = {}; \
         CREATE TEMP TABLE erased (id BIGINT PRIMARY KEY); {reading}",
        options.busy.as_millis().max(1),
        IDLE_MAX.as_millis(),
    )
}

fn check_server(db: &Connection, name: &str) -> Result<(), StoreError> {
    let ask = "SELECT current_setting('server_version_num')::bigint, current_setting('server_encoding'), current_schema()";
    let (version, encoding, schema): (i64, String, Option<String>) =
        db.query_row(ask, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).map_err(refused(name))?;
    if version < SERVER_MIN {
        let why = format!("the server is PostgreSQL {}; 13 or newer is needed", version / 10_000);
        return Err(open_error(name, &why));
    }
    if encoding != "UTF8" {
        let why = format!(
            "the database holds texts as {encoding}; make one with `createdb --encoding=UTF8 --template=template0`"
        );
        return Err(open_error(name, &why));
    }
    if schema.is_none() {
        return Err(open_error(
            name,
            "the schema that the address names (`search_path`) is not there; make it first",
        ));
    }
    Ok(())
}

fn migrate(db: &Connection, name: &str) -> Result<(), StoreError> {
    if check_version(db, name)? == known_version() {
        return Ok(());
    }
    refuse_strangers(db, name)?;
    let migrations: Vec<_> = MIGRATIONS
        .iter()
        .map(|(name, sql)| Migration::unapplied(name, sql).expect("the names above are well formed"))
        .collect();
    // Held by the connection, since the runner has transactions of its own.
    let lock = "SELECT pg_advisory_lock(hashtextextended('freshet schema ' || current_schema(), 0))";
    let unlock = "SELECT pg_advisory_unlock(hashtextextended('freshet schema ' || current_schema(), 0))";
    let busy = db.options().busy.as_millis().max(1);
    db.execute_batch(&format!(
        "SET lock_timeout = {}; {lock}; SET lock_timeout = {busy}",
        MAKE_WAIT.as_millis()
    ))
    .map_err(refused(name))?;
    let result = if check_version(db, name)? == known_version() {
        Ok(())
    } else {
        let run = |client: &mut tokio_postgres::Client| {
            wait(Runner::new(&migrations).set_grouped(true).run_async(client)).map(drop)
        };
        db.alone(run).map_err(refused(name))?.map_err(|error| {
            let why = std::error::Error::source(&error).map(|why| format!(": {why}")).unwrap_or_default();
            open_error(name, &format!("its schema cannot be brought up to date: {error}{why}"))
        })
    };
    db.execute_batch(unlock).map_err(refused(name))?;
    result
}

/// A schema that holds tables and no history of ours belongs to another program.
fn refuse_strangers(db: &Connection, name: &str) -> Result<(), StoreError> {
    if check_version(db, name)? > 0 {
        return Ok(());
    }
    let ask = "SELECT EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'refinery_schema_history')";
    let is_used: bool = db.query_row(ask, [], |row| row.get(0)).map_err(refused(name))?;
    // Somebody who makes the store right now has made none of its tables that can be seen: they appear all at once.
    if is_used && check_version(db, name)? == 0 {
        let why = "its schema holds tables of another program; make a database (or a schema) of its own for freshet";
        return Err(open_error(name, why));
    }
    Ok(())
}

/// The number in the name of the newest migration.
fn known_version() -> u32 {
    let newest =
        MIGRATIONS.last().and_then(|(name, _)| name.strip_prefix('V')?.split("__").next()?.parse().ok());
    newest.expect("the names above are well formed")
}

/// The schema of the database, 0 for a new one; an error if it is newer than ours.
fn check_version(db: &Connection, name: &str) -> Result<u32, StoreError> {
    let history = "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'refinery_schema_history'";
    let has_history = db.query_row(history, [], |_| Ok(())).optional().map_err(refused(name))?.is_some();
    if !has_history {
        return Ok(0);
    }
    let newest = "SELECT COALESCE(max(version), 0)::bigint FROM refinery_schema_history";
    let found: u32 = db.query_row(newest, [], |row| row.get(0)).map_err(refused(name))?;
    if found > known_version() {
        return Err(StoreError::TooNew { path: name.to_owned(), found, known: known_version() });
    }
    Ok(found)
}

fn refused(name: &str) -> impl Fn(super::db::Error) -> StoreError {
    move |error| match failed("open")(error) {
        StoreError::Passing { trouble, doing, why } => {
            StoreError::Passing { trouble, doing, why: format!("`{name}`: {why}") }
        }
        StoreError::Database { why, .. } => open_error(name, &why),
        other => other,
    }
}

fn open_error(name: &str, why: &str) -> StoreError {
    StoreError::Database { doing: "open", why: format!("`{name}`: {why}") }
}
