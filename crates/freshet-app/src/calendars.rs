//! Calendars: which days are not like others for a network or a source, and by whose clock.
//!
//! A calendar is a small TOML file. What it says is one setting of the store; a run that is under way sees a change within a second,
//! and policies with tables by kinds of days (`cuvim`, `hash-week`) go by it.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use freshet_engine::budget::ALL;
use freshet_engine::calendar::{CALENDARS_MAX, CalendarSpec, Calendars, scope_of, source_of};
use freshet_network::networks::Networks;
use freshet_report::calendars::{CalendarLine, CalendarsReport};
use freshet_types::SourceId;

use crate::budgets;
use crate::config::Globals;
use crate::data::Data;
use crate::failure::Failure;
use crate::sources::sources_meant;

/// Longest file: a thousand dates take a third of it.
const FILE_BYTES_MAX: u64 = 64 * 1024;
/// What a file looks like, for whoever wrote one that does not.
const FORM: &str = "a calendar is a TOML file: zone = \"Europe/Berlin\", weekend = [\"sat\", \"sun\"], and under [holidays] \
                    \"new year\" = [\"2025-01-01\", \"2026-01-01\"]";

/// The calendar of a file, checked.
pub fn read(path: &Path) -> anyhow::Result<CalendarSpec> {
    let shown = path.display();
    let misuse = |why: String| Failure::misuse(format!("`{shown}` is no calendar: {why}")).hint(FORM);
    let mut text = String::new();
    let file =
        File::open(path).map_err(|error| Failure::misuse(format!("`{shown}` cannot be read: {error}")))?;
    let mut file = file.take(FILE_BYTES_MAX + 1);
    file.read_to_string(&mut text).map_err(|error| misuse(error.to_string()))?;
    if text.len() as u64 > FILE_BYTES_MAX {
        return Err(misuse(format!("it is longer than {} KiB", FILE_BYTES_MAX / 1024)).into());
    }
    let spec: CalendarSpec = toml::from_str(&text).map_err(|error| misuse(said(&error, &text)))?;
    spec.compile().map_err(|error| misuse(error.to_string()))?;
    Ok(spec)
}

/// What is wrong with the TOML, and in which line.
fn said(error: &toml::de::Error, text: &str) -> String {
    let line = error.span().map(|span| 1 + text[..span.start.min(text.len())].matches('\n').count());
    let line = line.map_or(String::new(), |line| format!("line {line}: "));
    format!("{line}{}", error.message())
}

/// Sets one; one of the same scope is replaced.
pub fn set(
    globals: &Globals,
    data: &mut Data,
    networks: &Networks,
    scope: &str,
    path: &Path,
) -> anyhow::Result<()> {
    let spec = read(path)?;
    let mut calendars = Calendars::from_store(&data.store)?;
    for scope in scopes_of(globals, data, networks, scope)? {
        if calendars.0.len() >= CALENDARS_MAX && !calendars.0.contains_key(&scope) {
            let failure = Failure::misuse(format!("there are {CALENDARS_MAX} calendars already"));
            return Err(failure.hint("one for the whole network covers its sources").into());
        }
        calendars.0.insert(scope, spec.clone());
    }
    Ok(calendars.put(&mut data.store)?)
}

/// Takes one away.
pub fn remove(globals: &Globals, data: &mut Data, networks: &Networks, scope: &str) -> anyhow::Result<()> {
    let mut calendars = Calendars::from_store(&data.store)?;
    let exact = scope.trim().to_owned();
    let scopes = if calendars.0.contains_key(&exact) {
        vec![exact]
    } else {
        scopes_of(globals, data, networks, scope)?
    };
    let before = calendars.0.len();
    calendars.0.retain(|known, _| !scopes.contains(known));
    if calendars.0.len() == before {
        let failure = Failure::misuse(format!("no calendar was set for `{}`", scope.trim()));
        return Err(failure.hint("`freshet calendar list` shows those that were").into());
    }
    Ok(calendars.put(&mut data.store)?)
}

/// All calendars in force.
pub fn list(data: &Data) -> anyhow::Result<CalendarsReport> {
    let calendars = Calendars::from_store(&data.store)?;
    let lines = calendars.0.iter().map(|(scope, spec)| line_of(data, scope, spec));
    Ok(CalendarsReport { calendars: lines.collect::<anyhow::Result<_>>()? })
}

/// What a calendar of a file says.
pub fn checked(path: &Path) -> anyhow::Result<CalendarsReport> {
    let spec = read(path)?;
    let name = path
        .file_name()
        .map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    Ok(CalendarsReport { calendars: vec![line(name, None, &spec)] })
}

fn line_of(data: &Data, scope: &str, spec: &CalendarSpec) -> anyhow::Result<CalendarLine> {
    let source = source_of(scope).map(|id: SourceId| data.store.source(id)).transpose()?.flatten();
    Ok(line(scope.to_owned(), source.map(|source| source.label()), spec))
}

fn line(scope: String, source: Option<String>, spec: &CalendarSpec) -> CalendarLine {
    let weekend = spec.weekend.clone().unwrap_or_else(|| vec!["sat".to_owned(), "sun".to_owned()]);
    CalendarLine {
        scope,
        source,
        zone: spec.zone.clone().unwrap_or_else(|| "UTC".to_owned()),
        weekend,
        holidays: spec.holidays.keys().cloned().collect(),
        dates_count: spec.dates_count() as u64,
        first_date: spec.holidays.values().flatten().min().cloned(),
        last_date: spec.holidays.values().flatten().max().cloned(),
    }
}

/// What a person means: everything, a network or a server as of a budget, or all sources of one reference.
fn scopes_of(globals: &Globals, data: &Data, networks: &Networks, text: &str) -> anyhow::Result<Vec<String>> {
    let text = text.trim();
    let network = budgets::scope_of(data, networks, text);
    if text == ALL || network.is_ok() {
        return Ok(vec![network?.to_string()]);
    }
    let sources = sources_meant(globals, &data.store, text)?;
    if sources.is_empty() {
        let failure = Failure::misuse(format!("there is no network, server or source `{text}` here"));
        return Err(failure
            .hint("`all`, a name of `freshet networks list`, the address of a server, or a source by what `add` was given or by its number")
            .into());
    }
    Ok(sources.iter().map(|source| scope_of(source.id)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<usize, &str>) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("days.toml");
        std::fs::write(&path, text).unwrap();
        match (read(&path), expected) {
            (Ok(spec), Ok(dates_count)) => assert_eq!(spec.dates_count(), dates_count, "{text}"),
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}, not {part}"),
            (found, expected) => panic!("{text}: {found:?}, not {expected:?}"),
        }
    }

    #[test]
    fn a_file_is_read_or_what_is_wrong_is_said() {
        check("zone = \"UTC\"\n[holidays]\n\"new year\" = [\"2025-01-01\", \"2026-01-01\"]\n", Ok(2));
        check("weekend = [\"fri\", \"sat\"]", Ok(0));
        check("", Err("it is empty"));
        check("# nothing but a comment\n", Err("it is empty"));
        check("zone = \"UTC\"\nweekend = [\"sat\"\n", Err("line "));
        check("zone = 5", Err("line 1"));
        check("zone = \"UTC\"\nzones = \"UTC\"", Err("line 2: unknown field `zones`"));
        check("[holidays]\na = [\"2026-01-01\"]\na = [\"2027-01-01\"]", Err("line 3"));
        check("[holidays]\ncarnival = [\"2026-02-30\"]", Err("no date `2026-02-30`"));
        check(&"# long\n".repeat(20_000), Err("longer than 64 KiB"));
        check("\u{0}", Err("is no calendar"));
        let absent = read(Path::new("absent.toml")).unwrap_err().to_string();
        assert!(absent.contains("`absent.toml` cannot be read"), "{absent}");
    }
}
