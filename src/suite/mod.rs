//! Suites: several benchmarks with one verdict on all of them.
//!
//! A suite is a file with `suite:` beside specs ([`SuiteSpec`]). Its benchmarks
//! are carried out as they are; its own gates are about the mean over their collections.
//! `cargo test` and `rankgate run` take it wherever they take a spec.
//!
//! ```no_run
//! use rankgate::standalone::Standalone;
//!
//! let suite = Standalone::new().open_suite("benchmarks/search.yaml")?;
//! print!("{}", rankgate::report::text(&suite.run()));
//! # Ok::<(), rankgate::Error>(())
//! ```

mod decide;
mod report;

use std::path::Path;
use std::sync::{Arc, OnceLock};

use crate::Result;
use crate::analysis::Part;
use crate::benchmark::decide::Decided;
use crate::benchmark::{Benchmark, Registry, names};
use crate::gate::Gate;
use crate::gates::comparison::family::Family;
use crate::measure::Context;
use crate::model::Report;
use crate::spec::SuiteSpec;

/// A suite together with its benchmarks and everything that was decided for it so far.
///
/// Measurements of its benchmarks are made once and shared.
pub struct Suite {
    spec: SuiteSpec,
    members: Vec<Arc<Benchmark>>,
    context: Arc<Context>,
    /// By comparison.
    parts: Vec<OnceLock<Result<Arc<Vec<Part>>>>>,
    /// By entry; where the suite is one family, the first.
    families: Vec<OnceLock<Arc<Family>>>,
    /// By the position of the gate in the suite.
    decided: Decided,
}

impl Suite {
    /// Reads a suite; `open` gives its benchmarks, by their files.
    pub(crate) fn load(
        path: &Path,
        registry: &Registry,
        context: Arc<Context>,
        mut open: impl FnMut(&Path) -> Result<Arc<Benchmark>>,
    ) -> Result<Self> {
        let spec = SuiteSpec::load(path, &names(registry))?;
        let members = spec.members.iter().map(|member| open(&member.path)).collect::<Result<_>>()?;
        Ok(Self {
            parts: spec.comparisons.iter().map(|_| OnceLock::new()).collect(),
            families: spec.comparisons.iter().map(|_| OnceLock::new()).collect(),
            decided: Decided::default(),
            spec,
            members,
            context,
        })
    }

    /// The suite's name.
    pub fn name(&self) -> &str {
        &self.spec.suite
    }

    /// Every gate of the suite, in its order; those of its benchmarks are their own.
    pub fn gates(&self) -> &[Gate] {
        &self.spec.gates
    }

    /// The checked suite.
    pub fn spec(&self) -> &SuiteSpec {
        &self.spec
    }

    /// Its benchmarks, in the order of the suite.
    pub fn members(&self) -> &[Arc<Benchmark>] {
        &self.members
    }

    /// The names of the configurations that a gate judges or compares with.
    pub fn configurations_of<'a>(&'a self, gate: &'a Gate) -> Vec<&'a str> {
        let other = gate.kind.other_configuration(self.spec.entries());
        [Some(gate.configuration.as_str()), other].into_iter().flatten().collect()
    }

    /// Reads what was blessed in all of its benchmarks, as [`Benchmark::read_golden_files`] does.
    pub fn read_golden_files(&self) {
        self.members.iter().for_each(|member| member.read_golden_files());
    }

    /// Decides every gate, and returns the report. The gates of its benchmarks are carried out by
    /// whoever runs these; those on the same configurations are looked at.
    pub fn run(&self) -> Report {
        self.run_where(|_| true)
    }

    /// Decides the gates that are selected and returns the report. Where all are, what no gate needs is measured as
    /// well.
    pub fn run_where(&self, selected: impl Fn(&Gate) -> bool) -> Report {
        self.decide_where(selected);
        self.report()
    }

    /// The same for those who want no report yet.
    pub fn decide_where(&self, selected: impl Fn(&Gate) -> bool) {
        let mut whole = true;
        for (index, gate) in self.gates().iter().enumerate() {
            if selected(gate) {
                self.decide(index);
            } else {
                whole = false;
            }
        }
        if whole {
            self.measure_rest();
        }
    }

    /// Measures what all benchmarks have and no gate needed, for the report alone.
    pub(crate) fn measure_rest(&self) {
        for name in &self.spec.configurations {
            for member in &self.members {
                // Why it cannot be measured is said in the benchmark's own report.
                drop(member.evaluation_of(name));
            }
        }
    }

    /// Whether any gate was decided in this process.
    pub(crate) fn is_decided(&self) -> bool {
        !self.decided.here().is_empty()
    }

    /// What the processes of a test run share is kept under; names have dots, but no `+`.
    fn key(&self, what: &str) -> String {
        format!("{}+{what}", self.name())
    }

    /// Where the page of the report is once it was written, as messages show it.
    pub fn page(&self) -> String {
        self.context.page(self.name())
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;
    use crate::model::{Finding, Verdict};
    use crate::standalone::Standalone;
    use crate::{Hit, Query, report, retriever_fn};

    /// `old` finds the relevant document at the second rank, `new` at the first; but in `lossy` it is the other way
    /// round for every second query, and in `broken` `new` cannot be built.
    fn registry() -> Registry {
        let mut registry = Registry::new();
        for (name, rank) in [("old", 2), ("new", 1)] {
            registry
                .retrievers
                .register(name, move |setup| {
                    if setup.benchmark == "broken" && rank == 1 {
                        return Err("the index is gone".into());
                    }
                    let lossy = setup.benchmark == "lossy";
                    Ok(retriever_fn(move |query: &Query, _| {
                        let odd = query.id.ends_with(['1', '3', '5', '7', '9']);
                        let rank = if lossy && odd { 3 - rank } else { rank };
                        // Queries differ, so that differences have a spread.
                        let others = if query.id.ends_with(['3', '8']) { 2 } else { 0 };
                        let mut hits = vec![Hit::new("x", 9.0), Hit::new("y", 8.0), Hit::new("z", 7.0)];
                        hits.truncate(rank - 1 + others);
                        hits.push(Hit::new("d", 1.0));
                        Ok(hits)
                    }))
                })
                .unwrap();
        }
        registry
    }

    fn benchmark(folder: &Path, name: &str, queries: usize, more: &str) {
        let mut text = format!("version: 1\nbenchmark: {name}\ncollection:\n  inline:\n    queries:\n");
        for query in 0..queries {
            writeln!(text, "      - {{id: q{query}, text: x, relevant: [d]}}").unwrap();
        }
        text += "configurations:\n  old: {retriever: old}\n  new: {retriever: new}\nmetrics: [RR@10]\n";
        std::fs::write(folder.join(format!("{name}.yaml")), text + more).unwrap();
    }

    fn suite(folder: &Path, members: &[(&str, usize)], rest: &str) -> Suite {
        for (name, queries) in members {
            if !folder.join(format!("{name}.yaml")).is_file() {
                benchmark(folder, name, *queries, "");
            }
        }
        let files: Vec<String> = members.iter().map(|(name, _)| format!("{name}.yaml")).collect();
        let text = format!("version: 1\nsuite: all\nbenchmarks: [{}]\n{rest}", files.join(", "));
        std::fs::write(folder.join("all.yaml"), text).unwrap();
        Standalone::new().registry(registry()).open_suite(folder.join("all.yaml")).unwrap()
    }

    const GAIN: &str =
        "comparisons:\n  - {candidate: new, baseline: old, metric: RR@10, expect: improvement}\n";
    const UNEQUAL: &[(&str, usize)] = &[("a", 10), ("b", 30), ("c", 20), ("d", 40)];

    #[test]
    fn a_suite_decides_on_the_mean_of_its_collections() {
        let folder = tempfile::tempdir().unwrap();
        let limit = "thresholds:\n  - {metric: RR@10, min: 0.5}\n";
        let suite = suite(folder.path(), UNEQUAL, &format!("{limit}{GAIN}"));
        let report = suite.run();
        let verdicts: Vec<Verdict> = report.gates.iter().map(|gate| gate.verdict).collect();
        // RR is 1 or 1/3 (2 of 10 queries) against 1/2 or 1/4: .8666 and .45 in each
        assert_eq!(verdicts, [Verdict::Failed, Verdict::Passed, Verdict::Passed]);
        let Finding::Comparison(finding) = &report.gates[2].finding else { panic!() };
        assert!((finding.difference - (0.8 * 0.5 + 0.2 / 12.0)).abs() < 1e-12);
        assert_eq!((finding.queries, finding.collections.len()), (100, 4));
        let text = report::text(&report);
        assert!(text.contains("4 collections, which count alike"), "{text}");
        assert!(text.contains("all: old is below its threshold on RR@10 over 4 collections"), "{text}");
        assert!(serde_json::from_str::<Report>(&report::json(&report)).is_ok_and(|read| read == report));
    }

    #[test]
    fn a_suite_never_takes_a_mean_over_fewer() {
        let folder = tempfile::tempdir().unwrap();
        let suite = suite(folder.path(), &[("a", 10), ("broken", 10)], GAIN);
        let report = suite.run();
        assert_eq!(report.gates[0].verdict, Verdict::Error);
        let message = report::message(&report, &report.gates[0]);
        assert!(message.contains("broken: ") && message.contains("the index is gone"), "{message}");
        assert!(report.suite.unwrap().means.iter().all(|(configuration, _)| configuration == "old"));
    }

    #[test]
    fn golden_runs_of_other_queries_make_a_suite_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let gate = "comparisons:\n  - {candidate: new, baseline: golden, metric: RR@10}\n";
        let members = &[("a", 10), ("b", 20)];
        let report = suite(folder.path(), members, gate).run();
        assert_eq!(report.gates[0].verdict, Verdict::Error);
        let message = report::message(&report, &report.gates[0]);
        assert!(message.contains("a: there is no golden run of new yet"), "{message}");
        let bless = crate::golden::Bless { on: true, ..crate::golden::Bless::never() };
        for (name, _) in members {
            let standalone = Standalone::new().registry(registry()).blessing(bless.clone());
            let benchmark = standalone.open(folder.path().join(format!("{name}.yaml"))).unwrap();
            drop(benchmark.run());
            benchmark.bless_measured().unwrap();
        }
        assert_eq!(suite(folder.path(), members, gate).run().gates[0].verdict, Verdict::Passed);
        benchmark(folder.path(), "b", 21, "");
        let report = suite(folder.path(), members, gate).run();
        assert_eq!(report.gates[0].verdict, Verdict::Error);
        let message = report::message(&report, &report.gates[0]);
        assert!(message.contains("b: 1 query is not on both sides, new and golden"), "{message}");
    }

    #[test]
    fn a_gate_of_a_collection_fails_by_itself() {
        let folder = tempfile::tempdir().unwrap();
        benchmark(folder.path(), "b", 30, "thresholds:\n  - {metric: RR@10, min: 0.99, for: [new]}\n");
        let suite = suite(folder.path(), UNEQUAL, GAIN);
        assert_eq!(suite.run().gates[0].verdict, Verdict::Passed);
        assert_eq!(suite.members()[1].run().gates[0].verdict, Verdict::Failed);
    }

    #[test]
    fn configurations_that_some_benchmarks_lack_are_named() {
        let folder = tempfile::tempdir().unwrap();
        benchmark(folder.path(), "a", 10, "");
        let path = folder.path().join("a.yaml");
        let more = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, more.replacen("  old:", "  extra: {retriever: old}\n  old:", 1)).unwrap();
        let report = |own: &str| {
            suite(
                folder.path(),
                &[("a", 10), ("b", 10)],
                &format!("thresholds:\n  - {{metric: RR@10, min: 0.01{own}}}\n"),
            )
            .run()
        };
        let everywhere = report("");
        let said =
            "thresholds without `for` leave extra out, which b lacks: a suite never takes a mean over fewer";
        assert_eq!(everywhere.warnings, [crate::model::Warning::new("spec", said)]);
        assert_eq!(everywhere.gates.len(), 2);
        let text = crate::report::text(&everywhere).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(said), "{text}");
        // Whoever names the configurations left none out.
        assert_eq!(report(", for: [new, old]").warnings, []);
    }
}
