//! What a judge says beside what people say of the same.

use std::collections::{BTreeMap, BTreeSet};

use rankgate::internal::judge::ClaimForPeople;
use rankgate::judge::{Item, Task, sha256};
use rankgate::metric::Metric;
use rankgate_report::benchmark::model::ErrorTest;

use super::Assessment;
use super::people::{MOST, read};
use crate::Result;
use crate::check::{ErrorsAlike, GateCorrection, Grades, JudgeCheck, Ordered};
use crate::collection::{Collection, CollectionBuilder};
use crate::evaluation::Evaluation;
use crate::probe::Probe;
use crate::stats::Confidence;

impl Assessment<'_> {
    /// In which order the configurations come on the drawn queries by people's grades, and by the judge's where people
    /// did not judge before the draw; nothing of fewer than two configurations.
    pub(super) fn ordered(&self, items: &[Item]) -> Result<Option<Ordered>> {
        let sample = match self.judge()?.humans.as_ref() {
            Some(path) => read(&path.resolve()?)?,
            None => None,
        };
        let (Some(sample), Some(metric)) = (sample, self.spec().metrics.first()) else { return Ok(None) };
        let units = self.units()?;
        let drawn: BTreeSet<&str> =
            sample.sample.drawn.iter().filter_map(|unit| units.get(unit)).flatten().copied().collect();
        let people =
            sample.grades().filter_map(|one| Some((one.query.as_str(), one.document.as_str(), one.grade?)));
        let judge =
            items.iter().filter_map(|item| Some((item.query.as_str(), item.document.as_str(), item.grade?)));
        let people: Vec<_> = people.collect();
        let judge: Vec<_> = judge.collect();
        // What people, or the judge, have not seen of a ranking would count as not relevant: such a query says nothing.
        let cutoff = metric.cutoff().unwrap_or(self.judge()?.depth);
        let collection = self.collection()?;
        let [seen, graded] = [&people, &judge]
            .map(|all| all.iter().map(|(query, document, _)| (*query, *document)).collect::<BTreeSet<_>>());
        let is_whole = |query: &str| {
            let own = self.spec().configurations.iter();
            own.filter(|one| one.ignore.is_none() && !one.is_derived())
                .filter_map(|one| self.inspection.evaluation(one).ok())
                .flat_map(|one| {
                    let top = one.top(0, query, cutoff);
                    top.into_iter().map(str::to_owned).collect::<Vec<_>>()
                })
                .all(|document| {
                    let pair = (query, document.as_str());
                    collection.qrels().grade(query, &document).is_some()
                        || seen.contains(&pair) && graded.contains(&pair)
                })
        };
        let whole: BTreeSet<&str> = drawn.into_iter().filter(|query| is_whole(query)).collect();
        if whole.is_empty() {
            return Ok(None);
        }
        let (by_people, by_judge) =
            (self.judged_also(&whole, people.into_iter())?, self.judged_also(&whole, judge.into_iter())?);
        let mut configurations = Vec::new();
        for configuration in
            self.spec().configurations.iter().filter(|one| one.ignore.is_none() && !one.is_derived())
        {
            let Ok(evaluation) = self.inspection.evaluation(configuration) else { continue };
            let Some(run) = evaluation.run(0) else { continue };
            let mean =
                |collection: &Collection| Evaluation::of_run(collection, run.clone())?.value(metric.clone());
            if let (Ok(people), Ok(judge)) = (mean(&by_people), mean(&by_judge)) {
                configurations.push((configuration.name.clone(), [people, judge]));
            }
        }
        Ok(Ordered::from_means(metric.to_string(), whole.len(), configurations))
    }

    /// The drawn queries with what the collection has judged, and these grades where it has none. Probes are no documents: what a judge
    /// says of them is no part of an ideal ranking.
    pub(super) fn judged_also<'a>(
        &self,
        drawn: &BTreeSet<&str>,
        grades: impl Iterator<Item = (&'a str, &'a str, u8)>,
    ) -> Result<Collection> {
        let collection = self.collection()?;
        let mut more: BTreeMap<&str, Vec<(String, i32)>> = BTreeMap::new();
        for (query, document, grade) in grades {
            let is_new = || collection.qrels().grade(query, document).is_none();
            if drawn.contains(query) && Probe::kinds(document).is_empty() && is_new() {
                more.entry(query).or_default().push((document.to_owned(), i32::from(grade)));
            }
        }
        let mut builder = CollectionBuilder::new();
        for query in collection.queries().iter().filter(|query| drawn.contains(query.id.as_str())) {
            let judged = collection.judgments(&query.id).into_iter().flat_map(|judged| judged.iter());
            let judged = judged.map(|(document, grade)| (document.to_owned(), grade));
            builder
                .add_query(query.clone(), judged.chain(more.remove(query.id.as_str()).unwrap_or_default()));
        }
        builder.build()
    }

    /// The documents that both people and the judge have graded: the collection's judgments, and those of the
    /// sample.
    pub(super) fn beside<'a>(&'a self, items: &'a [Item]) -> Result<Grades<'a>> {
        let collection = self.collection()?;
        let sample = match self.judge()?.humans.as_ref() {
            Some(path) => read(&path.resolve()?)?,
            None => None,
        };
        let mut grades = Grades { pairs: Vec::new(), segments: BTreeMap::new() };
        for item in items {
            let judged = collection.qrels().grade(&item.query, &item.document);
            // A grade below 0 says that somebody looked and found nothing.
            let judged = judged.and_then(|grade| u8::try_from(grade.max(0)).ok());
            let drawn = || sample.as_ref()?.grade(&item.query, &item.document)?.grade;
            if let (Some(people), Some(judge)) =
                (judged.or_else(drawn).filter(|grade| *grade <= MOST), item.grade)
            {
                grades.pairs.push((&item.query, people, judge));
            }
        }
        grades.segments = self.segments_of_queries()?;
        Ok(grades)
    }

    /// By query: its segments, each a key and a value.
    fn segments_of_queries(&self) -> Result<BTreeMap<&str, Vec<[String; 2]>>> {
        let mut all: BTreeMap<&str, Vec<[String; 2]>> = BTreeMap::new();
        for key in &self.spec().segments {
            for query in self.collection()?.queries() {
                let values = query.segments(key);
                let segments = all.entry(&query.id).or_default();
                segments.extend(values.iter().map(|value| [key.clone(), value.to_string()]));
            }
        }
        Ok(all)
    }

    /// What people say of the claims, nuggets or answers that a judge has judged.
    pub(super) fn check_claims(&self, check: JudgeCheck, kind: (Task, Option<String>)) -> Result<JudgeCheck> {
        let Some(sample) =
            self.judge()?.humans.as_ref().map(|path| read(&path.resolve()?)).transpose()?.flatten()
        else {
            return Ok(check);
        };
        let units = self.units()?;
        let drawn = sample.sample.drawn.iter().filter_map(|unit| units.get(unit)).flatten().copied();
        let pieces = self.inspection.claims_for_people(&drawn.collect(), Some(&kind))?;
        let by_both = |one: &ClaimForPeople| -> Option<(u8, u8)> {
            let judge = one.judged?;
            let said = sample.grade(&one.query.id, &one.id)?;
            let of_this = said.query_sha256 == sha256(one.query.in_conversation().as_bytes())
                && said.document_sha256 == sha256(one.text.as_bytes());
            Some((said.grade.filter(|_| of_this)?, judge))
        };
        let pairs = pieces.iter().filter_map(|piece| {
            let (people, judge) = by_both(piece)?;
            Some((piece.query.id.as_str(), people, judge))
        });
        let grades = Grades { pairs: pairs.collect(), segments: self.segments_of_queries()? };
        let most = match (check.scale.len(), check.verdicts.is_empty()) {
            (0, true) => MOST,
            (0, false) => 2,
            (words, _) => u8::try_from(words - 1).unwrap_or(MOST),
        };
        let mut check = check.beside_people(&grades, most, Confidence::default())?;
        check.order = self.ordered_by_claims(&kind)?;
        check.errors = self.errors_alike(Some(&kind))?;
        check.corrections = self.corrections(Some(&kind));
        Ok(check)
    }

    /// Whether the judge errs alike everywhere, where gates carry its errors over.
    pub(super) fn errors_alike(&self, kind: Option<&(Task, Option<String>)>) -> Result<Vec<ErrorsAlike>> {
        let tests = self.inspection.error_tests(kind)?;
        let of_metric = |metric: &str| tests.iter().filter(|(other, ..)| other.to_string() == metric).count();
        let alike = |(metric, configuration, test): &(Metric, Option<String>, ErrorTest)| {
            let metric = metric.to_string();
            ErrorsAlike {
                refuted: test.is_refuted(of_metric(&metric)),
                configuration: configuration.clone(),
                pairs: test.pairs,
                p: test.p,
                metric,
            }
        };
        Ok(tests.iter().map(alike).collect())
    }

    /// What the judge is worth to the gates that people's grades correct.
    pub(super) fn corrections(&self, kind: Option<&(Task, Option<String>)>) -> Vec<GateCorrection> {
        let all = self.inspection.corrections(kind).into_iter();
        all.map(|(gate, report, interval)| GateCorrection::new(gate, &report, interval)).collect()
    }

    /// In which order people and the judge put the configurations, by their claims of drawn queries that people have
    /// judged throughout.
    fn ordered_by_claims(&self, kind: &(Task, Option<String>)) -> Result<Option<Ordered>> {
        let order = self.inspection.order_by_claims(kind)?;
        Ok(order.and_then(|(metric, queries, means)| Ordered::from_means(metric.to_string(), queries, means)))
    }
}
