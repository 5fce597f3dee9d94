//! Benchmarks: `cargo xtask bench [NAME]`. Each prints a table for people and ends with one JSON
//! line `{"bench": NAME, …figures…, "ratios": {…}}`; every ratio is measured in that one run,
//! because machines differ and are never quiet.
//!
//! All of them run in the tests too, small and for a second, so that none decays; what they then measure
//! is of no worth, only that they measure.

#![expect(clippy::print_stdout, reason = "a benchmark is there to print")]

mod by_hand;
mod crawl;
mod forum;
mod ingest;
mod mapping;
mod memory;
mod pages;
mod pipeline;
mod scheduler;
mod sources;
mod stream;
mod timing;

use std::process::ExitCode;

use serde_json::Value;

/// Pages are built on one thread and dropped on another, which this allocator is made for.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    /// Enough for figures that mean something.
    Full,
    /// So little that it takes a second without optimisation.
    Small,
}

impl Scale {
    fn pick<T>(self, full: T, small: T) -> T {
        match self {
            Self::Full => full,
            Self::Small => small,
        }
    }
}

/// Prints its table and gives its JSON line.
type Bench = fn(Scale) -> anyhow::Result<Value>;

/// All benchmarks, in the order in which `cargo xtask bench` runs them.
const BENCHES: [(&str, Bench); 8] = [
    ("pipeline", pipeline::run),
    ("ingest", ingest::run),
    ("memory", memory::run),
    ("scheduler", scheduler::run),
    ("forum", forum::run),
    ("mapping", mapping::run),
    ("sources", sources::run),
    ("stream", stream::run),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let name = args.first().map_or("", String::as_str);
    if name == "--list" {
        for (name, _) in BENCHES {
            println!("{name}");
        }
        return ExitCode::SUCCESS;
    }
    let Some((_, bench)) = BENCHES.iter().find(|(known, _)| *known == name) else {
        let names = BENCHES.map(|(name, _)| name).join(", ");
        println!("there is no benchmark `{name}`; there are {names}");
        return ExitCode::from(2);
    };
    let scale = if args.iter().any(|arg| arg == "--small") { Scale::Small } else { Scale::Full };
    match bench(scale) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            println!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs one benchmark, small; `figures` are what others read from its line.
    fn check(name: &str, figures: &[&str]) {
        let (_, bench) = BENCHES.iter().find(|(known, _)| *known == name).expect("it is one of them");
        let line = bench(Scale::Small).unwrap_or_else(|error| panic!("{name}: {error:#}"));
        assert_eq!(line["bench"], name);
        let ratios = line["ratios"].as_object().expect("every benchmark has ratios");
        let asked = figures.iter().map(|figure| (*figure, line.pointer(figure).unwrap_or(&Value::Null)));
        let asked = asked.chain(ratios.iter().map(|(ratio, value)| (ratio.as_str(), value)));
        for (figure, value) in asked {
            let number = value.as_f64().unwrap_or(f64::NAN);
            assert!(number.is_finite() && number > 0.0, "{name}: {figure} is {value}");
        }
    }

    #[test]
    fn pipeline() {
        check("pipeline", &["/pages_per_s", "/posts_per_s", "/ratios/client", "/ratios/insert"]);
    }

    #[test]
    fn ingest() {
        check("ingest", &["/posts_per_s", "/ratios/insert"]);
    }

    #[test]
    fn memory() {
        check("memory", &["/resident_mb", "/ratios/of_200_mb"]);
    }

    #[test]
    fn scheduler() {
        check("scheduler", &["/decisions_per_s", "/bytes_per_source", "/ratios/growth_1e5_to_1e7"]);
    }

    #[test]
    fn forum() {
        check("forum", &["/pages", "/ratios/inspect", "/ratios/learn"]);
    }

    #[test]
    fn mapping() {
        check("mapping", &["/pages_per_s", "/ratios/by_hand", "/ratios/parse"]);
    }

    #[test]
    fn sources() {
        check("sources", &["/first_page_s", "/ratios/start_of_2_s"]);
    }

    #[test]
    fn stream() {
        check(
            "stream",
            &[
                "/events_per_s",
                "/json_events_per_s",
                "/ratios/decode",
                "/ratios/insert",
                "/ratios/json_decode",
            ],
        );
    }

    #[test]
    fn every_benchmark_has_its_test() {
        let text: String = include_str!("main.rs").split_whitespace().collect();
        for (name, _) in BENCHES {
            assert!(text.contains(&format!("check(\"{name}\",")), "`{name}` is not run in the tests");
        }
    }
}
