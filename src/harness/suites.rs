//! Suites as trials of libtest-mimic, and the benchmarks that they are made of.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use libtest_mimic::{Arguments, Trial};

use crate::benchmark::Benchmark;
use crate::gate::Verdict;
use crate::report;
use crate::spec::{Registry, SuiteSpec};
use crate::suite::Suite;

use super::log::Log;

/// The suites among the files of a folder.
pub(super) struct Suites {
    pub(super) files: Vec<PathBuf>,
    /// The files of their benchmarks.
    members: Vec<PathBuf>,
}

impl Suites {
    /// Whether a file is one of their benchmarks.
    pub(super) fn have(&self, file: &Path) -> bool {
        self.members.iter().any(|member| is_same(member, file))
    }
}

/// The specs of a folder, then those that only suites name; and the suites.
pub(super) fn apart(files: Vec<PathBuf>, names: &Registry) -> (Vec<PathBuf>, Suites) {
    let (suites, mut specs): (Vec<PathBuf>, Vec<PathBuf>) =
        files.into_iter().partition(|file| SuiteSpec::is_in(file));
    // What is wrong with a suite is said where it is opened.
    let read = suites.iter().filter_map(|suite| SuiteSpec::load(suite, names).ok());
    let members: Vec<PathBuf> = read.flat_map(|suite| suite.members).map(|member| member.path).collect();
    for member in &members {
        if !specs.iter().any(|file| is_same(file, member)) {
            specs.push(member.clone());
        }
    }
    (specs, Suites { files: suites, members })
}

/// Whether two paths lead to one file.
pub(super) fn is_same(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    one == other || place(one) == place(other)
}

/// Whether a suite that was decided has asked a benchmark, which need not have decided a gate of its own.
pub(super) fn have_asked(suites: &[Arc<Suite>], benchmark: &Arc<Benchmark>) -> bool {
    let is_it = |member: &Arc<Benchmark>| Arc::ptr_eq(member, benchmark);
    suites.iter().any(|suite| suite.is_decided() && suite.members().iter().any(is_it))
}

pub(super) fn gates(suite: &Arc<Suite>, arguments: &Arguments, log: &Arc<Log>) -> Vec<Trial> {
    let with_ignored = arguments.include_ignored || arguments.ignored;
    let trial = |index: usize| {
        let gate = &suite.gates()[index];
        let (name, ignored) = (gate.name.clone(), suite.ignored(gate).is_some());
        let (suite, log) = (Arc::clone(suite), Arc::clone(log));
        let decide = move || {
            let gate = suite.decide(index);
            if gate.verdict == Verdict::Passed {
                return Ok(());
            }
            let report = suite.report();
            log.annotate(|folder| report::annotation(&report, &gate, folder));
            if gate.verdict.is_ok() { Ok(()) } else { Err(log.failure(&report::message(&report, &gate))) }
        };
        (Trial::test(name, decide).with_ignored_flag(ignored), ignored)
    };
    let trials: Vec<(Trial, bool)> = (0..suite.gates().len()).map(trial).collect();
    let runs =
        |(trial, ignored): &(Trial, bool)| !arguments.is_filtered_out(trial) && (with_ignored || !ignored);
    if trials.iter().any(runs) && !arguments.list {
        suite.read_golden_files();
    }
    trials.into_iter().map(|(trial, _)| trial).collect()
}
