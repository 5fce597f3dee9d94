//! `cargo xtask chaos`: disturbs a crawl again and again and proves that nothing was lost or doubled.
//!
//! It serves a simulated network over HTTP, adds every author, and lets one fault after another strike: SIGKILL in every
//! second round, the others by turns. A fault proves that it fired, and that the crawl went on. Then one last
//! run comes to its end, and the export is compared with the world's own list of posts. Only the finished binary is
//! used, as a person would. The same seed gives the same world, order and waits.

mod clock;
mod compare;
mod crash_loop;
mod crawl;
mod disk;
mod export;
mod fault;
mod kill;
mod lock;
mod outage;
mod proxy;
mod random;
mod reader;
mod struck;
mod world;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::{cache, process};

use clock::SteppedClock;
use compare::Report;
use crawl::Crawl;
use fault::Fault;
use proxy::Proxy;
use random::Random;
use struck::Struck;
use world::{Kind, World};

const USAGE: &str = "usage: cargo xtask chaos [--rounds N] [--seed N] [--faults A,B,...] [--freshet FILE]";
/// Every fault strikes once: SIGKILL has every second round.
const ROUNDS_DEFAULT: u32 = 2 * (Fault::ALL.len() as u32 - 1);
const ACCOUNTS: u32 = 120;
/// Simulated seconds a second: ten minutes. The crawl's ceiling of an hour is then six seconds.
const SPEED: u32 = 600;
/// The last run covers four simulated hours, so every source is visited again at least thrice.
const LAST_RUN: &str = "25s";

/// Runs the whole experiment; fails unless nothing was lost or doubled and every fault was survived.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let options = Options::read(args)?;
    let freshet = match &options.freshet {
        Some(file) => file.clone(),
        None => build()?,
    };
    let folder = std::env::temp_dir().join(format!("freshet-chaos-{}", std::process::id()));
    cache::emptied(&folder)?;
    let result = Stage::set(&freshet, &folder, options.seed).and_then(|mut stage| stage.play(&options));
    if result.as_ref().is_ok_and(|(report, failed)| report.is_clean() && failed.is_empty()) {
        std::fs::remove_dir_all(&folder).context("cannot remove the data folder")?;
    } else {
        println!("the data folder is kept in `{}`", folder.display());
    }
    let (report, failed) = result?;
    for id in report.lost.iter().take(10) {
        println!("  lost: {id}");
    }
    for id in report.doubled.iter().take(10) {
        println!("  doubled: {id}");
    }
    println!("{}", report.line());
    ensure!(report.due_count > 0, "no post was due: the world served nothing to compare with");
    ensure!(report.is_clean(), "posts were lost or doubled; repeat with `--seed {}`", options.seed);
    ensure!(failed.is_empty(), "not survived: {}; repeat with `--seed {}`", failed.join(", "), options.seed);
    Ok(())
}

#[derive(Debug)]
struct Options {
    rounds: u32,
    seed: u64,
    faults: Vec<Fault>,
    freshet: Option<PathBuf>,
}

impl Options {
    fn read(args: &[String]) -> Result<Self> {
        let mut options =
            Self { rounds: ROUNDS_DEFAULT, seed: 11, faults: Fault::ALL.to_vec(), freshet: None };
        for pair in args.chunks(2) {
            let [name, value] = pair else { bail!("`{}` needs a value\n{USAGE}", pair[0]) };
            let number = || value.parse::<u64>().with_context(|| format!("`{value}` is no number\n{USAGE}"));
            match name.as_str() {
                "--rounds" => options.rounds = u32::try_from(number()?).context("too many rounds")?,
                "--seed" => options.seed = number()?,
                "--faults" => options.faults = Fault::list(value)?,
                "--freshet" => options.freshet = Some(PathBuf::from(value)),
                _ => bail!("no option `{name}`\n{USAGE}"),
            }
        }
        Ok(options)
    }

    /// Which fault strikes in each round: SIGKILL in every second one, the others by turns.
    fn plan(&self, random: &mut Random) -> Vec<Fault> {
        let has_kill = self.faults.contains(&Fault::Kill);
        let mut others: Vec<Fault> =
            self.faults.iter().copied().filter(|fault| *fault != Fault::Kill).collect();
        random.shuffle(&mut others);
        let mut turns = others.iter().copied().cycle();
        let mut of_round = |round: u32| {
            let is_kill = has_kill && (others.is_empty() || round.is_multiple_of(2));
            if is_kill { Some(Fault::Kill) } else { turns.next() }
        };
        (0..self.rounds).filter_map(&mut of_round).collect()
    }
}

fn build() -> Result<PathBuf> {
    let cargo = || {
        let mut command = Command::new("cargo");
        command.current_dir(cache::repository());
        command
    };
    process::aloud(cargo().args(["build", "--release", "--package", "freshet"]))?;
    let metadata = process::output(cargo().args(["metadata", "--format-version", "1", "--no-deps"]))?;
    let metadata: Value = serde_json::from_str(&metadata).context("cargo metadata is no JSON")?;
    let target = metadata["target_directory"].as_str().context("cargo metadata names no target folder")?;
    Ok(Path::new(target).join("release/freshet"))
}

/// A world, what stands before it, and the crawl that is disturbed.
#[derive(Debug)]
struct Stage {
    crawl: Crawl,
    proxy: Proxy,
    clock: SteppedClock,
    world: World,
    random: Random,
    kills: u32,
}

impl Stage {
    fn set(freshet: &Path, folder: &Path, seed: u64) -> Result<Self> {
        let kind = Kind { seed, accounts: ACCOUNTS, speed: SPEED };
        let world = World::start(freshet, &folder.join("world.log"), kind)?;
        let proxy = Proxy::before(world.address)?;
        let clock = SteppedClock::of(world.address)?;
        let crawl = Crawl::new(freshet, folder, clock.url());
        Ok(Self { crawl, proxy, clock, world, random: Random::new(seed), kills: 0 })
    }

    /// Adds, disturbs, runs once more and compares; gives also the faults that were not survived.
    fn play(&mut self, options: &Options) -> Result<(Report, Vec<String>)> {
        self.crawl.finish(&["init"])?;
        let references = self.crawl.write_references(&self.world, self.proxy.address)?;
        let add = ["add", "-f", &references, "--allow-private"];
        if options.faults.contains(&Fault::Kill) {
            // `add` is killed too: a tenth of the rounds, at instants within its usual length.
            for _ in 0..options.rounds.div_ceil(10) {
                let mut child = self.crawl.spawn(&add)?;
                process::wait(self.random.wait_ms(0, 400));
                self.kills += u32::from(child.kill());
            }
        }
        self.crawl.finish(&add)?;
        let failed = self.strike_all(options);
        self.crawl.finish(&self.crawl.run_args(&["--for", LAST_RUN]))?;
        let (truth, export) = (self.world.truth()?, self.crawl.export()?);
        Ok((compare::compare(&self.world.authors, &truth, &export, self.kills)?, failed))
    }

    /// Lets the faults strike by turns; one that is not survived does not keep the others from striking.
    fn strike_all(&mut self, options: &Options) -> Vec<String> {
        let start = Instant::now();
        let (mut failed, mut fired) = (Vec::new(), BTreeMap::new());
        let plan = options.plan(&mut self.random);
        for (round, fault) in (1..).zip(&plan) {
            let name = fault.name();
            match fault.strike(self) {
                Ok(Struck::Fired(proof)) => {
                    *fired.entry(*fault).or_insert(0) += 1;
                    println!(
                        "  {round:>3} of {}, {:>4} s  {name}: {proof}",
                        plan.len(),
                        start.elapsed().as_secs()
                    );
                }
                Ok(Struck::Skipped(why)) => println!("SKIPPED: {name}: {why}"),
                Err(error) => {
                    println!("FAILED: round {round}, {name}: {error:#}");
                    failed.push(format!("{name} (round {round})"));
                }
            }
        }
        let counts: Vec<String> = options
            .faults
            .iter()
            .map(|fault| format!("{} {}", fault.name(), fired.get(fault).unwrap_or(&0)))
            .collect();
        println!("fired: {}", counts.join(", "));
        failed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Options> {
        Options::read(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn options_are_read() {
        let options = read("--rounds 50 --seed 3").unwrap();
        assert_eq!((options.rounds, options.seed, options.faults.len()), (50, 3, Fault::ALL.len()));
        assert_eq!(read("--faults lock,kill,lock").unwrap().faults, [Fault::Kill, Fault::Lock]);
        for (text, error) in [
            ("--rounds", "needs a value"),
            ("--rounds x", "no number"),
            ("--x 1", "no option"),
            ("--faults kill,flood", "no fault `flood`; there are kill, reader"),
        ] {
            assert!(format!("{:#}", read(text).unwrap_err()).contains(error), "{text}");
        }
    }

    fn check(options: &str, expected: &[(Fault, usize)]) {
        let plan = read(options).unwrap().plan(&mut Random::new(1));
        for (fault, count) in expected {
            assert_eq!(
                plan.iter().filter(|one| *one == fault).count(),
                *count,
                "{options}: {fault:?} in {plan:?}"
            );
        }
        assert_eq!(plan.len(), expected.iter().map(|(_, count)| count).sum::<usize>(), "{options}: {plan:?}");
    }

    #[test]
    fn every_fault_gets_its_turns() {
        let others = |count| Fault::ALL[1..].iter().map(move |fault| (*fault, count));
        let all =
            |kills, count| std::iter::once((Fault::Kill, kills)).chain(others(count)).collect::<Vec<_>>();
        check("", &all(7, 1));
        check("--rounds 28", &all(14, 2));
        check("--rounds 5 --faults kill", &[(Fault::Kill, 5)]);
        check("--rounds 5 --faults kill,lock", &[(Fault::Kill, 3), (Fault::Lock, 2)]);
        check("--rounds 4 --faults disk,lock", &[(Fault::Disk, 2), (Fault::Lock, 2)]);
        check("--rounds 1", &[(Fault::Kill, 1)]);
        check("--rounds 0", &[]);
    }
}
