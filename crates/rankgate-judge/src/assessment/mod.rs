//! The questions of a spec's judge, and asking them.

mod backend;
mod batch;
mod beside_people;
mod ci;
mod grades;
mod jury;
mod merging;
mod nuggets;
mod people;
mod pruning;
mod questions;
mod strata;
mod swap;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::ask::{Asking, Budget, Earlier, Journal, Own, Progress, Tally, drawn_items};
use crate::check::{Again, JudgeCheck};
use crate::collection::Collection;
use crate::error::Quoted;
use crate::holes::{Holes, SkippedConfiguration};
use crate::judge::Judge;
use crate::probe::{Probe, probes};
use crate::spec::{AnswererPlan, Configuration, JudgePlan, Spec};
use crate::stats::Confidence;
use crate::{Error, Result};
use rankgate::benchmark::Benchmark;
use rankgate::internal::Inspection;
use rankgate::judge::{Description, Item, Pair, State, Task};

pub use self::backend::AskOptions;
use self::backend::budget;
pub use self::batch::Responses;
use self::ci::no_folder;
use self::jury::one_judge;
pub use self::merging::{Disagreement, Merging};
pub use self::nuggets::{AddedNuggets, NuggetQuestions};
pub use self::people::{AwaitedGate, Look, People};
pub use self::pruning::{Pruning, Unusable};
pub use self::questions::{item_of, questions_about};
use self::questions::{lacking, on_file, without_grade};

/// What a judge is to grade: the first documents of every configuration, as far as the spec says, and probes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Questions {
    /// The judge.
    pub judge: Description,
    /// The question about answers; none where it grades documents.
    pub task: Option<Task>,
    /// The name of the criterion, where that is the question.
    pub criterion: Option<String>,
    /// The file of its judgments.
    pub path: PathBuf,
    /// What it is asked about, by query and document; then probes, whose right answers are known.
    pub pairs: Vec<Pair>,
    /// How many of them are probes.
    pub probes: usize,
    /// Those of them that are not on file.
    pub missing: Vec<Pair>,
    /// Documents on file that have no grade, probes apart: how many, by what became of them.
    pub without_grade: BTreeMap<State, usize>,
    /// How many of the missing have a judgment of another judge, by what items call it: such as this one before its
    /// prompt was changed.
    pub by_others: BTreeMap<String, usize>,
    /// Configurations whose documents are unknown.
    pub left_out: Vec<SkippedConfiguration>,
}

impl Questions {
    /// Bytes of a pair's prompt, approximately.
    #[must_use]
    pub fn prompt_bytes(&self, pair: &Pair) -> u64 {
        pair.prompt_bytes(&self.judge)
    }
}

/// A benchmark whose documents and answers models and people judge.
#[derive(Clone, Copy)]
pub struct Assessment<'a> {
    benchmark: &'a Benchmark,
    inspection: Inspection<'a>,
    /// Whether answers are kept beside the report.
    in_ci: bool,
    earlier: Earlier,
}

impl<'a> Assessment<'a> {
    /// Nothing is read or asked before it is needed.
    #[must_use]
    pub fn new(benchmark: &'a Benchmark) -> Self {
        let inspection = Inspection::new(benchmark);
        Self { benchmark, inspection, in_ci: false, earlier: Earlier::default() }
    }

    /// The file in which answers are kept.
    fn path(&self) -> Result<PathBuf> {
        match self.in_ci {
            true => self.inspection.judgments_beside_report().ok_or_else(no_folder),
            false => self.judge()?.judgments.resolve(),
        }
    }

    /// The same while it is written; where it stands beside the report, the committed file is looked up as well.
    fn journal(&self) -> Result<Journal> {
        self.journal_at(&self.path()?)
    }

    /// A file of answers that may be another one than the spec's: questions name theirs.
    fn journal_at(&self, path: &Path) -> Result<Journal> {
        match self.in_ci {
            true => Journal::open_beside(path, &self.judge()?.judgments.resolve()?),
            false => Journal::open(path),
        }
    }

    fn spec(&self) -> &'a Spec {
        self.benchmark.spec()
    }

    fn judge(&self) -> Result<&'a JudgePlan> {
        self.benchmark.judge()
    }

    fn collection(&self) -> Result<&'a Collection> {
        self.benchmark.collection()
    }
}

impl Assessment<'_> {
    /// Asks all configurations that the spec does not ignore, and says what their first documents still lack of the
    /// judge's grades. The judge is not asked.
    ///
    /// # Errors
    ///
    /// A spec without a judge, files that cannot be read, a document that is longer than the spec allows or that the
    /// corpus does not have.
    pub fn questions(&self) -> Result<Questions> {
        let plan = self.judge()?;
        let (judge, path) = (plan.description()?, self.path()?);
        let Holes { pairs, left_out, .. } = match self.in_ci {
            true => Holes::needed_by_gates(self.benchmark)?,
            false => Holes::find(self.benchmark)?,
        };
        let collection = self.collection()?;
        let mut pairs = self.shown(&judge, pairs.into_keys())?;
        let probes = if self.in_ci { Vec::new() } else { probes(collection.queries(), judge.scale[1]) };
        let count = probes.len();
        pairs.extend(probes);
        let file = self.journal()?;
        let (missing, by_others) = file.look(|file| lacking(&judge, file, &pairs));
        let graded = &pairs[..pairs.len() - count];
        let without_grade = file.look(|file| without_grade(&judge, file, graded));
        Ok(Questions {
            judge,
            task: None,
            criterion: None,
            path,
            pairs,
            probes: count,
            missing,
            without_grade,
            by_others,
            left_out,
        })
    }

    /// The questions of the spec's judge: about documents, where a gate rests on grades of them, then about answers, as far as
    /// they are determined yet: the claims of an answer come before the verdicts on them.
    ///
    /// # Errors
    ///
    /// As of [`questions`](Self::questions).
    pub fn all_questions(&self) -> Result<Vec<Questions>> {
        let answers = self.questions_about_answers()?;
        // A spec that has answers need not have grades of documents.
        if !self.rests_on_grades() || self.in_ci && !self.spec().gates_judged_rankings() {
            return Ok(answers);
        }
        Ok(std::iter::once(self.questions()?).chain(answers).collect())
    }

    /// Asks the judge of the spec the missing questions; each answer is on the disk as soon as it is there, and the file is
    /// sorted at the end.
    ///
    /// # Errors
    ///
    /// A spec without an endpoint, an address or key that cannot be used, a file that cannot be written. That the judge
    /// does not answer is no error but said in what comes back.
    pub fn ask_judge(
        &self,
        questions: &Questions,
        how: AskOptions,
        watch: &(dyn Fn(Progress) + Sync),
    ) -> Result<Tally> {
        if questions.judge.jury.is_some() {
            return self.ask_jury(questions, how, watch);
        }
        let journal = self.journal_at(&questions.path)?;
        journal.ask_again(&questions.judge.id(), &questions.missing);
        let keep = |item| journal.keep(&questions.judge, item);
        let tally = self.ask_of(&questions.judge, &questions.missing, how, &keep, watch)?;
        journal.finish()?;
        Ok(tally)
    }

    /// The same of a judge from Rust.
    ///
    /// ```no_run
    /// use rankgate::judge::Answer;
    /// use rankgate::retriever::BoxError;
    /// use rankgate::standalone::Standalone;
    /// use rankgate::{Document, Query};
    /// use rankgate_judge::Assessment;
    ///
    /// /// Grades by the share of the query's words that a document has.
    /// fn overlap(query: &Query, document: &Document) -> Result<Answer, BoxError> {
    ///     let words: Vec<&str> = query.text.split_whitespace().collect();
    ///     let found = words.iter().filter(|word| document.text.contains(*word)).count();
    ///     Ok(Answer::graded((3 * found / words.len().max(1)) as u8))
    /// }
    ///
    /// let benchmark = Standalone::new().open("benchmarks/helpdesk.yaml")?;
    /// let assessment = Assessment::new(&benchmark);
    /// let questions = assessment.questions()?;
    /// let tally = assessment.ask_own_judge(&questions, &overlap, &|_| {})?;
    /// println!("{} judgments", tally.states.values().sum::<usize>());
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A file that cannot be written.
    pub fn ask_own_judge(
        &self,
        questions: &Questions,
        judge: &dyn Judge,
        watch: &(dyn Fn(Progress) + Sync),
    ) -> Result<Tally> {
        if questions.judge.jury.is_some() {
            return Err(one_judge());
        }
        let journal = self.journal_at(&questions.path)?;
        journal.ask_again(&questions.judge.id(), &questions.missing);
        let keep = |item| journal.keep(&questions.judge, item);
        let concurrency = std::thread::available_parallelism().map_or(1, usize::from);
        let (budget, earlier) = (Budget::default(), self.earlier);
        let asking = Asking { judge: &questions.judge, budget, earlier, concurrency, keep: &keep, watch };
        let tally = asking.run(&Own(judge, &questions.judge), &questions.missing)?;
        journal.finish()?;
        Ok(tally)
    }

    /// Asks the judge again about so many documents that it has graded, and compares. The file stays as it is.
    ///
    /// # Errors
    ///
    /// As of [`ask_judge`](Self::ask_judge); a file without judgments.
    pub fn ask_again(
        &self,
        questions: &Questions,
        count: usize,
        how: AskOptions,
        watch: &(dyn Fn(Progress) + Sync),
    ) -> Result<(Again, Tally)> {
        let id = questions.judge.id();
        let journal = Journal::open(&questions.path)?;
        // Probes are easy to answer alike.
        let asked = questions.pairs.iter().filter(|pair| Probe::kinds(&pair.document.id).is_empty());
        let before: Vec<Item> =
            journal.look(|file| asked.filter_map(|pair| on_file(file, &id, pair).cloned()).collect());
        if before.is_empty() {
            return Err(Error::in_file(
                &questions.path,
                format!("there is no judgment of {} to ask for again", Quoted(&id)),
            ));
        }
        let chosen: BTreeSet<[&str; 2]> = drawn_items(&before, count);
        let pairs: Vec<Pair> = questions
            .pairs
            .iter()
            .filter(|pair| chosen.contains(&[pair.query.id.as_str(), pair.document.id.as_str()]))
            .cloned()
            .collect();
        let (now, tally) = match questions.judge.jury {
            Some(_) => self.ask_jury_again(&questions.judge, &pairs, how, watch)?,
            None => self.items_of(&questions.judge, &pairs, how, watch)?,
        };
        let same = |before: &&Item, now: &Item| before.query == now.query && before.document == now.document;
        let both = now.iter().filter_map(|now| Some((before.iter().find(|before| same(before, now))?, now)));
        Ok((Again::from_pairs(both), tally))
    }

    /// What asking the spec's judge may cost, where the spec says it.
    #[must_use]
    pub fn judge_budget(&self) -> Option<Budget> {
        self.spec().judge.as_ref().map(budget)
    }

    /// The check of the judge from the files and from the results of configurations.
    ///
    /// # Errors
    ///
    /// Files that cannot be read.
    pub fn check_judge(&self, questions: &Questions) -> Result<JudgeCheck> {
        let judge = &questions.judge;
        let id = judge.id();
        let journal = Journal::open(&questions.path)?;
        let items: Vec<Item> = journal.look(|file| {
            questions.pairs.iter().filter_map(|pair| on_file(file, &id, pair)).cloned().collect()
        });
        let probes = questions.pairs.iter().flat_map(|pair| Probe::kinds(&pair.document.id)).collect();
        let mut check = JudgeCheck::new(judge, &probes, items.iter());
        let models =
            judge.jury.as_ref().map_or_else(|| vec![judge.model.clone()], |jury| jury.members.clone());
        let all: BTreeSet<String> = models.iter().flat_map(|model| circular(self.spec(), model)).collect();
        check.circular = all.into_iter().collect();
        check.jury = self.check_jury(questions)?;
        if let Some(task) = questions.task {
            let mut check = check.of_answers(task);
            if let Some(criterion) =
                questions.criterion.as_ref().and_then(|name| self.judge().ok()?.criterion(name))
            {
                check = check.by_criterion(criterion, items.iter());
            }
            // Which claims a text makes is nothing that people agree with or not: they edit them.
            if task == Task::Claims {
                return Ok(check);
            }
            let mut check = self.check_claims(check, (task, questions.criterion.clone()))?;
            check.error_sources = self.error_sources(questions)?;
            return Ok(check);
        }
        let grades = self.beside(&items)?;
        let mut check = check.beside_people(&grades, judge.scale[1], Confidence::default())?;
        check.order = self.ordered(&items)?;
        check.errors = self.errors_alike(None)?;
        check.error_sources = self.error_sources(questions)?;
        check.corrections = self.corrections(None);
        Ok(check)
    }
}

impl Assessment<'_> {
    /// Asks about documents again whose questions came to one of these states: they are missing from now on.
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn ask_again_about(&self, questions: &mut Questions, states: &[State]) -> Result<()> {
        let id = questions.judge.id();
        let file = Journal::open(&questions.path)?;
        let again = file.look(|file| {
            let in_state =
                |pair: &&Pair| on_file(file, &id, pair).is_some_and(|item| states.contains(&item.state));
            questions.pairs.iter().filter(in_state).cloned().collect::<Vec<Pair>>()
        });
        questions.missing.extend(again);
        Ok(())
    }
}

/// Configurations in whose words the judge's model is named.
fn circular(spec: &Spec, model: &str) -> Vec<String> {
    // `qwen/qwen2.5-7b:latest` and `qwen2.5-7b` are one model.
    let bare = |name: &str| {
        let name = name.rsplit('/').next().unwrap_or(name);
        name.trim_end_matches(":latest").to_lowercase()
    };
    let model = bare(model);
    if model.is_empty() {
        return Vec::new();
    }
    let names_it = |one: &&Configuration| {
        let answerer = one.answerer.as_ref().map_or(String::new(), AnswererPlan::words);
        (one.source.words() + &answerer).to_lowercase().contains(&model)
    };
    spec.configurations.iter().filter(names_it).map(|one| one.name.clone()).collect()
}

#[cfg(feature = "http")]
mod server;

#[cfg(not(feature = "http"))]
mod server {
    use crate::ask::{JudgeBackend, JudgeReply};
    use crate::spec::JudgePlan;
    use crate::{Error, ErrorKind, Result};
    use rankgate::internal::Secrets;
    use rankgate::judge::{Description, Pair};

    pub(super) fn secrets(_: &JudgePlan) -> Secrets {
        Secrets::default()
    }

    pub(super) struct Nobody;

    impl JudgeBackend for Nobody {
        fn ask(&self, _: &Pair) -> JudgeReply {
            JudgeReply::Stop("asking a judge needs rankgate's feature `http`".to_owned())
        }

        fn size(&self, _: &Pair) -> u64 {
            0
        }
    }

    pub(super) fn open(_: &JudgePlan, _: &Description) -> Result<Nobody> {
        Err(Error::with_kind(ErrorKind::Setup, "asking a judge needs rankgate's feature `http`"))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::collection::{Document, Query};
    use rankgate::BoxError;
    use rankgate::judge::Answer;
    use rankgate::standalone::Standalone;

    const SPEC: &str = "version: 1
benchmark: toy
collection:
  inline:
    documents: {d1: one, d2: two two, d3: three}
    queries: [{id: q1, text: one, relevant: [d1]}, {id: q2, text: two, relevant: [d1]}]
configurations: {mine: {run: mine.run}, named: {retriever: mine, params: {model: org/Cross-Encoder}}}
thresholds: [{metric: P@3, min: 0.1}]
judge: {model: cross-encoder, judgments: judged.jsonl}
";

    /// One more than there are words alike; nothing of the third document.
    fn own(query: &Query, document: &Document) -> Result<Answer, BoxError> {
        match document.id.as_str() {
            "d3" => Err("no such document".into()),
            _ => Ok(Answer::graded(document.text.matches(query.text.as_str()).count().min(3) as u8)),
        }
    }

    #[test]
    fn a_judge_from_rust_is_asked_for_what_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("toy.yaml"), SPEC).unwrap();
        fs::write(path("mine.run"), "q1 Q0 d1 1 3 m\nq1 Q0 d2 2 2 m\nq2 Q0 d2 1 3 m\nq2 Q0 d3 2 2 m\n")
            .unwrap();
        let mut registry = rankgate::benchmark::Registry::new();
        registry.any_retriever();
        let benchmark = Standalone::new().registry(registry).open(path("toy.yaml")).unwrap();
        let benchmark = Assessment::new(&benchmark);
        let questions = benchmark.questions().unwrap();
        // Three documents that nobody judged, and four probes of each query.
        assert_eq!((questions.pairs.len(), questions.probes, questions.missing.len()), (11, 8, 11));
        assert_eq!(questions.left_out[0].configuration, "named");
        let tally = benchmark.ask_own_judge(&questions, &own, &|_| {}).unwrap();
        assert_eq!((tally.states[&State::Graded], tally.failed), (10, 1));
        assert_eq!(tally.first_failure.unwrap(), ["q2", "d3", "no such document"]);
        let again = benchmark.questions().unwrap();
        assert_eq!(again.missing.iter().map(|pair| pair.document.id.as_str()).collect::<Vec<_>>(), ["d3"]);
        let check = benchmark.check_judge(&again).unwrap();
        assert_eq!((check.circular.as_slice(), check.agreement), (&["named".to_owned()][..], None));
        // A grade counts whoever returns the document: what could not be asked keeps nothing from being pruned.
        assert_eq!(benchmark.prune_judgments(&[again]).unwrap().count(), 0);
    }
}
