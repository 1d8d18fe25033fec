//! What configurations answered, as the claims that a metric counts: rankings of claims, judged like documents.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::collection::{Collection, Document, Qrels, Query};
use crate::evaluation::{Evaluation, Judging};
use crate::finding::Judges;
use crate::gate::GateKind;
use crate::judge::{HumansFile, JudgmentsFile, sha256};
use crate::metric::Metric;
use crate::model::AnswersReport;
use crate::rag::{
    Answers, Counts, LeftOut, Look, Looker, OfAnswers, Piece, PieceState, Shown, Wanted, check_reference,
};
use crate::run::{Hit, Run};
use crate::spec::{Configuration, JudgePlan};
use crate::{Error, Result};

use super::Cache;
use super::judged::{JudgedFiles, changed, check_draw, humans};

/// The highest grade of what has none.
const HIGHEST: i32 = 3;

/// The answers of one configuration under one metric.
pub(crate) struct AnswersOf {
    /// The claims of each query that the metric is taken over, as rankings.
    pub(crate) evaluation: Evaluation,
    /// By query.
    pub(crate) pieces: BTreeMap<String, Vec<Piece>>,
    /// By query, what the model was given.
    pub(crate) contexts: BTreeMap<String, Vec<String>>,
    /// What is counted of them.
    pub(crate) report: AnswersReport,
}

/// All answers that gates on a metric look at, and what the judge and people said of their claims.
pub(crate) struct AnswerFiles {
    pub(crate) files: Arc<JudgedFiles>,
    sides: BTreeMap<String, Result<Arc<AnswersOf>>>,
}

impl AnswerFiles {
    /// Those of a configuration.
    pub(crate) fn side(&self, configuration: &str) -> Result<Arc<AnswersOf>> {
        let none = || Err(Error::invalid(format!("{configuration} gives no answers")));
        self.sides.get(configuration).cloned().unwrap_or_else(none)
    }
}

impl Cache {
    /// What there is to know of a metric of answers, read once.
    pub(crate) fn answer_files(&self, metric: &Metric) -> Result<Arc<AnswerFiles>> {
        let known = || self.answered.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let key = metric.to_string();
        if let Some(files) = known().get(&key) {
            return files.clone();
        }
        let read = self.read_answers(metric).map(Arc::new);
        known().entry(key).or_insert(read).clone()
    }

    /// The configurations whose answers gates on this metric look at.
    fn answering(&self, metric: &Metric) -> BTreeSet<&str> {
        let spec = &self.spec;
        let of_gate = |kind: &GateKind| match kind {
            GateKind::Threshold { metric: of, .. } => of == metric,
            GateKind::Comparison { metric: of, .. } => of.as_ref() == Some(metric),
            GateKind::Snapshot | GateKind::Deterministic | GateKind::Latency { .. } => false,
        };
        let gates = spec.gates.iter().filter(|gate| of_gate(&gate.kind));
        gates.flat_map(|gate| spec.configurations_of(gate)).map(|one| one.name.as_str()).collect()
    }

    /// Looks at every answer that gates on this metric look at.
    pub(crate) fn looks<T>(
        &self,
        metric: &Metric,
        file: &JudgmentsFile,
        mut take: impl FnMut(&str, Result<Vec<(Query, Look, Vec<String>)>>) -> T,
    ) -> Result<Vec<T>> {
        let plan = self.judge_plan()?;
        let looker = Looker::new(file, metric, |task| plan.task(task))?;
        let mut all = Vec::new();
        for name in self.answering(metric) {
            let configuration = self.configuration(name)?;
            all.push(take(name, self.look_at(configuration, plan, &looker)));
        }
        Ok(all)
    }

    fn judge_plan(&self) -> Result<&JudgePlan> {
        self.spec.judge.as_ref().ok_or_else(|| Error::invalid("this spec has no `judge`"))
    }

    /// The answers of a configuration, query by query.
    fn look_at(
        &self,
        configuration: &Configuration,
        plan: &JudgePlan,
        looker: &Looker<'_>,
    ) -> Result<Vec<(Query, Look, Vec<String>)>> {
        let none = || Error::invalid(format!("{} gives no answers", configuration.name));
        let answers = Answers::read(&configuration.answers.as_ref().ok_or_else(none)?.resolve()?)?;
        let measured = self.measurement(configuration)?;
        let evaluation = &measured.evaluation;
        let collection = self.collection()?;
        let known = |(query, _): &(&str, _)| collection.query(query).is_some();
        if !answers.iter().any(|one| known(&one)) {
            let query = answers.iter().next().map_or("none", |(query, _)| query);
            let judged = evaluation.queries().first().map(|query| query.id.as_str());
            return Err(crate::evaluation::foreign_run("the file of answers", Some(query), judged));
        }
        // What the model was given: as the file says, else all that was retrieved.
        let given = |query: &Query| -> Vec<(String, Option<String>)> {
            match answers.get(&query.id).and_then(|answer| answer.contexts.as_ref()) {
                Some(contexts) => contexts.iter().map(|one| (one.id.clone(), one.text.clone())).collect(),
                None => {
                    let top = evaluation.top(0, &query.id, evaluation.depth());
                    top.into_iter().map(|id| (id.to_owned(), None)).collect()
                }
            }
        };
        let given: Vec<Vec<(String, Option<String>)>> = evaluation.queries().iter().map(given).collect();
        let lacking = given.iter().flatten().filter(|(_, text)| text.is_none()).map(|(id, _)| id.as_str());
        let found: HashMap<String, Document> = super::documents(collection, lacking)?;
        let description = plan.description()?;
        let mut looks = Vec::new();
        for (query, given) in evaluation.queries().iter().zip(given) {
            check_reference(query)?;
            let shown = |(id, text): &(String, Option<String>)| {
                let text = match text {
                    Some(text) => description.shown(id, text)?.into_owned(),
                    None => {
                        let missing = || {
                            Error::of(
                                crate::ErrorKind::Missing,
                                format!(
                                    "the context `{id}` of query `{}` has no text: it is not in the corpus, and the \
                                     file of answers does not give it",
                                    query.id
                                ),
                            )
                        };
                        description.shown_of(found.get(id).ok_or_else(missing)?)?
                    }
                };
                Ok(Shown { id: id.clone(), text })
            };
            let shown: Vec<Shown> = given.iter().map(shown).collect::<Result<_>>()?;
            let look = looker.look(query, answers.get(&query.id), &shown);
            looks.push((query.clone(), look, shown.into_iter().map(|one| one.id).collect()));
        }
        Ok(looks)
    }

    fn read_answers(&self, metric: &Metric) -> Result<AnswerFiles> {
        let (plan, collection) = (self.judge_plan()?, self.collection()?);
        let file = JudgmentsFile::read(&plan.judgments.resolve()?, false)?;
        let people = match &plan.humans {
            Some(path) => humans(&path.resolve()?)?,
            None => None,
        };
        let of = OfAnswers::of(metric).ok_or_else(|| Error::invalid(format!("{metric} is not of answers")))?;
        let description = plan.task(of.task())?;
        let judge = description.id();
        let mut all = Pieces::default();
        let looked = self.looks(metric, &file, |name, looks| {
            let side = looks.map(|looks| all.take(name, looks));
            (name.to_owned(), side)
        })?;
        let base = collection.judged_as(all.qrels(|piece| match piece.state {
            PieceState::Fixed(grade) => Some(i32::from(grade)),
            PieceState::Graded(_) | PieceState::Abstained | PieceState::Missing => None,
        })?);
        let reading = |abstained: Option<i32>| {
            all.qrels(|piece| match piece.state {
                PieceState::Fixed(grade) | PieceState::Graded(grade) => Some(i32::from(grade)),
                PieceState::Abstained => abstained,
                PieceState::Missing => None,
            })
        };
        let readings =
            [collection.judged_as(reading(None)?), collection.judged_as(reading(Some(HIGHEST))?)];
        let (by_people, drawn, said) = self.claims_by_people(&base, people.as_ref(), &all)?;
        let mut sides = BTreeMap::new();
        for (name, side) in looked {
            let made = side.and_then(|taken| self.side(&name, &base, taken));
            sides.insert(name, made.map(Arc::new));
        }
        let sample = people.as_ref().map(|people| &people.sample);
        let is_drawn_for = |judges: &String| judges.split(' ').any(|one| one == judge);
        let files = JudgedFiles {
            judges: Judges {
                of_this_judge: sample.is_some_and(|sample| sample.judge.as_ref().is_some_and(is_drawn_for)),
                of: sample.map_or(0, |sample| sample.of),
                model: plan.model.clone(),
                base,
                by_model: readings,
                by_people,
                drawn,
                abstained: all.abstained(),
                segments: self.spec.segments.clone(),
                judge: judge.clone(),
            },
            elsewhere: all.elsewhere(&file, &judge, &description),
            tokens: None,
            people: said,
            spec: self.context.shown(&self.spec.path),
            what: ["claim", "claims"],
        };
        Ok(AnswerFiles { files: Arc::new(files), sides })
    }

    /// The claims of one configuration as rankings.
    fn side(&self, name: &str, base: &Collection, taken: Taken) -> Result<AnswersOf> {
        let Taken { pieces, contexts, report } = taken;
        if pieces.is_empty() {
            let why = match (report.declined, report.without_reference) {
                (0, _) => "no query has a reference",
                (_, 0) => "every answer was declined",
                (_, _) => "the answers are declined, or their queries have no reference",
            };
            return Err(Error::invalid(format!("{name} has nothing to judge: {why}")));
        }
        let hit = |(rank, piece): (u32, &Piece)| Hit::new(&piece.id, 1.0 / f64::from(rank));
        let hits = |list: &[Piece]| (1..).zip(list).map(hit).collect::<Vec<_>>();
        let run = Run::from_rankings(pieces.iter().map(|(query, list)| (query.clone(), hits(list))))?;
        let evaluation = Evaluation::of_passes(base, Judging::default(), vec![run])?;
        let evaluation = evaluation.keeping(|query| pieces.contains_key(&query.id));
        let evaluation = evaluation.ok_or_else(|| Error::invalid(format!("{name} has nothing to judge")))?;
        let evaluation = match &self.spec.statistics.cluster {
            None => evaluation,
            Some(key) => evaluation.clustered_by(key)?,
        };
        Ok(AnswersOf { evaluation: evaluation.with_depth(usize::MAX), pieces, contexts, report })
    }

    /// The claims as people judged those of the drawn queries.
    fn claims_by_people(
        &self,
        base: &Collection,
        people: Option<&HumansFile>,
        all: &Pieces,
    ) -> Result<(Collection, BTreeSet<String>, Result<()>)> {
        let Some(people) = people else { return Ok((base.clone(), BTreeSet::new(), Ok(()))) };
        let cluster = self.spec.statistics.cluster.as_deref();
        if let Err(error) = check_draw(base, &people.sample, cluster) {
            return Ok((base.clone(), BTreeSet::new(), Err(error)));
        }
        let units: BTreeSet<&String> = people.sample.drawn.iter().collect();
        let mut drawn = BTreeSet::new();
        for query in base.queries() {
            let unit = cluster.map_or_else(|| Ok(query.id.clone()), |key| crate::evaluation::group(query, key))?;
            if units.contains(&unit) {
                drawn.insert(query.id.clone());
            }
        }
        let mut qrels = base.qrels().clone();
        for said in people.grades().filter(|said| drawn.contains(&said.query)) {
            // One of another text is one of another claim: its id is made of what was shown.
            let Some(piece) = all.get(&said.query, &said.document) else { continue };
            let query = base.query(&said.query).map(|query| sha256(query.text.as_bytes()));
            if let Some(grade) = said.grade
                && query.as_ref() == Some(&said.query_sha256)
                && said.document_sha256 == sha256(piece.people.as_bytes())
                && qrels.grade(&said.query, &said.document).is_none()
            {
                qrels.insert(&said.query, &said.document, i32::from(grade))?;
            }
        }
        Ok((base.judged_as(qrels), drawn, Ok(())))
    }
}

/// What was taken of one configuration.
struct Taken {
    pieces: BTreeMap<String, Vec<Piece>>,
    contexts: BTreeMap<String, Vec<String>>,
    report: AnswersReport,
}

/// All claims, by query and id.
#[derive(Default)]
struct Pieces(BTreeMap<(String, String), Piece>);

impl Pieces {
    fn take(&mut self, name: &str, looks: Vec<(Query, Look, Vec<String>)>) -> Taken {
        let (mut pieces, mut given) = (BTreeMap::new(), BTreeMap::new());
        let (mut counts, mut declined, mut without_reference) = (Counts::default(), 0, 0);
        for (query, look, contexts) in looks {
            given.insert(query.id.clone(), contexts);
            match look.pieces {
                Ok(list) => {
                    for piece in &list {
                        counts.add(piece);
                        self.0.insert((query.id.clone(), piece.id.clone()), piece.clone());
                    }
                    pieces.insert(query.id, list);
                }
                Err(LeftOut::Declined) => declined += 1,
                Err(LeftOut::NoReference) => without_reference += 1,
            }
        }
        let Counts { claims, supported, partial, unsupported, contradicted, abstained, without_claims } = counts;
        let report = AnswersReport {
            configuration: name.to_owned(),
            claims,
            supported,
            partial,
            unsupported,
            contradicted,
            abstained,
            without_claims,
            declined,
            without_reference,
        };
        Taken { pieces, contexts: given, report }
    }

    fn get(&self, query: &str, id: &str) -> Option<&Piece> {
        self.0.get(&(query.to_owned(), id.to_owned()))
    }

    fn qrels(&self, grade: impl Fn(&Piece) -> Option<i32>) -> Result<Qrels> {
        let mut qrels = Qrels::new();
        for ((query, id), piece) in &self.0 {
            if let Some(grade) = grade(piece) {
                qrels.insert(query, id, grade)?;
            }
        }
        Ok(qrels)
    }

    fn abstained(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for ((query, id), _) in self.0.iter().filter(|(_, piece)| piece.state == PieceState::Abstained) {
            all.entry(query.clone()).or_default().insert(id.clone());
        }
        all
    }

    /// Of what the judge was not asked, what another one was.
    fn elsewhere(
        &self,
        file: &JudgmentsFile,
        judge: &str,
        now: &crate::judge::Description,
    ) -> BTreeMap<(String, String), String> {
        let others = file.judges().iter().filter(|(id, other)| *id != judge && other.form == now.form);
        let others: Vec<_> = others.map(|(id, other)| (id, changed(id, now, other))).collect();
        let mut by_others: HashMap<(&str, &str), &str> = HashMap::new();
        for item in file.items() {
            if let Some((_, why)) = others.iter().find(|(id, _)| **id == item.judge) {
                by_others.insert((&item.query, &item.document), why);
            }
        }
        let missing = self.0.iter().filter(|(_, piece)| piece.state == PieceState::Missing);
        let why = |(key, piece): (&(String, String), &Piece)| {
            let why = by_others.get(&(key.0.as_str(), piece.asked.as_str()))?;
            Some((key.clone(), (*why).to_owned()))
        };
        missing.filter_map(why).collect()
    }
}

/// What a judge is asked about answers, one kind of question after the other: what follows needs what came before.
pub(crate) type AllWanted = BTreeMap<crate::judge::Task, Vec<Wanted>>;

impl Cache {
    /// All that is asked about the answers that gates look at, as far as it is known what to ask; and the
    /// configurations whose answers could not be read.
    pub(crate) fn wanted_of_answers(&self, file: &JudgmentsFile) -> Result<(AllWanted, Vec<(String, Error)>)> {
        let (mut all, mut left, mut seen) = (AllWanted::new(), Vec::new(), BTreeSet::new());
        for metric in self.metrics_of_answers() {
            self.looks(&metric, file, |name, looks| match looks {
                Err(error) => left.push((name.to_owned(), error)),
                Ok(looks) => {
                    for wanted in looks.into_iter().flat_map(|(_, look, _)| look.wanted) {
                        let key = (wanted.pair.query.id.clone(), wanted.pair.document.id.clone());
                        if seen.insert((wanted.task, key)) {
                            all.entry(wanted.task).or_default().push(wanted);
                        }
                    }
                }
            })?;
        }
        Ok((all, left))
    }

    /// Claims that people may judge: of these queries, what the judge could be asked.
    pub(crate) fn claims_for_people(&self, drawn: &BTreeSet<&str>) -> Result<Vec<(Query, Piece)>> {
        let file = JudgmentsFile::read(&self.judge_plan()?.judgments.resolve()?, false)?;
        let mut all = BTreeMap::new();
        for metric in self.metrics_of_answers() {
            self.looks(&metric, &file, |_, looks| {
                let looks = looks.into_iter().flatten().filter(|(query, ..)| drawn.contains(query.id.as_str()));
                for (query, look, _) in looks {
                    for piece in look.pieces.into_iter().flatten().filter(|piece| !piece.people.is_empty()) {
                        if !matches!(piece.state, PieceState::Fixed(_)) {
                            all.insert((query.id.clone(), piece.id.clone()), (query.clone(), piece));
                        }
                    }
                }
            })?;
        }
        Ok(all.into_values().collect())
    }

    /// The metrics of answers on which there are gates.
    pub(crate) fn metrics_of_answers(&self) -> Vec<Metric> {
        let mut all: Vec<Metric> = Vec::new();
        let limited = self.spec.thresholds.iter().flat_map(|one| &one.metrics);
        for metric in limited.chain(self.spec.comparisons.iter().flat_map(|one| &one.metrics)) {
            if metric.is_of_answers() && !all.contains(metric) {
                all.push(metric.clone());
            }
        }
        all
    }
}
