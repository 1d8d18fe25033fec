//! A configuration's golden files: read to compare with, written to accept.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::collection::{Collection, Query};
use crate::error::Quoted;
use crate::evaluation::Evaluation;
use crate::golden::{GoldenRun, Input, Inputs, Snapshot};
use crate::spec::{Configuration, ConfigurationSource};
use crate::{Error, ErrorKind, Result};

use super::carry::{Benchmark, CorpusFacts};
use super::measure::judging;

/// A blessed run, judged by today's judgments.
#[derive(Debug)]
pub(crate) struct Golden {
    pub(super) evaluation: Evaluation,
    /// What differs from the day it was blessed, the retriever aside.
    pub(super) changed: Vec<Input>,
    /// The queries that were asked that day, answered or not.
    pub(super) asked: BTreeSet<String>,
}

impl Golden {
    /// Today's evaluation and this one over the queries that both were asked; `None` without any.
    pub(super) fn shared(&self, today: &Evaluation) -> Option<(Evaluation, Evaluation)> {
        let ours = today.keeping(|query| self.asked.contains(&query.id))?;
        let is_ours = |query: &Query| ours.queries().binary_search_by(|q| q.id.cmp(&query.id)).is_ok();
        let theirs = self.evaluation.keeping(is_ours)?;
        Some((ours, theirs))
    }

    /// Whether all these queries were asked that day.
    pub(super) fn covers(&self, queries: &[Query]) -> bool {
        queries.iter().all(|query| self.asked.contains(&query.id))
    }
}

/// What stood in a configuration's golden files before anything was asked: a retriever that writes there
/// must not be held against what it has written.
#[derive(Debug)]
pub(super) struct Kept {
    /// Taken when it is judged.
    run: Mutex<Result<Option<GoldenRun>>>,
    snapshot: Option<String>,
}

impl Benchmark {
    /// Reads what was blessed of every configuration, unless that has been done. Gates do so before they ask
    /// anything; where several benchmarks are carried out, all of them should before the first does.
    pub fn read_golden_files(&self) {
        for configuration in &self.spec.configurations {
            self.kept(configuration);
        }
    }

    /// What is read of a configuration, once.
    pub(super) fn keep(&self, configuration: &Configuration) -> Kept {
        let run = self.golden_path(configuration, "run").and_then(|path| GoldenRun::read(&path));
        let snapshot = self.golden_path(configuration, "snap").ok().and_then(|path| Snapshot::read(&path));
        Kept { run: Mutex::new(run), snapshot }
    }

    pub(super) fn read_golden(&self, configuration: &Configuration) -> Result<Option<Arc<Golden>>> {
        let golden = if self.context.bless.on {
            // What was blessed just now.
            GoldenRun::read(&self.golden_path(configuration, "run")?)?
        } else {
            self.take_kept(configuration)?
        };
        self.judge_golden(configuration, golden)
    }

    /// What was blessed before anything was asked. It is judged once.
    pub(super) fn take_kept(&self, configuration: &Configuration) -> Result<Option<GoldenRun>> {
        let mut kept = self.kept(configuration).run.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *kept, Ok(None))
    }

    /// A blessed run under today's judgments.
    pub(super) fn judge_golden(
        &self,
        configuration: &Configuration,
        golden: Option<GoldenRun>,
    ) -> Result<Option<Arc<Golden>>> {
        let path = self.golden_path(configuration, "run")?;
        let Some(golden) = golden else { return Ok(None) };
        // One that was renamed keeps what was blessed of it.
        if golden.configuration != configuration.name
            && self.spec.configuration(&golden.configuration).is_some()
        {
            let of = Quoted(&golden.configuration);
            let message = format!(
                "the blessed run of {of}, which the spec has too: it was put here by a copy or a merge"
            );
            return Err(Error::in_file(&path, message));
        }
        let collection = self.collection()?;
        let changed = self.inputs(configuration, collection)?.changed_since(&golden.inputs);
        let asked = golden.asked();
        let missing = collection.queries().iter().filter(|query| !asked.contains(&query.id)).count();
        if missing > 0 && !changed.contains(&Input::Queries) {
            let message = format!("blessed on today's queries, and {missing} of them are missing");
            return Err(Error::in_file(&path, message));
        }
        let mut run = Arc::unwrap_or_clone(golden.run);
        run.truncate(self.spec.depth);
        let evaluation =
            Evaluation::of_run(collection, run)?.judged_by(judging(&self.spec))?.with_depth(self.spec.depth);
        Ok(Some(Arc::new(Golden { evaluation, changed, asked })))
    }

    /// What the configuration's run depends on beside the retriever.
    pub(super) fn inputs(&self, configuration: &Configuration, collection: &Collection) -> Result<Inputs> {
        let corpus = self.corpus()?;
        Ok(self.inputs_on(configuration, collection, corpus))
    }

    /// The same on documents that are known already, or are not.
    pub(super) fn inputs_on(
        &self,
        configuration: &Configuration,
        collection: &Collection,
        corpus: Option<&CorpusFacts>,
    ) -> Inputs {
        let params = match &configuration.source {
            ConfigurationSource::Builtin { params, .. } | ConfigurationSource::Retriever { params, .. } => {
                params.to_json().to_string()
            }
            _ => String::new(),
        };
        Inputs {
            depth: self.spec.depth,
            params,
            queries: collection.queries_sha256(),
            judgments: collection.qrels().sha256(),
            corpus: corpus.map(|facts| facts.sha256.clone()).unwrap_or_default(),
        }
    }

    /// What the report says of a configuration, as it is kept under `golden/`.
    pub(super) fn snapshot_of(&self, configuration: &Configuration) -> Result<Snapshot> {
        let nothing = || Error::of(ErrorKind::Internal, "there is no measurement to take a snapshot of");
        // The report counts the documents where they were read, and not everything that was selected reads
        // them.
        self.corpus()?;
        Ok(Snapshot {
            folder: self.golden_folder()?,
            name: configuration.name.clone(),
            description: format!("{}: {}", self.name(), configuration.source),
            input_file: self.context.input_file(&self.spec.path),
            source: self.context.source.clone(),
            text: (self.context.snapshot)(&self.report(), &configuration.name).ok_or_else(nothing)?,
            blessed: self.kept(configuration).snapshot.clone(),
        })
    }

    /// `golden/<benchmark>`.
    pub(super) fn golden_folder(&self) -> Result<PathBuf> {
        Ok(self.spec.golden_folder()?.join(self.name()))
    }

    pub(super) fn golden_path(&self, configuration: &Configuration, ending: &str) -> Result<PathBuf> {
        Ok(self.golden_folder()?.join(format!("{}.{ending}", configuration.name)))
    }

    /// Golden files that belong to no configuration, as of one that was renamed.
    pub(super) fn orphans(&self) -> Vec<PathBuf> {
        let entries = self.golden_folder().ok().and_then(|folder| std::fs::read_dir(folder).ok());
        let is_orphan = |path: &PathBuf| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            path.extension().is_some_and(|ending| ending == "run" || ending == "snap")
                && self.spec.configuration(&name).is_none()
        };
        let paths = entries.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
        let orphans: BTreeSet<PathBuf> = paths.filter(is_orphan).collect();
        orphans.into_iter().collect()
    }

    /// Where a configuration's golden file is missing: the commands that give it those of one that is no
    /// more, by its name.
    pub(super) fn renamings(&self, configuration: &Configuration) -> Vec<(String, String)> {
        let mut renamings: std::collections::BTreeMap<String, Vec<String>> = Default::default();
        for orphan in self.orphans() {
            let part =
                |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
            let (name, ending) = (part(orphan.file_stem()), part(orphan.extension()));
            let Ok(path) = self.golden_path(configuration, &ending) else { continue };
            // The command is there to be copied.
            let plain =
                name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c)) && !name.starts_with('-');
            if plain && !path.exists() {
                let [from, to] = [&orphan, &path].map(|path| self.context.shown(path));
                renamings.entry(name).or_default().push(format!("git mv {from} {to}"));
            }
        }
        renamings.into_iter().map(|(name, commands)| (name, commands.join(" && "))).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::benchmark::Registry;
    use crate::benchmark::model::{Finding, GateReport, Report, Verdict};
    use crate::golden::Bless;
    use crate::report;
    use crate::standalone::Standalone;
    use crate::{BoxError, Hit, Query, retriever_fn};

    const QUIET: Bless = Bless { on: false, force: false, ci: false };
    const BLESS: Bless = Bless { on: true, force: false, ci: false };

    /// Writes a spec of these queries, each answered by `name` with its relevant document at a rank, or with
    /// nothing at rank 0.
    fn toy(folder: &Path, name: &str, ranks: &[(&str, usize)], gates: &str) -> PathBuf {
        let mut spec = String::from("version: 1\nbenchmark: toy\ngolden: golden\ndepth: 10\n");
        spec += "collection:\n  inline:\n    documents: {r: relevant, n1: noise}\n    queries:\n";
        let mut run = String::new();
        for (query, rank) in ranks {
            writeln!(spec, "    - {{id: {query}, text: question, relevant: {{r: 1}}}}").unwrap();
            for other in 1..*rank {
                writeln!(run, "{query} Q0 n{other} {other} {} run", 9 - other).unwrap();
            }
            if *rank > 0 {
                writeln!(run, "{query} Q0 r {rank} {} run", 9 - rank).unwrap();
            }
        }
        write!(spec, "configurations:\n  {name}: {{run: mine.run, order: rank}}\nmetrics: [RR@10]\n{gates}")
            .unwrap();
        fs::write(folder.join("mine.run"), run).unwrap();
        fs::write(folder.join("toy.yaml"), spec).unwrap();
        folder.join("toy.yaml")
    }

    fn carry_out(spec: &Path, bless: Bless) -> Report {
        let benchmark = Standalone::new().blessing(bless).open(spec).unwrap();
        let report = benchmark.run();
        benchmark.bless_measured().unwrap();
        report
    }

    fn gate<'a>(report: &'a Report, part: &str) -> &'a GateReport {
        report.gates.iter().find(|gate| gate.name.contains(part)).unwrap()
    }

    const GOLDEN: &str = "comparisons:\n  - {candidate: new, baseline: golden, metrics: [RR@10]}\n  \
                          - {candidate: new, baseline: golden, expect: identical}\n";

    #[test]
    fn golden_is_compared_over_the_queries_that_both_have() {
        let folder = tempfile::tempdir().unwrap();
        // q05 was not answered, q99 is gone since, and q06 is new.
        let then = [("q01", 2), ("q02", 2), ("q03", 2), ("q04", 2), ("q05", 0), ("q99", 1)];
        carry_out(&toy(folder.path(), "new", &then, GOLDEN), BLESS);
        let now = [("q01", 1), ("q02", 1), ("q03", 2), ("q04", 2), ("q05", 1), ("q06", 1)];
        let report = carry_out(&toy(folder.path(), "new", &now, GOLDEN), QUIET);
        let scores = gate(&report, "::RR@10");
        let Finding::Comparison(finding) = &scores.finding else { panic!("{scores:?}") };
        assert_eq!((scores.verdict, finding.queries, finding.unpaired), (Verdict::Passed, 5, 2));
        // 1/2 (4 times) and 0 became 1, 1, 1/2, 1/2, 1: 2/5 and 4/5
        assert!((finding.baseline_mean - 0.4).abs() < 1e-12 && (finding.candidate_mean - 0.8).abs() < 1e-12);
        let caution = "the golden is 0.4000 below today's: bless again to keep the gain";
        assert!(finding.cautions.iter().any(|said| said.to_string() == caution), "{:?}", finding.cautions);
        let identical = gate(&report, "::identical");
        let Finding::Overlap(finding) = &identical.finding else { panic!("{identical:?}") };
        assert_eq!(
            (identical.verdict, finding.likeness.identical, finding.unpaired),
            (Verdict::Failed, 2, 2)
        );
        let seen: Vec<_> = finding.differing.iter().map(|one| (one.query.as_str(), one.rank)).collect();
        assert_eq!(seen, [("q05", 1), ("q01", 1), ("q02", 1)], "the least alike first");
        assert_eq!(identical.inputs_changed, [Input::Queries, Input::Judgments]);
        assert_eq!(identical.advice[0].action, "RANKGATE_BLESS=1 cargo test");
    }

    #[test]
    fn what_a_passing_gate_left_out_and_inputs_that_changed_are_said_in_every_rendering() {
        let folder = tempfile::tempdir().unwrap();
        let queries = [("q01", 1), ("q02", 2), ("q03", 1)];
        carry_out(&toy(folder.path(), "new", &queries[..2], GOLDEN), BLESS);
        let report = carry_out(&toy(folder.path(), "new", &queries, GOLDEN), QUIET);
        let (text, summary) = (report::text(&report), report::summary_line(&report));
        assert!(text.starts_with("toy: 2 passed\n"), "{text}");
        let warning = "inputs changed since new was blessed: queries, judgments";
        let seen = "2 of 2 queries identical, 1 query left out; inputs changed: queries, judgments";
        let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let renderings = [plain(&text), report::markdown(&report), report::html(&report)];
        for said in renderings.iter().chain([&summary]) {
            assert!(said.contains(warning), "{said}");
        }
        for said in &renderings {
            // Its column in a terminal is narrow.
            let (first, last) = seen.split_once(" left out").unwrap();
            assert!(said.contains(first.split_once(", ").unwrap().0) && said.contains(last), "{said}");
            assert!(said.contains("1 query left out"), "{said}");
        }
        let json = report::json(&report);
        assert!(json.contains("\"unpaired\": 1") && json.contains("\"inputs_changed\": ["), "{json}");
    }

    #[test]
    fn the_golden_run_of_another_configuration_passes_no_gate_and_that_of_a_renamed_one_does() {
        let folder = tempfile::tempdir().unwrap();
        let ranks = [("q01", 1), ("q02", 2)];
        let spec = toy(folder.path(), "new", &ranks, GOLDEN);
        let two = |text: String| {
            text.replace("configurations:\n", "configurations:\n  old: {run: mine.run, order: rank}\n")
        };
        fs::write(&spec, two(fs::read_to_string(&spec).unwrap())).unwrap();
        carry_out(&spec, BLESS);
        let golden = |name: &str| folder.path().join(format!("golden/toy/{name}.run"));
        fs::copy(golden("old"), golden("new")).unwrap();
        for gate in carry_out(&spec, QUIET).gates {
            let Finding::Undecided { reason } = &gate.finding else { panic!("{gate:?}") };
            assert_eq!(gate.verdict, Verdict::Errored);
            assert!(reason.contains("the blessed run of `old`, which the spec has too"), "{reason}");
        }
        // No other configuration is called that now.
        let renamed = toy(folder.path(), "new", &ranks, GOLDEN);
        assert!(carry_out(&renamed, QUIET).gates.iter().all(|gate| gate.verdict == Verdict::Passed));
    }

    #[test]
    fn queries_that_are_no_longer_answered_are_said_of_a_gate_that_passes() {
        let folder = tempfile::tempdir().unwrap();
        // What is not answered any more had found nothing before: no score moves.
        let then = [("q01", 1), ("q02", 2), ("q03", 3)];
        let gates = "comparisons:\n  - {candidate: new, baseline: golden, metrics: [RR@2]}\n";
        carry_out(&toy(folder.path(), "new", &then, gates), BLESS);
        let now = [("q01", 1), ("q02", 2), ("q03", 0)];
        let report = carry_out(&toy(folder.path(), "new", &now, gates), QUIET);
        let passed = gate(&report, "::RR@2");
        let Finding::Comparison(finding) = &passed.finding else { panic!("{passed:?}") };
        assert_eq!((passed.verdict, finding.difference, finding.unanswered), (Verdict::Passed, 0.0, 1));
        for said in [report::markdown(&report), report::html(&report), report::message(&report, passed)] {
            let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(said.contains("left unanswered"), "{said}");
        }
        // Answered by neither is no change.
        carry_out(&toy(folder.path(), "new", &now, gates), BLESS);
        let report = carry_out(&toy(folder.path(), "new", &now, gates), QUIET);
        let Finding::Comparison(finding) = &gate(&report, "::RR@2").finding else { panic!() };
        assert_eq!(finding.unanswered, 0);
    }

    #[test]
    fn documents_that_changed_since_blessing_are_said_of_a_gate_that_passes() {
        let folder = tempfile::tempdir().unwrap();
        let spec = toy(folder.path(), "new", &[("q01", 2), ("q02", 2)], &format!("{GOLDEN}snapshot: true\n"));
        carry_out(&spec, BLESS);
        let text = fs::read_to_string(&spec).unwrap().replace(", n1: noise", ", n1: other noise");
        fs::write(&spec, text).unwrap();
        let report = carry_out(&spec, QUIET);
        for gate in &report.gates {
            assert_eq!((gate.verdict, &gate.inputs_changed[..]), (Verdict::Passed, &[Input::Documents][..]));
        }
        assert_eq!(report.gates.len(), 3);
        // How many there are is in the snapshot, whatever else was selected.
        fs::write(
            &spec,
            fs::read_to_string(&spec).unwrap().replace("{r: relevant, ", "{r: relevant, n2: noise, "),
        )
        .unwrap();
        let benchmark = Standalone::new().blessing(QUIET).open(&spec).unwrap();
        let report = benchmark.run_where(|gate| gate.name.ends_with("snapshot"));
        let Finding::Snapshot(finding) = &report.gates[0].finding else { panic!("{report:?}") };
        let plain = finding.diff.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(plain.contains("- documents 2 + documents 3"), "{plain}");
    }

    #[test]
    fn a_golden_run_that_lost_queries_passes_no_gate_and_says_how_to_restore_it() {
        let folder = tempfile::tempdir().unwrap();
        let gates = format!(
            "{GOLDEN}  - {{candidate: new, baseline: golden, expect: overlap, cutoff: 3, min: 1.0}}\n"
        );
        let spec = toy(folder.path(), "new", &[("q01", 1), ("q02", 1)], &gates);
        carry_out(&spec, BLESS);
        let path = folder.path().join("golden/toy/new.run");
        let text = fs::read_to_string(&path).unwrap();
        let lost: Vec<&str> = text.lines().filter(|line| !line.starts_with("q02 ")).collect();
        fs::write(&path, lost.join("\n")).unwrap();
        let report = carry_out(&toy(folder.path(), "new", &[("q01", 1), ("q02", 2)], &gates), QUIET);
        for gate in &report.gates {
            let Finding::Undecided { reason } = &gate.finding else { panic!("{gate:?}") };
            assert_eq!(gate.verdict, Verdict::Errored);
            assert!(reason.ends_with("2 queries were blessed and it holds 1"), "{reason}");
            assert!(gate.advice[0].action.starts_with("git checkout -- "), "{:?}", gate.advice);
        }
        assert!(
            report.warnings.iter().any(|warning| warning.contains("it holds 1")),
            "{:?}",
            report.warnings
        );
    }

    #[test]
    fn a_blessed_run_without_todays_queries_under_their_hash_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let spec = toy(folder.path(), "new", &[("q01", 1), ("q02", 1)], GOLDEN);
        carry_out(&spec, BLESS);
        let path = folder.path().join("golden/toy/new.run");
        let GoldenRun { configuration, run, inputs, .. } = GoldenRun::read(&path).unwrap().unwrap();
        let rankings = run.iter().take(1).map(|(query, hits)| (query, hits.to_vec()));
        // Sealed like any other.
        let run = Arc::new(crate::Run::from_rankings(rankings).unwrap());
        let lost = GoldenRun { configuration, run, inputs, unanswered: Vec::new() };
        lost.write(&path).unwrap();
        let report = carry_out(&spec, QUIET);
        let Finding::Undecided { reason } = &report.gates[0].finding else { panic!("{report:?}") };
        assert!(reason.ends_with("blessed on today's queries, and 1 of them are missing"), "{reason}");
    }

    #[test]
    fn a_retriever_that_rewrites_golden_files_is_compared_with_what_stood_there_before() {
        let folder = tempfile::tempdir().unwrap();
        let gates = format!("{GOLDEN}snapshot: true\n");
        let spec = toy(folder.path(), "new", &[("q01", 1), ("q02", 1)], &gates);
        let text = fs::read_to_string(&spec).unwrap();
        fs::write(&spec, text.replace("{run: mine.run, order: rank}", "{retriever: mine}")).unwrap();
        let carry_out =
            |bless: Bless, documents: &'static [&'static str], meanwhile: Option<[Vec<u8>; 2]>| {
                let golden = folder.path().join("golden/toy");
                let answer = move |_: &Query, _: usize| {
                    for (file, bytes) in ["new.run", "new.snap"].iter().zip(meanwhile.iter().flatten()) {
                        fs::write(golden.join(file), bytes).map_err(BoxError::from)?;
                    }
                    Ok(documents
                        .iter()
                        .zip([2.0, 1.0])
                        .map(|(document, score)| Hit::new(*document, score))
                        .collect())
                };
                let mut registry = Registry::new();
                registry.retrievers.register("mine", move |_| Ok(retriever_fn(answer.clone()))).unwrap();
                let benchmark = Standalone::new().registry(registry).blessing(bless).open(&spec).unwrap();
                let report = benchmark.run();
                benchmark.bless_measured().unwrap();
                report.gates.iter().map(|gate| gate.verdict).collect::<Vec<_>>()
            };
        let files = || {
            ["run", "snap"].map(|end| fs::read(folder.path().join(format!("golden/toy/new.{end}"))).unwrap())
        };
        carry_out(BLESS, &["n1", "r"], None);
        let worse = files();
        carry_out(BLESS, &["r", "n1"], None);
        assert_eq!(carry_out(QUIET, &["r", "n1"], None), [Verdict::Passed; 3]);
        let verdicts = carry_out(QUIET, &["n1", "r"], Some(worse.clone()));
        assert_eq!(files(), worse, "it was rewritten");
        // Two queries show no regression.
        assert_eq!(verdicts, [Verdict::Passed, Verdict::Failed, Verdict::Failed]);
    }

    #[test]
    fn reversed_ties_are_told_as_ties_and_other_changes_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let spec = toy(folder.path(), "new", &[("q01", 2), ("q02", 2)], "snapshot: true\n");
        let run = |documents: [&str; 2], scores: [u8; 2]| {
            let mut text = String::new();
            for query in ["q01", "q02"] {
                for (rank, (document, score)) in documents.iter().zip(scores).enumerate() {
                    writeln!(text, "{query} Q0 {document} {} {score} run", rank + 1).unwrap();
                }
            }
            fs::write(folder.path().join("mine.run"), text).unwrap();
        };
        let tied = |report: &Report| match &report.gates[0].finding {
            Finding::Snapshot(finding) => finding.tied,
            other => panic!("{other:?}"),
        };
        run(["r", "n1"], [1, 1]);
        carry_out(&spec, BLESS);
        run(["n1", "r"], [1, 1]);
        let report = carry_out(&spec, QUIET);
        assert_eq!((report.gates[0].verdict, tied(&report)), (Verdict::Failed, Some(4)));
        let message = report::message(&report, &report.gates[0]);
        let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(message.contains("same scores, other order within ties"), "{message}");
        assert!(message.contains("4 documents of equal scores changed places"), "{message}");
        run(["n1", "r"], [2, 1]);
        assert_eq!(tied(&carry_out(&spec, QUIET)), None);
    }

    #[test]
    fn a_renamed_configuration_is_told_of_the_golden_files_of_its_old_name() {
        let folder = tempfile::tempdir().unwrap();
        let queries = [("q01", 1), ("q02", 1)];
        carry_out(&toy(folder.path(), "new", &queries, &format!("{GOLDEN}snapshot: true\n")), BLESS);
        let gates = format!("{}snapshot: true\n", GOLDEN.replace("new", "newer"));
        let spec = toy(folder.path(), "newer", &queries, &gates);
        let report = carry_out(&spec, QUIET);
        for gate in &report.gates {
            let advice = &gate.advice[0];
            assert_eq!((gate.verdict, &*advice.purpose), (Verdict::Failed, "if it was called new before"));
            for ending in ["run", "snap"] {
                let [from, to] = ["new", "newer"].map(|name| format!("golden/toy/{name}.{ending}"));
                assert!(advice.action.contains(&from) && advice.action.contains(&to), "{}", advice.action);
            }
        }
        let told =
            |warning: &String| warning.contains("new.run") && warning.contains("belong to no configuration");
        assert!(report.warnings.iter().any(told), "{:?}", report.warnings);
        let health = Standalone::new().open(&spec).unwrap().health().unwrap();
        let finding = health.findings.iter().find(|one| one.code == "orphaned-golden-files").unwrap();
        assert_eq!((finding.count, finding.examples.len()), (2, 2));
    }

    #[test]
    fn where_blessing_is_refused_the_advice_is_to_bless_locally_and_commit() {
        let folder = tempfile::tempdir().unwrap();
        let spec = toy(folder.path(), "new", &[("q01", 1)], GOLDEN);
        let purpose = |ci: bool| {
            let report = carry_out(&spec, Bless { ci, ..QUIET });
            report.gates[0].advice[0].purpose.clone()
        };
        assert_eq!(purpose(true), "accept the new report and ranking (run locally, then commit)");
        assert_eq!(purpose(false), "accept the new report and ranking");
    }
}
