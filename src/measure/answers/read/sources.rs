//! Whose answers gates look at, and where they come from: files, replies, answerers, blessed files.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError};

use crate::collection::{Document, Query};
use crate::error::Quoted;
use crate::golden::GoldenRun;
use crate::judge::sha256;
use crate::measure::answers::{again_name, blessed_name};
use crate::measure::units::View;
use crate::measure::{Cache, Measurement, connect};
use crate::metric::Metric;
use crate::rag::{Answer, Answerer, Answers, Context};
use crate::spec::{AnswererPlan, AnswererSource, Configuration, PathTemplate};
use crate::{Error, Result};

use super::answerer::{self, ProgramAnswerer};
use super::blessed::BlessedAnswers;

/// Whose answers they are.
pub(super) enum AnswerSource<'a> {
    Own(&'a Configuration),
    Blessed(&'a Configuration, Option<&'a str>),
    Again(&'a Configuration, Option<&'a str>),
}

impl<'a> AnswerSource<'a> {
    pub(super) fn configuration(&self) -> &'a Configuration {
        match self {
            Self::Own(one) | Self::Blessed(one, _) | Self::Again(one, _) => one,
        }
    }
}

pub(super) fn no_text(context: &str, query: &str) -> Error {
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

/// An answerer, and the program that it is, where it is one.
type AnswererAndProgram = (Arc<dyn Answerer>, Option<Arc<ProgramAnswerer>>);

impl Cache {
    /// Whose answers gates on this metric look at: configurations; what was blessed of them, where that is a baseline; and
    /// what they answer with the contexts that were blessed.
    pub(super) fn answering(&self, metric: &Metric) -> Result<BTreeMap<String, AnswerSource<'_>>> {
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

    /// The answers of a source; `None` where nothing was blessed, or it cannot run again.
    pub(super) fn answers_of(&self, whose: &AnswerSource<'_>) -> Result<Option<Answers>> {
        match whose {
            AnswerSource::Own(configuration) => self.own_answers(configuration).map(Some),
            AnswerSource::Blessed(configuration, tag) => {
                Ok(self.blessed_answers(configuration, *tag)?.map(|blessed| blessed.answers))
            }
            AnswerSource::Again(configuration, tag) => {
                let Some(plan) = &configuration.answerer else { return Ok(None) };
                let Some(blessed) = self.blessed_answers(configuration, *tag)? else { return Ok(None) };
                let blessed = blessed.answers;
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
        self.own_answers_of(configuration, self.raw_measurement(configuration)?.as_ref())
    }

    /// The same of what was measured just now.
    pub(super) fn own_answers_of(
        &self,
        configuration: &Configuration,
        measured: &Measurement,
    ) -> Result<Answers> {
        let name = &configuration.name;
        if configuration.is_live() && configuration.answers_queries() {
            let said = &measured.said;
            let also = match (&configuration.answers, &configuration.answerer) {
                (Some(_), _) => Some("`answers:`, a file of them"),
                (None, Some(_)) => Some("an `answerer`"),
                (None, None) => None,
            };
            match (said.first_key_value(), also) {
                (Some((query, _)), Some(also)) => {
                    return Err(Error::invalid(format!(
                        "{name} has {also}, and its reply to query {} has an answer, too: only one of them can count",
                        Quoted(query)
                    )));
                }
                (Some(_), None) => {
                    // What was asked again for another reason, such as to see whether rankings repeat, is no repeat.
                    let repeats = configuration.repeats.saturating_sub(1);
                    let repeated = |one: &Answer| {
                        let first = one.repeats.iter().take(repeats).cloned();
                        one.clone().with_repeats(first)
                    };
                    return Ok(said.iter().map(|(query, one)| (query.clone(), repeated(one))).collect());
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
            let evaluation = &measured.evaluation;
            let given = |query: &Query| {
                let top = evaluation.top(0, &query.id, plan.contexts);
                (query.clone(), top.into_iter().map(Context::new).collect())
            };
            // Who counts no missed refusals pays for no answer to these.
            let of_unanswerable = |metric: &Metric| {
                let needed = metric.requirements();
                needed.refusals && needed.unanswerable
            };
            let unanswerable = match self.spec.metrics.iter().any(of_unanswerable) {
                true => self.collection()?.unanswerable(),
                false => &[],
            };
            let asked = evaluation.queries().iter().chain(unanswerable).map(given).collect();
            Ok(self.ask_answerer(configuration, plan, asked)?.text())
        })?;
        Answers::parse(&configuration.name, &text)
    }

    /// An answerer's reply, requested once in this test run.
    fn said_once(&self, key: &str, ask: impl Fn() -> Result<String>) -> Result<String> {
        let mut said = self.answers.said.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(said) = said.get(key) {
            return said.clone();
        }
        let now = self.share_once(key, ask);
        said.insert(key.to_owned(), now.clone());
        now
    }

    /// Asks the answerer again where the blessed contexts differ from today's.
    fn ask_again(
        &self,
        configuration: &Configuration,
        plan: &AnswererPlan,
        own: &Answers,
        blessed: &Answers,
    ) -> Result<Answers> {
        let (mut same, mut other) = (Vec::new(), Vec::new());
        for query in self.raw_measurement(configuration)?.evaluation.queries() {
            let Some(contexts) = blessed.get(&query.id).and_then(|answer| answer.contexts.clone()) else {
                continue;
            };
            match own.get(&query.id).filter(|answer| answer.contexts.as_ref() == Some(&contexts)) {
                Some(answer) => same.push((query.id.clone(), answer.clone())),
                None => other.push((query.clone(), contexts)),
            }
        }
        if !other.is_empty() {
            let asked = self.ask_answerer(configuration, plan, other)?;
            same.extend(asked.iter().map(|(query, answer)| (query.to_owned(), answer.clone())));
        }
        Ok(same.into_iter().collect())
    }

    /// Asks the answerer these queries with these contexts, one after the other, each as often as it repeats.
    fn ask_answerer(
        &self,
        configuration: &Configuration,
        plan: &AnswererPlan,
        asked: Vec<(Query, Vec<Context>)>,
    ) -> Result<Answers> {
        let ids = asked.iter().flat_map(|(_, contexts)| contexts.iter().map(|one| one.id.as_str()));
        let found = self.contexts(configuration, ids)?;
        let (who, program) = self.answerer(plan)?;
        let one = |(query, contexts): (Query, Vec<Context>)| {
            let document = |context: &Context| match &context.text {
                Some(text) => Ok(Document::new(&context.id, text)),
                None => found.get(&context.id).cloned().ok_or_else(|| no_text(&context.id, &query.id)),
            };
            let documents: Vec<Document> = contexts.iter().map(document).collect::<Result<_>>()?;
            let answer = answerer::answer(who.as_ref(), &query, &documents)?;
            let again = |_| answerer::answer(who.as_ref(), &query, &documents);
            let repeats: Vec<Answer> = (1..plan.repeats).map(again).collect::<Result<_>>()?;
            Ok((query.id, answer.with_contexts(contexts).with_repeats(repeats)))
        };
        let answers = asked.into_iter().map(one).collect::<Result<_>>()?;
        // The end of a program is part of what it says.
        program.map_or(Ok(()), |program| program.finish())?;
        Ok(answers)
    }

    /// The answerer, ready for questions, and the program that it is where it is one.
    fn answerer(&self, plan: &AnswererPlan) -> Result<AnswererAndProgram> {
        let prompt = plan.prompt.as_ref().map(read_prompt).transpose()?;
        Ok(match &plan.source {
            AnswererSource::Command { command, cwd } => {
                let program = connect::program(command, cwd, &[])?;
                let _watched =
                    connect::starting(self.context.observer(), &program, ProgramAnswerer::PATIENCE);
                let started = Arc::new(ProgramAnswerer::start(&program, prompt.as_deref())?);
                (Arc::<ProgramAnswerer>::clone(&started), Some(started))
            }
            AnswererSource::Http { url, headers } => (answerer::service(url, headers, prompt)?, None),
            AnswererSource::Registered(name) => {
                (self.registry.answerers.build(name, prompt.as_deref())?, None)
            }
        })
    }

    /// What was blessed of a configuration's answers.
    fn blessed_answers(
        &self,
        configuration: &Configuration,
        tag: Option<&str>,
    ) -> Result<Option<BlessedAnswers>> {
        let run = self.blessed_path(configuration, tag)?;
        let path = run.with_extension("answers.jsonl");
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io("cannot read", &path, error)),
        };
        let blessed = BlessedAnswers::parse(&path, &text)?;
        let rankings = GoldenRun::read(&run)?.map(|run| run.fingerprint());
        let is_of_spec = |name: &str| self.spec.configuration(name).is_some();
        blessed.check(&path, (self.name(), &configuration.name), is_of_spec, rankings.as_deref())?;
        Ok(Some(blessed))
    }

    /// The answers with the model's contexts, to bless beside this run.
    pub(super) fn write_answers(&self, configuration: &Configuration, golden: &GoldenRun) -> Result<String> {
        let (own, measured) = (self.own_answers(configuration)?, self.raw_measurement(configuration)?);
        let evaluation = &measured.evaluation;
        let whole = |(query, answer): (&str, &Answer)| {
            let given = || {
                let top = evaluation.top(0, query, evaluation.depth());
                top.into_iter().map(Context::new).collect()
            };
            let contexts = answer.contexts.clone().unwrap_or_else(given);
            (query.to_owned(), answer.clone().with_contexts(contexts))
        };
        let blessed = BlessedAnswers {
            benchmark: self.name().to_owned(),
            configuration: configuration.name.clone(),
            prompt: self.prompt_sha256(configuration)?,
            rankings: golden.fingerprint(),
            answers: own.iter().map(whole).collect(),
        };
        Ok(blessed.text())
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
        Ok(blessed.is_some_and(|then| then.prompt != prompt))
    }
}

impl Cache {
    /// What a configuration calls by these ids: documents, passages of them, and where spans are judged the chunks of its
    /// file. Those that the corpus lacks are left out.
    pub(super) fn contexts<'a>(
        &self,
        configuration: &Configuration,
        ids: impl Iterator<Item = &'a str>,
    ) -> Result<HashMap<String, Document>> {
        let Ok(corpus) = self.collection()?.corpus() else { return Ok(HashMap::new()) };
        let view = self.view(configuration)?;
        let place = |id: &str| match view.as_deref() {
            Some(View::Passages(chunks)) => {
                chunks.passage(id).map_or_else(|_| id.to_owned(), |one| one.to_string())
            }
            Some(View::Documents(_)) | None => id.to_owned(),
        };
        let places: HashMap<&str, String> = ids.map(|id| (id, place(id))).collect();
        let found = corpus.find(places.iter().flat_map(|(id, place)| [*id, place.as_str()]))?;
        let of = |(id, place): (&str, String)| {
            let mut document = found.get(&place).or_else(|| found.get(id))?.clone();
            id.clone_into(&mut document.id);
            Some((id.to_owned(), document))
        };
        Ok(places.into_iter().filter_map(of).collect())
    }
}
