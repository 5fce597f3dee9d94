//! Refresh plans against independent solvers: `HiGHS` for the linear forms, SCIP for the quadratic one.
//!
//! `tests/solver.py` states the programs anew, from the formulas and not from our code. Compared are the
//! objective the solver reports, and its chosen instants valued by us: the two can only agree when both
//! solved the same problem to the optimum.

use std::hash::Hasher as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use freshet_policy::refresh::{Chain, Demand, Plan, Reading, Similarities, accuracy, kept, plan};
use freshet_types::map::Hasher;
use serde_json::{Value, json};

use crate::support::need;

/// What SCIP may violate a quadratic row by; the linear solver is closer.
const TOLERANCE: f64 = 1e-5;

/// A problem with everything both sides need.
struct Problem {
    kind: &'static str,
    similarities: Similarities,
    weights: Vec<f64>,
    demand: Demand,
}

impl Problem {
    fn to_json(&self) -> Value {
        let count = self.similarities.count();
        let row = |i: usize| (0..count).map(|j| self.similarities.of(i, j)).collect::<Vec<_>>();
        let kept = kept(&self.similarities.series(), self.demand.similarity_max);
        json!({
            "kind": self.kind,
            "s": (0..count).map(row).collect::<Vec<_>>(),
            "h": self.weights,
            "f": self.demand.refresh_count.min(kept.len()),
            "kept": kept,
        })
    }

    /// What a set of instants is worth, by our own measure and in the solver's scale.
    fn value_of(&self, instants: &[usize]) -> f64 {
        match self.demand.reading {
            Reading::Accurate => {
                accuracy(&self.similarities, &self.weights, instants) * self.weights.iter().sum::<f64>()
            }
            Reading::Distinct => {
                instants.iter().flat_map(|&i| instants.iter().map(move |&j| self.similarities.of(i, j))).sum()
            }
        }
    }
}

/// Numbers between 0 and 1 that are the same in every run.
fn drawn(seed: u64, at: usize) -> f64 {
    let mut hasher = Hasher::default();
    hasher.write_u64(seed);
    hasher.write_u64(at as u64);
    (hasher.finish() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Half of them measured, half chained from a series in which every third instant brings nothing.
fn similarities(seed: u64, count: usize) -> Similarities {
    let made = if seed.is_multiple_of(2) {
        Similarities::new(count, |i, j| drawn(seed, i * count + j))
    } else {
        let series: Vec<f64> =
            (1..count).map(|at| if at % 3 == 0 { 1.0 } else { drawn(seed, at).sqrt() }).collect();
        Similarities::chained(&series, if seed % 4 == 1 { Chain::Product } else { Chain::Least })
    };
    made.expect("a short series")
}

fn problems(kind: &'static str, reading: Reading, count: usize) -> Vec<Problem> {
    (0..8)
        .map(|seed| Problem {
            kind,
            similarities: similarities(seed, count),
            weights: (0..count).map(|at| 0.1 + drawn(seed + 100, at)).collect(),
            demand: Demand {
                refresh_count: 2 + count / 4 + seed as usize % 3,
                similarity_max: [2.0, 1.0, 0.9][seed as usize % 3],
                reading,
            },
        })
        .collect()
}

fn solve(python: &Path, problems: &[Problem]) -> Vec<Value> {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/solver.py");
    let mut child = Command::new(python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the solver's Python starts");
    let asked = Value::from(problems.iter().map(Problem::to_json).collect::<Vec<_>>()).to_string();
    let mut stdin = child.stdin.take().expect("the input is piped");
    stdin.write_all(asked.as_bytes()).expect("the script reads its problems");
    drop(stdin);
    let output = child.wait_with_output().expect("the script ends");
    assert!(output.status.success(), "the script failed with {}", output.status);
    serde_json::from_slice(&output.stdout).expect("the script answers in JSON")
}

fn compare(problem: &Problem, ours: &Plan, theirs: &Value) {
    let value = theirs["value"].as_f64().expect("a value");
    let chosen: Vec<usize> = theirs["chosen"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|at| at.as_u64().expect("an instant") as usize)
        .collect();
    let context = format!("{} {:?}: {ours:?} against {theirs}", problem.kind, problem.demand);
    assert!(ours.is_proven, "{context}");
    assert_eq!(ours.instants.len(), chosen.len(), "{context}");
    let close = |a: f64, b: f64| (a - b).abs() <= TOLERANCE * b.abs().max(1.0);
    assert!(close(problem.value_of(&ours.instants), value), "{context}");
    assert!(close(problem.value_of(&chosen), value), "{context}");
}

fn check(test: &str, kind: &'static str, reading: Reading, count: usize) {
    let Some(python) = need(test, "FRESHET_TEST_SOLVER") else { return };
    let problems = problems(kind, reading, count);
    let answers = solve(&python, &problems);
    assert_eq!(answers.len(), problems.len());
    for (problem, theirs) in problems.iter().zip(&answers) {
        compare(problem, &plan(&problem.similarities, &problem.weights, &problem.demand), theirs);
    }
}

#[test]
fn the_integer_program_of_the_accurate_plan() {
    check("solver::the_integer_program_of_the_accurate_plan", "program", Reading::Accurate, 18);
}

#[test]
fn the_path_of_the_accurate_plan_as_a_linear_program() {
    check("solver::the_path_of_the_accurate_plan_as_a_linear_program", "path", Reading::Accurate, 32);
}

#[test]
fn the_quadratic_program_of_the_distinct_plan() {
    check("solver::the_quadratic_program_of_the_distinct_plan", "quadratic", Reading::Distinct, 18);
}

#[test]
fn the_distinct_plan_with_a_variable_for_each_pair() {
    check("solver::the_distinct_plan_with_a_variable_for_each_pair", "linearised", Reading::Distinct, 18);
}
