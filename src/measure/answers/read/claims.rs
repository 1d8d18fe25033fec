//! What configurations answered, as the claims that a metric counts: rankings of claims, judged like documents.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::analysis::{AnswerWithContexts, Judges, LabelledPair, Piece, PieceState, ShownContext};
use crate::collection::{Collection, Document, Query};
use crate::error::Quoted;
use crate::evaluation::{Evaluation, Judging};
use crate::judge::{
    HumanGrade, HumansFile, Item, JudgmentsFile, NuggetsFile, PEOPLE, SCALE, Sample, Task, sha256,
    shown_sha256,
};
use crate::measure::Cache;
use crate::measure::answers::counts::Exclusion;
use crate::measure::answers::metric::JudgedUnit;
use crate::measure::answers::{AnswerFiles, AnswerMetric, AnswersOf};
use crate::measure::judged::JudgedFiles;
use crate::measure::judged::read::{drawn_queries, humans};
use crate::metric::Metric;
use crate::rag::Answers;
use crate::run::{Hit, Run};
use crate::spec::{Configuration, JudgePlan};
use crate::{Error, Result};

use super::look::{Look, Looker, check_reference};
use super::pieces::{Pieces, Taken};
use super::sources::no_text;

impl Cache {
    /// Looks at every answer that gates on this metric look at.
    pub(super) fn looks<T>(
        &self,
        metric: &Metric,
        file: &JudgmentsFile,
        mut take: impl FnMut(&str, Result<Vec<(Query, Look, AnswerWithContexts)>>) -> T,
    ) -> Result<Vec<T>> {
        let plan = self.judge_plan()?;
        let criterion = metric.criterion();
        let looker = Looker::new(file, metric, |task| plan.question(task, criterion))?;
        let looker = looker.by_criterion(criterion.and_then(|name| plan.criterion(name)));
        let nuggets = self.nuggets_for(metric)?;
        let mut all = Vec::new();
        for (name, whose) in self.answering(metric)? {
            match self.answers_of(&whose) {
                // Files cannot be asked again, and what was never blessed is said by the gate that needs it.
                Ok(None) => {}
                Ok(Some(answers)) => {
                    let looks = self.look_at(whose.configuration(), &answers, &looker, nuggets.as_ref());
                    all.push(take(&name, looks));
                }
                Err(error) => all.push(take(&name, Err(error))),
            }
        }
        Ok(all)
    }

    pub(super) fn judge_plan(&self) -> Result<&JudgePlan> {
        self.spec.judge.as_ref().ok_or_else(|| Error::invalid("this spec has no `judge`"))
    }

    /// The answers of a configuration, query by query.
    fn look_at(
        &self,
        configuration: &Configuration,
        answers: &Answers,
        looker: &Looker<'_>,
        nuggets: Option<&NuggetsFile>,
    ) -> Result<Vec<(Query, Look, AnswerWithContexts)>> {
        let measured = self.raw_measurement(configuration)?;
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
        let found: HashMap<String, Document> = self.contexts(configuration, lacking)?;
        let description = self.judge_plan()?.description()?;
        let mut looks = Vec::new();
        for (query, given) in evaluation.queries().iter().zip(given) {
            let query = &nuggets.map_or_else(|| query.clone(), |file| file.complete(query));
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
            looker.check(query, answer)?;
            let look = looker.look(query, answer, &shown);
            let is_missing = answer.is_none();
            let answer = answer.map(|answer| answer.text.clone()).unwrap_or_default();
            looks.push((query.clone(), look, AnswerWithContexts { answer, is_missing, contexts: shown }));
        }
        Ok(looks)
    }

    pub(super) fn read_answers(&self, metric: &Metric) -> Result<AnswerFiles> {
        let (plan, collection) = (self.judge_plan()?, self.collection()?);
        let (file, unasked) = (self.judgments_on_file(plan)?, self.unasked()?);
        let people = match &plan.humans {
            Some(path) => humans(&path.resolve()?)?,
            None => None,
        };
        let of = AnswerMetric::from_metric(metric)
            .ok_or_else(|| Error::invalid(format!("{metric} is not of answers")))?;
        let named = |task| plan.question(task, metric.criterion());
        let description = named(of.task())?;
        let judge = description.id();
        let judges: BTreeMap<Task, String> =
            of.tasks().iter().map(|task| Ok((*task, named(*task)?.id()))).collect::<Result<_>>()?;
        let highest = if of == AnswerMetric::Criterion { description.scale[1] } else { SCALE[1] };
        let answered_by: Vec<&str> = judges.values().map(String::as_str).chain([PEOPLE]).collect();
        let mut all = Pieces::default();
        let looked = self.looks(metric, &file, |name, looks| {
            let side = looks.map(|looks| all.take(looks));
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
            [collection.judged_as(reading(None)?), collection.judged_as(reading(Some(i32::from(highest)))?)];
        let (by_people, drawn, said) = self.claims_by_people(&base, people.as_ref(), &all)?;
        let mut sides = BTreeMap::new();
        for (name, side) in looked {
            let made = side.and_then(|taken| self.side(&name, &base, taken));
            sides.insert(name, made.map(Arc::new));
        }
        let labels = labels(collection, of, (&judge, &file), people.as_ref());
        let sample = people.as_ref().map(|people| &people.sample);
        let is_drawn_for = |judges: &String| judges.split(' ').any(|one| one == judge);
        let files = JudgedFiles {
            judges: Judges {
                of_this_judge: sample.is_some_and(|sample| sample.judge.as_ref().is_some_and(is_drawn_for)),
                of: sample.map_or(0, |sample| sample.of),
                until: sample.is_some_and(|sample| sample.until),
                strata: sample.map(Sample::strata_of_units).unwrap_or_default(),
                model: plan.model.clone(),
                base,
                by_model: readings,
                by_people,
                drawn,
                abstained: all.ids_by_query(|piece| piece.state == PieceState::Abstained),
                beyond_people: all.ids_by_query(|piece| piece.people.is_empty()),
                highest,
                segments: self.spec.segments.clone(),
                labels,
                judge: judge.clone(),
            },
            elsewhere: all.elsewhere(&file, &judge, &description),
            without_grade: all.without_grade(&file, &answered_by),
            unasked: unasked.map(|unasked| {
                let pairs = all.unasked(&unasked, judges.values(), collection);
                (unasked.reason, pairs)
            }),
            lacking: all.lacking(judges.get(&Task::Claims).map(String::as_str)),
            tokens: None,
            people: said,
            spec: self.context.shown(&self.spec.path),
            what: match of.unit() {
                JudgedUnit::Claim => ["claim", "claims"],
                JudgedUnit::Nugget => ["nugget", "nuggets"],
                JudgedUnit::Citation => ["citation", "citations"],
                JudgedUnit::Answer => ["answer", "answers"],
            },
        };
        Ok(AnswerFiles { files: Arc::new(files), sides })
    }

    /// The claims of one configuration as rankings.
    fn side(&self, name: &str, base: &Collection, taken: Taken) -> Result<AnswersOf> {
        let Taken { pieces, given, excluded } = taken;
        if pieces.is_empty() {
            let number = |why| excluded.values().filter(|one| **one == why).count();
            let without = number(Exclusion::NoReference) + number(Exclusion::NoNuggets);
            let of_nuggets = number(Exclusion::NoNuggets) > 0;
            let why = match (number(Exclusion::Declined), without) {
                _ if number(Exclusion::AskedOnce) > 0 => {
                    "no query was answered more than once: `repeats` of the configuration asks again, and a file has further lines with \
                     `\"repeat\": 2`"
                }
                _ if number(Exclusion::NothingToUse) > 0 => {
                    "no query has contexts that support a claim of its reference, and an answer"
                }
                (0, _) if of_nuggets => "no query has nuggets that the metric counts",
                (_, 1..) if of_nuggets => {
                    "the answers are declined, or their queries have no nuggets that count"
                }
                (0, _) => "no query has a reference",
                (_, 0) => "every answer was declined",
                (_, _) => "the answers are declined, or their queries have no reference",
            };
            return Err(Error::invalid(format!("{name} has nothing to judge: {why}")));
        }
        let hit = |(rank, piece): (u32, &Piece)| Hit::new(&piece.id, 1.0 / f64::from(rank));
        let count = |list: &[Piece]| list.iter().map(|piece| piece.repeat + 1).max().unwrap_or(1);
        let repeats = pieces.values().map(|list| count(list)).max().unwrap_or(1);
        if let Some((query, list)) = pieces.iter().find(|(_, list)| count(list) != repeats) {
            let why = format!(
                "query {} was answered {} times, and others {}",
                Quoted(query),
                count(list) + 1,
                repeats + 1
            );
            return Err(Error::invalid(format!(
                "{name}: {why}: answers are compared where all have as many"
            )));
        }
        let pass = |repeat: usize| {
            let of = |list: &[Piece]| -> Vec<Hit> {
                (1..).zip(list.iter().filter(|piece| piece.repeat == repeat)).map(hit).collect()
            };
            Run::from_rankings(pieces.iter().map(|(query, list)| (query.clone(), of(list))))
        };
        let runs = (0..repeats).map(pass).collect::<Result<_>>()?;
        let evaluation = Evaluation::of_passes(base, Judging::default(), runs)?;
        let evaluation = evaluation.keeping(|query| pieces.contains_key(&query.id));
        let evaluation = evaluation.ok_or_else(|| Error::invalid(format!("{name} has nothing to judge")))?;
        let evaluation = match &self.spec.statistics.cluster {
            None => evaluation,
            Some(key) => evaluation.clustered_by(key)?,
        };
        Ok(AnswersOf { evaluation: evaluation.of_claims(), pieces, given, excluded })
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
        let drawn = match drawn_queries(base, &people.sample, cluster) {
            Ok(drawn) => drawn,
            Err(error) => return Ok((base.clone(), BTreeSet::new(), Err(error))),
        };
        let mut qrels = base.qrels().clone();
        for said in people.grades().filter(|said| drawn.contains(&said.query)) {
            // One of another text is one of another claim: its id is made of what was shown.
            let Some(piece) = all.get(&said.query, &said.document) else { continue };
            let query = base.query(&said.query).map(|query| sha256(query.in_conversation().as_bytes()));
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

/// All claims that people and this judge have ever judged and that this metric counts, whoever answers so today.
fn labels(
    collection: &Collection,
    metric: AnswerMetric,
    (judge, file): (&str, &JudgmentsFile),
    people: Option<&HumansFile>,
) -> Vec<LabelledPair> {
    let own = file.items().filter(|item| item.judge == judge);
    let own: HashMap<(&str, &str), &Item> =
        own.map(|item| ((item.query.as_str(), item.document.as_str()), item)).collect();
    let label = |grade: &HumanGrade| {
        // The id of the question is made of all that was shown.
        let (question, claim) = grade.document.rsplit_once('/').filter(|(_, claim)| metric.counts(claim))?;
        let item = own.get(&(grade.query.as_str(), question))?;
        let text = collection.query(&grade.query)?.in_conversation();
        let of_today =
            sha256(text.as_bytes()) == grade.query_sha256 && shown_sha256(&text) == item.query_sha256;
        let model = match metric.form() {
            None => item.grade,
            Some(form) => {
                let said = item.claims.iter().flatten().find(|one| one.id == claim);
                said.and_then(|one| one.verdict).and_then(|verdict| verdict.grade(form))
            }
        };
        Some(LabelledPair {
            query: grade.query.clone(),
            document: grade.document.clone(),
            people: grade.grade.filter(|_| of_today)?,
            model,
            batch: grade.batch,
        })
    };
    people.into_iter().flat_map(HumansFile::labels).filter_map(label).collect()
}
