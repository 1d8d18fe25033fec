//! What configurations answered, as the claims that a metric counts: rankings of claims, judged like documents.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::analysis::{AnswerWithContexts, Judges, Piece, PieceState, ShownContext};
use crate::collection::{Collection, Document, Qrels, Query};
use crate::error::Quoted;
use crate::evaluation::{Evaluation, Judging};
use crate::gate::State;
use crate::judge::{Description, HumansFile, JudgmentsFile, SCALE, Task, sha256};
use crate::measure::judged::AnswerMetric;
use crate::measure::judged::answers::{AnswerFiles, AnswersOf, again_name, blessed_name};
use crate::measure::judged::files::JudgedFiles;
use crate::measure::{Cache, connect};
use crate::metric::Metric;
use crate::model::AnswersReport;
use crate::rag::{Answer, Answerer, Answers, Context};
use crate::run::{Hit, Run};
use crate::spec::{AnswererPlan, AnswererSource, Configuration, JudgePlan, PathTemplate};
use crate::{Error, Result};

use super::answerer::{self, ProgramAnswerer};
use super::files::{changed, check_draw, humans};
use super::look::{Counts, Exclusion, Look, Looker, Question, check_reference};

/// The highest grade of what has none.
const HIGHEST: i32 = 3;

/// How a file of blessed answers begins; then the hash of the prompt.
const HEAD: &str = "# rankgate golden answers, version 1, prompt";

/// Whose answers they are.
enum AnswerSource<'a> {
    Own(&'a Configuration),
    Blessed(&'a Configuration, Option<&'a str>),
    Again(&'a Configuration, Option<&'a str>),
}

impl<'a> AnswerSource<'a> {
    fn configuration(&self) -> &'a Configuration {
        match self {
            Self::Own(one) | Self::Blessed(one, _) | Self::Again(one, _) => one,
        }
    }
}

fn no_text(context: &str, query: &str) -> Error {
    Error::with_kind(
        crate::ErrorKind::Missing,
        format!(
            "the context `{context}` of query `{query}` has no text: it is not in the corpus, and no file gives it"
        ),
    )
}

fn read_prompt(path: &PathTemplate) -> Result<String> {
    let path = path.resolve()?;
    std::fs::read_to_string(&path).map_err(|error| Error::io("cannot read", &path, error))
}

impl Cache {
    /// Whose answers gates on this metric look at: configurations; what was blessed of them, where that is a baseline; and
    /// what they answer with the contexts that were blessed.
    fn answering(&self, metric: &Metric) -> Result<BTreeMap<String, AnswerSource<'_>>> {
        let spec = &self.spec;
        let mut all = BTreeMap::new();
        for gate in spec.gates.iter().filter(|gate| gate.kind.metric() == Some(metric)) {
            let baseline = gate.kind.kind().held_against(spec.entries());
            if let Some(baseline) = baseline.filter(|baseline| baseline.is_blessed()) {
                let of = self.configuration(&gate.configuration)?;
                let name = blessed_name(&gate.configuration, baseline);
                all.insert(again_name(&name), AnswerSource::Again(of, baseline.tag()));
                all.insert(name, AnswerSource::Blessed(of, baseline.tag()));
            }
            all.extend(spec.configurations_of(gate).map(|one| (one.name.clone(), AnswerSource::Own(one))));
        }
        Ok(all)
    }

    /// Looks at every answer that gates on this metric look at.
    fn looks<T>(
        &self,
        metric: &Metric,
        file: &JudgmentsFile,
        mut take: impl FnMut(&str, Result<Vec<(Query, Look, AnswerWithContexts)>>) -> T,
    ) -> Result<Vec<T>> {
        let plan = self.judge_plan()?;
        let looker = Looker::new(file, metric, |task| plan.task(task))?;
        let mut all = Vec::new();
        for (name, whose) in self.answering(metric)? {
            match self.answers_of(&whose) {
                // Files cannot be asked again, and what was never blessed is said by the gate that needs it.
                Ok(None) => {}
                Ok(Some(answers)) => {
                    let looks = self.look_at(whose.configuration(), &answers, plan, &looker);
                    all.push(take(&name, looks));
                }
                Err(error) => all.push(take(&name, Err(error))),
            }
        }
        Ok(all)
    }

    /// What somebody answered; nothing where nothing was blessed, or nobody can be asked again.
    fn answers_of(&self, whose: &AnswerSource<'_>) -> Result<Option<Answers>> {
        match whose {
            AnswerSource::Own(configuration) => self.own_answers(configuration).map(Some),
            AnswerSource::Blessed(configuration, tag) => {
                Ok(self.blessed_answers(configuration, *tag)?.map(|one| one.1))
            }
            AnswerSource::Again(configuration, tag) => {
                let Some(plan) = &configuration.answerer else { return Ok(None) };
                let Some((_, blessed)) = self.blessed_answers(configuration, *tag)? else { return Ok(None) };
                let key = self.key_of(&format!("again-{}", tag.unwrap_or_default()), configuration);
                let own = self.own_answers(configuration)?;
                let text =
                    self.said_once(&key, || Ok(self.ask_again(configuration, plan, &own, &blessed)?.text()))?;
                Answers::parse(&configuration.name, &text).map(Some)
            }
        }
    }

    /// What a configuration answers: as its file says, its replies, or its answerer; with what the model was given.
    fn own_answers(&self, configuration: &Configuration) -> Result<Answers> {
        let name = &configuration.name;
        if configuration.is_live() && configuration.answers_queries() {
            let said = &self.measurement(configuration)?.said;
            let also = match (&configuration.answers, &configuration.answerer) {
                (Some(_), _) => Some("`answers:`, a file of them"),
                (None, Some(_)) => Some("an `answerer`"),
                (None, None) => None,
            };
            match (said.first_key_value(), also) {
                (Some((query, _)), Some(also)) => {
                    return Err(Error::invalid(format!(
                        "{name} has {also}, and its reply to query {} has an answer, too: nobody knows which counts",
                        Quoted(query)
                    )));
                }
                (Some(_), None) => {
                    return Ok(said.iter().map(|(query, one)| (query.clone(), one.clone())).collect());
                }
                (None, _) => {}
            }
        }
        if let Some(path) = &configuration.answers {
            return Answers::read(&path.resolve()?);
        }
        let none = || Error::invalid(format!("{name} gives no answers: not one of its replies has one"));
        let plan = configuration.answerer.as_ref().ok_or_else(none)?;
        let text = self.said_once(&self.key_of("given", configuration), || {
            let measured = self.measurement(configuration)?;
            let evaluation = &measured.evaluation;
            let given = |query: &Query| {
                let top = evaluation.top(0, &query.id, plan.contexts);
                (query.clone(), top.into_iter().map(Context::new).collect())
            };
            Ok(self.ask_answerer(plan, evaluation.queries().iter().map(given).collect())?.text())
        })?;
        Answers::parse(&configuration.name, &text)
    }

    /// What an answerer said, asked once in this test run.
    fn said_once(&self, key: &str, ask: impl Fn() -> Result<String>) -> Result<String> {
        let mut said = self.judgments.said.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(said) = said.get(key) {
            return said.clone();
        }
        let now = self.share_once(key, ask);
        said.insert(key.to_owned(), now.clone());
        now
    }

    /// Asks the answerer anew where what was blessed had other contexts than there are now.
    fn ask_again(
        &self,
        configuration: &Configuration,
        plan: &AnswererPlan,
        own: &Answers,
        blessed: &Answers,
    ) -> Result<Answers> {
        let (mut same, mut other) = (Vec::new(), Vec::new());
        for query in self.measurement(configuration)?.evaluation.queries() {
            let Some(contexts) = blessed.get(&query.id).and_then(|answer| answer.contexts.clone()) else {
                continue;
            };
            match own.get(&query.id).filter(|answer| answer.contexts.as_ref() == Some(&contexts)) {
                Some(answer) => same.push((query.id.clone(), answer.clone())),
                None => other.push((query.clone(), contexts)),
            }
        }
        if !other.is_empty() {
            let asked = self.ask_answerer(plan, other)?;
            same.extend(asked.iter().map(|(query, answer)| (query.to_owned(), answer.clone())));
        }
        Ok(same.into_iter().collect())
    }

    /// Asks the answerer these queries with these contexts, one after the other.
    fn ask_answerer(&self, plan: &AnswererPlan, asked: Vec<(Query, Vec<Context>)>) -> Result<Answers> {
        let ids = asked.iter().flat_map(|(_, contexts)| contexts.iter().map(|one| one.id.as_str()));
        let found = documents(self.collection()?, ids)?;
        let who = self.answerer(plan)?;
        let one = |(query, contexts): (Query, Vec<Context>)| {
            let document = |context: &Context| match &context.text {
                Some(text) => Ok(Document::new(&context.id, text)),
                None => found.get(&context.id).cloned().ok_or_else(|| no_text(&context.id, &query.id)),
            };
            let documents: Vec<Document> = contexts.iter().map(document).collect::<Result<_>>()?;
            let answer = answerer::answer(who.as_ref(), &query, &documents)?;
            Ok((query.id, answer.with_contexts(contexts)))
        };
        asked.into_iter().map(one).collect()
    }

    /// Whoever it is, ready to be asked.
    fn answerer(&self, plan: &AnswererPlan) -> Result<Arc<dyn Answerer>> {
        let prompt = plan.prompt.as_ref().map(read_prompt).transpose()?;
        match &plan.source {
            AnswererSource::Command { command, cwd } => {
                let program = connect::program(command, cwd, &[])?;
                let _watched =
                    connect::starting(self.context.observer(), &program, ProgramAnswerer::PATIENCE);
                Ok(Arc::new(ProgramAnswerer::start(&program, prompt.as_deref())?))
            }
            AnswererSource::Http { url, headers } => answerer::service(url, headers, prompt),
            AnswererSource::Registered(name) => self.registry.answerers.build(name, prompt.as_deref()),
        }
    }

    /// What was blessed of a configuration's answers, and the hash of the prompt of that day.
    fn blessed_answers(
        &self,
        configuration: &Configuration,
        tag: Option<&str>,
    ) -> Result<Option<(String, Answers)>> {
        let path = self.blessed_path(configuration, tag)?.with_extension("answers.jsonl");
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io("cannot read", &path, error)),
        };
        let (head, rest) = text.split_once('\n').unwrap_or((&text, ""));
        let head = head
            .strip_prefix(HEAD)
            .ok_or_else(|| Error::in_file(&path, "it does not begin as answers do that were blessed"))?;
        Ok(Some((head.trim().to_owned(), Answers::parse(&path.display().to_string(), rest)?)))
    }

    /// What is blessed beside a run: the answers with what the model was given.
    pub(super) fn write_answers(&self, configuration: &Configuration) -> Result<String> {
        let (own, measured) = (self.own_answers(configuration)?, self.measurement(configuration)?);
        let evaluation = &measured.evaluation;
        let whole = |(query, answer): (&str, &Answer)| {
            let given = || {
                let top = evaluation.top(0, query, evaluation.depth());
                top.into_iter().map(Context::new).collect()
            };
            let contexts = answer.contexts.clone().unwrap_or_else(given);
            (query.to_owned(), answer.clone().with_contexts(contexts))
        };
        let all: Answers = own.iter().map(whole).collect();
        Ok(format!("{HEAD} {}\n{}", self.prompt_sha256(configuration)?, all.text()))
    }

    /// The hash of the prompt that a configuration's answerer gets, `-` without one.
    fn prompt_sha256(&self, configuration: &Configuration) -> Result<String> {
        let path = configuration.answerer.as_ref().and_then(|plan| plan.prompt.as_ref());
        Ok(match path {
            Some(path) => sha256(read_prompt(path)?.as_bytes()),
            None => "-".to_owned(),
        })
    }

    /// Whether the answerer gets another prompt now than when its answers were blessed.
    pub(super) fn compare_prompts(&self, configuration: &Configuration, tag: Option<&str>) -> Result<bool> {
        let blessed = self.blessed_answers(configuration, tag)?;
        let prompt = self.prompt_sha256(configuration)?;
        Ok(blessed.is_some_and(|(then, _)| then != prompt))
    }

    fn judge_plan(&self) -> Result<&JudgePlan> {
        self.spec.judge.as_ref().ok_or_else(|| Error::invalid("this spec has no `judge`"))
    }

    /// The answers of a configuration, query by query.
    fn look_at(
        &self,
        configuration: &Configuration,
        answers: &Answers,
        plan: &JudgePlan,
        looker: &Looker<'_>,
    ) -> Result<Vec<(Query, Look, AnswerWithContexts)>> {
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
        let found: HashMap<String, Document> = documents(collection, lacking)?;
        let description = plan.description()?;
        let mut looks = Vec::new();
        for (query, given) in evaluation.queries().iter().zip(given) {
            check_reference(query)?;
            let shown = |(id, text): &(String, Option<String>)| {
                let text = match text {
                    Some(text) => description.shown(id, text)?.into_owned(),
                    None => {
                        let missing = || no_text(id, &query.id);
                        description.shown_of(found.get(id).ok_or_else(missing)?)?
                    }
                };
                Ok(ShownContext { id: id.clone(), text })
            };
            let shown: Vec<ShownContext> = given.iter().map(shown).collect::<Result<_>>()?;
            let answer = answers.get(&query.id);
            let look = looker.look(query, answer, &shown);
            let is_missing = answer.is_none();
            let answer = answer.map(|answer| answer.text.clone()).unwrap_or_default();
            looks.push((query.clone(), look, AnswerWithContexts { answer, is_missing, contexts: shown }));
        }
        Ok(looks)
    }

    pub(super) fn read_answers(&self, metric: &Metric) -> Result<AnswerFiles> {
        let (plan, collection) = (self.judge_plan()?, self.collection()?);
        let file = JudgmentsFile::read(&plan.judgments.resolve()?, false)?;
        let people = match &plan.humans {
            Some(path) => humans(&path.resolve()?)?,
            None => None,
        };
        let of = AnswerMetric::from_metric(metric)
            .ok_or_else(|| Error::invalid(format!("{metric} is not of answers")))?;
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
        let readings = [collection.judged_as(reading(None)?), collection.judged_as(reading(Some(HIGHEST))?)];
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
                abstained: all.ids_by_query(|piece| piece.state == PieceState::Abstained),
                beyond_people: all.ids_by_query(|piece| piece.people.is_empty()),
                highest: SCALE[1],
                segments: self.spec.segments.clone(),
                judge: judge.clone(),
            },
            elsewhere: all.elsewhere(&file, &judge, &description),
            without_grade: all.without_grade(&file),
            tokens: None,
            people: said,
            spec: self.context.shown(&self.spec.path),
            what: match of {
                AnswerMetric::AnswerRelevance => ["answer", "answers"],
                AnswerMetric::NuggetRecall => ["nugget", "nuggets"],
                AnswerMetric::Faithfulness
                | AnswerMetric::ContextRecall
                | AnswerMetric::AnswerCorrectness => ["claim", "claims"],
            },
        };
        Ok(AnswerFiles { files: Arc::new(files), sides })
    }

    /// The claims of one configuration as rankings.
    fn side(&self, name: &str, base: &Collection, taken: Taken) -> Result<AnswersOf> {
        let Taken { pieces, given, report } = taken;
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
        Ok(AnswersOf { evaluation: evaluation.of_claims(), pieces, given, report })
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
            let unit = cluster.map_or_else(|| Ok(query.id.clone()), |key| query.group(key))?;
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
    given: BTreeMap<String, AnswerWithContexts>,
    report: AnswersReport,
}

/// All claims, by query and id.
#[derive(Default)]
struct Pieces(BTreeMap<(String, String), Piece>);

impl Pieces {
    fn take(&mut self, name: &str, looks: Vec<(Query, Look, AnswerWithContexts)>) -> Taken {
        let (mut pieces, mut all_given) = (BTreeMap::new(), BTreeMap::new());
        let (mut counts, mut declined, mut without_reference) = (Counts::default(), 0, 0);
        for (query, look, given) in looks {
            all_given.insert(query.id.clone(), given);
            match look.pieces {
                Ok(list) => {
                    for piece in &list {
                        counts.add(piece);
                        self.0.insert((query.id.clone(), piece.id.clone()), piece.clone());
                    }
                    pieces.insert(query.id, list);
                }
                Err(Exclusion::Declined) => declined += 1,
                Err(Exclusion::NoReference) => without_reference += 1,
            }
        }
        let Counts { claims, supported, partial, unsupported, contradicted, abstained, without_claims } =
            counts;
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
        Taken { pieces, given: all_given, report }
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

    /// The ids of those that are meant, by query.
    fn ids_by_query(&self, meant: impl Fn(&Piece) -> bool) -> BTreeMap<String, BTreeSet<String>> {
        let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for ((query, id), _) in self.0.iter().filter(|(_, piece)| meant(piece)) {
            all.entry(query.clone()).or_default().insert(id.clone());
        }
        all
    }

    /// What became of the questions by which nothing is known of claims.
    fn without_grade(&self, file: &JudgmentsFile) -> BTreeMap<(String, String), State> {
        let failed = file.items().filter(|item| item.state != State::Graded);
        let failed: HashMap<(&str, &str), State> =
            failed.map(|item| ((item.query.as_str(), item.document.as_str()), item.state)).collect();
        let abstained = self.0.iter().filter(|(_, piece)| piece.state == PieceState::Abstained);
        let state = |(key, piece): (&(String, String), &Piece)| {
            Some((key.clone(), *failed.get(&(key.0.as_str(), piece.asked.as_str()))?))
        };
        abstained.filter_map(state).collect()
    }

    /// Of what the judge was not asked, what another one was.
    fn elsewhere(
        &self,
        file: &JudgmentsFile,
        judge: &str,
        now: &Description,
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
pub(crate) type AllQuestions = BTreeMap<Task, Vec<Question>>;

impl Cache {
    /// All that is asked about the answers that gates look at, as far as it is known what to ask; and the
    /// configurations whose answers could not be read.
    pub(crate) fn wanted_of_answers(
        &self,
        file: &JudgmentsFile,
    ) -> Result<(AllQuestions, Vec<(String, Error)>)> {
        let (mut all, mut left, mut seen) = (AllQuestions::new(), Vec::new(), BTreeSet::new());
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

    /// Claims that people may judge: of these queries, what the judge could be asked, in all forms or in one.
    pub(crate) fn claims_for_people(
        &self,
        drawn: &BTreeSet<&str>,
        task: Option<Task>,
    ) -> Result<Vec<(Query, Piece)>> {
        let file = JudgmentsFile::read(&self.judge_plan()?.judgments.resolve()?, false)?;
        let mut all = BTreeMap::new();
        let is_asked = |metric: &Metric| {
            let of = AnswerMetric::from_metric(metric).map(AnswerMetric::task);
            task.is_none() || of == task
        };
        for metric in self.metrics_of_answers().into_iter().filter(is_asked) {
            self.looks(&metric, &file, |_, looks| {
                let looks =
                    looks.into_iter().flatten().filter(|(query, ..)| drawn.contains(query.id.as_str()));
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

/// These documents, by id, as far as the corpus has them; none without a corpus.
fn documents<'a>(
    collection: &Collection,
    ids: impl Iterator<Item = &'a str>,
) -> Result<HashMap<String, Document>> {
    collection.corpus().map_or_else(|_| Ok(HashMap::new()), |corpus| corpus.find(ids))
}
