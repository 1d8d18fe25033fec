//! The same of what models and people judge.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use crate::Result;
use crate::analysis::{Piece, PieceState, error_tests};
use crate::collection::{Collection, Query};
use crate::gate::{Gate, Judged};
use crate::judge::{JudgmentsFile, Pair, Task};
use crate::measure::connect::{program, starting};
use crate::measure::{AnswerMetric, JudgedPiece};
use crate::metric::Metric;
use crate::model::{CorrectedReport, ErrorTest, Finding, GateReport};
use crate::spec::{JudgePlan, PathTemplate, Template};
use crate::stats::Stream;
use crate::transport::program::Program;

use super::Inspection;
use crate::benchmark::Benchmark;

/// A claim, nugget or answer that people judge.
#[derive(Clone, Debug)]
pub struct ClaimForPeople {
    /// The query.
    pub query: Query,
    /// What it is called.
    pub id: String,
    /// What people are shown.
    pub text: String,
    /// What is judged of it: the claim, nugget, sentence or answer.
    pub claim: String,
    /// The whole answer.
    pub answer: String,
    /// The configurations whose answers it is about, and what was blessed of them.
    pub configurations: BTreeSet<String>,
    /// The judge's verdict on it.
    pub judged: Option<u8>,
}

/// The means of configurations by people and by a judge: the metric, over how many queries, by configuration.
type Means = (Metric, usize, Vec<(String, [f64; 2])>);

/// A kind of question about answers, with the name of the criterion where it is one.
type QuestionKind = (Task, Option<String>);

/// Questions for a judge.
type PairsByKind = BTreeMap<QuestionKind, Vec<Pair>>;

/// A configuration whose answers cannot be read, and why.
type Unreadable = (String, crate::Error);

impl Inspection<'_> {
    /// The queries that were drawn for people to check the spec's judge by.
    ///
    /// # Errors
    /// A spec without a judge, files that cannot be read.
    pub fn drawn_queries(&self) -> Result<BTreeSet<String>> {
        Ok(self.cache().judged_files()?.judges.drawn.clone())
    }

    /// The file of judgments beside the report; `None` where no folder has reports.
    #[must_use]
    pub fn judgments_beside_report(&self) -> Option<PathBuf> {
        self.cache().context.judgments_beside_report(self.cache().name())
    }

    /// The file of questions that this machine does not ask; `None` where no folder has reports.
    #[must_use]
    pub fn unasked_questions(&self) -> Option<PathBuf> {
        self.cache().context.beside_report(self.cache().name(), crate::judge::Unasked::FILE)
    }

    /// The benchmark with another judge, or with files of judgments that are read again. What was measured stays: no retriever runs twice.
    #[must_use]
    pub fn with_judge(&self, judge: Option<JudgePlan>) -> Benchmark {
        self.0.with_cache(self.cache().with_judge(judge))
    }

    /// What comes of the gates that rest on judgments of a model.
    #[must_use]
    pub fn judged_gates(&self) -> Vec<GateReport> {
        let spec = self.0.spec();
        let is_judged =
            |gate: &Gate| gate.kind.kind().judged(spec.entries()).is_some() && self.0.ignored(gate).is_none();
        let gates = spec.gates.iter().enumerate().filter(|(_, gate)| is_judged(gate));
        gates.map(|(at, _)| self.0.decisions.report_of(at)).collect()
    }

    /// Whether any gate needs the texts of contexts.
    #[must_use]
    pub fn judges_answers(&self) -> bool {
        !self.cache().metrics_of_answers().is_empty()
    }

    /// The metrics of gates that take a reference answer of each query.
    #[must_use]
    pub fn metrics_of_references(&self) -> Vec<Metric> {
        let needs =
            |metric: &Metric| AnswerMetric::from_metric(metric).is_some_and(AnswerMetric::needs_reference);
        self.cache().metrics_of_answers().into_iter().filter(needs).collect()
    }

    /// The program of a judge, as the words of the spec name it.
    ///
    /// # Errors
    /// Variables that are not set.
    pub fn program(&self, command: &[Template], folder: &PathTemplate) -> Result<Program> {
        program(command, folder, &[])
    }

    /// Starts a program and notifies the observer of its start, since its greeting may take long.
    pub fn starting<T>(&self, program: &Program, limit: Duration, start: impl FnOnce() -> T) -> T {
        let _watched = starting(self.cache().context.observer(), program, limit);
        start()
    }

    /// The kinds of questions about answers that gates rest on.
    #[must_use]
    pub fn questions_of_answers(&self) -> BTreeSet<QuestionKind> {
        self.cache().metrics_of_answers().iter().filter_map(AnswerMetric::question_kind).collect()
    }

    /// Questions for a judge about answers, as far as the file determines them; and the configurations whose
    /// answers cannot be read.
    ///
    /// # Errors
    /// A collection that cannot be read.
    pub fn pairs_about_answers(&self, file: &JudgmentsFile) -> Result<(PairsByKind, Vec<Unreadable>)> {
        let (wanted, left) = self.cache().wanted_of_answers(file)?;
        let pairs =
            wanted.into_iter().map(|(kind, all)| (kind, all.into_iter().map(|one| one.pair).collect()));
        Ok((pairs.collect(), left))
    }

    /// Claims, nuggets and answers of the drawn queries, those of one kind of question where one is given.
    ///
    /// # Errors
    /// Files that cannot be read.
    pub fn claims_for_people(
        &self,
        drawn: &BTreeSet<&str>,
        kind: Option<&QuestionKind>,
    ) -> Result<Vec<ClaimForPeople>> {
        let claim = |JudgedPiece { query, piece, answer, sources }: JudgedPiece| ClaimForPeople {
            query,
            id: piece.id,
            text: piece.people,
            claim: piece.text,
            answer,
            configurations: sources,
            judged: match piece.state {
                PieceState::Graded(grade) => Some(grade),
                _ => None,
            },
        };
        Ok(self.cache().claims_for_people(drawn, kind)?.into_iter().map(claim).collect())
    }

    /// Whether the judge errs alike on grades of the last delivery and on earlier ones, and on what each configuration returns and on all
    /// else that people judged: by metric of gates that carry its errors over, each with the configuration where it is of one.
    ///
    /// # Errors
    /// Files that cannot be read.
    pub fn error_tests(
        &self,
        kind: Option<&QuestionKind>,
    ) -> Result<Vec<(Metric, Option<String>, ErrorTest)>> {
        let (spec, cache) = (self.0.spec(), self.cache());
        let mut metrics: Vec<&Metric> = Vec::new();
        for gate in &spec.gates {
            let one = gate.kind.kind();
            let is_meant = |metric: &Metric| AnswerMetric::question_kind(metric).as_ref() == kind;
            if one.judged(spec.entries()) == Some(Judged::Calibrated)
                && let Some(metric) =
                    one.metric().filter(|metric| is_meant(metric) && !metrics.contains(metric))
            {
                metrics.push(metric);
            }
        }
        let mut found: Vec<(Metric, Option<String>, ErrorTest)> = Vec::new();
        for metric in metrics {
            let files = cache.judged_files_of(Some(metric))?;
            let stream =
                Stream::new(spec.statistics.seed).for_name(cache.name()).for_name(&files.judges.judge);
            for configuration in spec.configurations.iter().filter(|one| one.ignore.is_none()) {
                let evaluation = match metric.is_of_answers() {
                    true => match cache.answer_files(metric)?.side_if_there(&configuration.name) {
                        Some(Ok(side)) => side.evaluation.clone(),
                        // What keeps it from being read is said by its gates.
                        Some(Err(_)) | None => continue,
                    },
                    false => cache.measurement(configuration)?.evaluation.clone(),
                };
                for test in error_tests(&files.judges, &evaluation, metric, &stream)? {
                    let of = test.is_of_configuration().then(|| configuration.name.clone());
                    // The deliveries are the same whichever configuration is looked at.
                    if of.is_some() || !found.iter().any(|(known, of, _)| known == metric && of.is_none()) {
                        found.push((metric.clone(), of, test));
                    }
                }
            }
        }
        Ok(found)
    }

    /// The gates that people's grades correct, on what a kind of question is about, each with the interval that decides it. Those that
    /// have no value yet are left out.
    #[must_use]
    pub fn corrections(&self, kind: Option<&QuestionKind>) -> Vec<(String, CorrectedReport, [f64; 2])> {
        let spec = self.0.spec();
        let mut found = Vec::new();
        for (index, gate) in spec.gates.iter().enumerate() {
            let one = gate.kind.kind();
            let is_meant = |metric: &Metric| AnswerMetric::question_kind(metric).as_ref() == kind;
            if one.judged(spec.entries()) != Some(Judged::Corrected) || !one.metric().is_some_and(is_meant) {
                continue;
            }
            let (corrected, interval) = match self.0.decide(index).finding {
                Finding::Threshold(finding) => (finding.corrected, finding.measured.interval),
                Finding::Comparison(finding) => (finding.corrected, finding.t_interval),
                _ => continue,
            };
            if let (Some(corrected), Some(interval)) = (corrected, interval) {
                found.push((gate.name.clone(), corrected, interval));
            }
        }
        found
    }

    /// What configurations come to by people's and by the judge's word on the claims of drawn queries that people have
    /// judged throughout.
    ///
    /// # Errors
    /// Files that cannot be read.
    pub fn order_by_claims(&self, kind: &QuestionKind) -> Result<Option<Means>> {
        let of_kind = |metric: &Metric| {
            !metric.is_diagnostic() && AnswerMetric::question_kind(metric).as_ref() == Some(kind)
        };
        let Some(metric) = self.cache().metrics_of_answers().into_iter().find(of_kind) else {
            return Ok(None);
        };
        let files = self.cache().answer_files(&metric)?;
        let judges = &files.files.judges;
        let (mut configurations, mut queries) = (Vec::new(), 0);
        for configuration in self.0.spec().configurations.iter().filter(|one| one.ignore.is_none()) {
            let Some(Ok(side)) = files.side_if_there(&configuration.name) else { continue };
            let judged = |query: &Query| {
                let known = |piece: &Piece| judges.by_people.qrels().grade(&query.id, &piece.id).is_some();
                judges.drawn.contains(&query.id)
                    && side.pieces.get(&query.id).is_some_and(|pieces| pieces.iter().all(known))
            };
            let Some(kept) = side.evaluation.keeping(judged) else { continue };
            let mean = |collection: &Collection| kept.rejudged(collection)?.value(&metric);
            if let (Ok(people), Ok(judge)) = (mean(&judges.by_people), mean(&judges.by_model[0])) {
                queries = queries.max(kept.queries().len());
                configurations.push((configuration.name.clone(), [people, judge]));
            }
        }
        Ok(Some((metric, queries, configurations)))
    }
}
