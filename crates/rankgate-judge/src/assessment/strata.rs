//! Strata of queries that people's sample is drawn from: by metadata, or by the judge's scores.

use std::collections::{BTreeMap, BTreeSet};

use rankgate::judge::{JudgmentsFile, Strata};
use rankgate::metric::Metric;

use super::Assessment;
use crate::error::Quoted;
use crate::evaluation::Evaluation;
use crate::{Error, Result};

/// Strata by the judge's scores, with as many units each as ties allow.
const STRATA: usize = 4;
/// The stratum of queries without the metadata key, or without a score.
const WITHOUT: &str = "(none)";

impl Assessment<'_> {
    /// The strata of drawn units by a metadata key, or by the judge's scores under a metric.
    pub(super) fn strata(&self, by: &str, units: &BTreeMap<String, Vec<&str>>) -> Result<Strata> {
        let collection = self.collection()?;
        let has_key = collection.queries().iter().any(|query| !query.segments(by).is_empty());
        let of = if has_key { self.strata_of_key(by, units)? } else { self.strata_of_scores(by, units)? };
        if of.len() < 2 {
            return Err(Error::invalid(format!("all queries are in one stratum of {}", Quoted(by))));
        }
        Ok(Strata { by: by.to_owned(), of })
    }

    fn strata_of_key(
        &self,
        key: &str,
        units: &BTreeMap<String, Vec<&str>>,
    ) -> Result<BTreeMap<String, Vec<String>>> {
        let collection = self.collection()?;
        let mut strata: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (unit, queries) in units {
            let queries = queries.iter().filter_map(|id| collection.query(id));
            let values: BTreeSet<String> = queries.map(|query| query.segments(key).join(" ")).collect();
            let [value] = &values.into_iter().collect::<Vec<_>>()[..] else {
                let message =
                    format!("the queries of {} have several values of {}", Quoted(unit), Quoted(key));
                return Err(Error::invalid(message));
            };
            let name = if value.is_empty() { WITHOUT } else { value };
            strata.entry(name.to_owned()).or_default().push(unit.clone());
        }
        Ok(strata)
    }

    /// Quarters of the units by the mean of the configurations' scores, equal scores together.
    fn strata_of_scores(
        &self,
        metric: &str,
        units: &BTreeMap<String, Vec<&str>>,
    ) -> Result<BTreeMap<String, Vec<String>>> {
        let scores = self.scores_by_judge(metric)?;
        let score = |queries: &Vec<&str>| {
            let all: Vec<f64> = queries.iter().filter_map(|id| scores.get(*id)).copied().collect();
            (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
        };
        let (mut ordered, mut unscored): (Vec<(f64, &String)>, Vec<String>) = (Vec::new(), Vec::new());
        for (unit, queries) in units {
            match score(queries) {
                Some(score) => ordered.push((score, unit)),
                None => unscored.push(unit.clone()),
            }
        }
        ordered.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(other.1)));
        let mut cuts: Vec<usize> = vec![0];
        for part in 1..STRATA {
            let mut cut = part * ordered.len() / STRATA;
            while cut > 0 && cut < ordered.len() && ordered[cut].0 == ordered[cut - 1].0 {
                cut += 1;
            }
            cuts.push(cut);
        }
        cuts.push(ordered.len());
        cuts.dedup();
        let mut strata = BTreeMap::new();
        if !unscored.is_empty() {
            strata.insert(WITHOUT.to_owned(), unscored);
        }
        for (place, ends) in cuts.windows(2).enumerate() {
            let part = &ordered[ends[0]..ends[1]];
            if let (Some((low, _)), Some((high, _))) = (part.first(), part.last()) {
                let mut members: Vec<String> = part.iter().map(|(_, unit)| (*unit).clone()).collect();
                members.sort_unstable();
                strata.insert(format!("{}: {low:.3} to {high:.3}", place + 1), members);
            }
        }
        Ok(strata)
    }

    /// Each query's score under a metric by the judge's grades where people gave none, a mean over the configurations.
    fn scores_by_judge(&self, metric: &str) -> Result<BTreeMap<String, f64>> {
        let parsed: Metric = metric.parse().map_err(|error| {
            let keys: BTreeSet<&str> = self
                .collection()
                .map(|collection| collection.queries().iter().flat_map(|query| query.metadata.keys()))
                .into_iter()
                .flatten()
                .map(String::as_str)
                .collect();
            let keys: Vec<&str> = keys.into_iter().collect();
            let keys = if keys.is_empty() { "queries have none".to_owned() } else { keys.join(", ") };
            Error::invalid(format!(
                "{} is no metadata key of queries ({keys}), and no metric: {error}",
                Quoted(metric)
            ))
        })?;
        if parsed.is_of_answers() || !self.rests_on_grades() {
            return Err(Error::invalid(format!(
                "strata by the judge's scores are of metrics of documents, and {} is none here: name a metadata key",
                Quoted(metric)
            )));
        }
        let plan = self.judge()?;
        let judge = plan.description()?.id();
        let file = JudgmentsFile::read(&plan.judgments.resolve()?, false)?;
        let items = file.items().filter(|item| item.judge == judge);
        let grades: Vec<(&str, &str, u8)> = items
            .filter_map(|item| Some((item.query.as_str(), item.document.as_str(), item.grade?)))
            .collect();
        if grades.is_empty() {
            return Err(Error::invalid(format!(
                "{judge} has judged nothing yet, and its scores make no strata: `rankgate judge` first"
            )));
        }
        let all: BTreeSet<&str> =
            self.collection()?.queries().iter().map(|query| query.id.as_str()).collect();
        let judged = self.judged_also(&all, grades.into_iter())?;
        let (mut sums, mut count): (BTreeMap<String, f64>, f64) = (BTreeMap::new(), 0.0);
        let configurations = self.spec().configurations.iter();
        for one in configurations.filter(|one| one.ignore.is_none() && !one.is_derived()) {
            let evaluation = self.inspection.evaluation(one)?;
            let Some(run) = evaluation.run(0) else { continue };
            let scored = Evaluation::of_run(&judged, run.clone())?;
            let scores = scored.queries().iter().zip(scored.scores(parsed.clone())?);
            // What nobody judged is no score of 0.
            let is_judged =
                |id: &str| judged.judgments(id).is_some_and(|judged| judged.iter().next().is_some());
            for (query, score) in scores.filter(|(query, _)| is_judged(&query.id)) {
                *sums.entry(query.id.clone()).or_default() += score;
            }
            count += 1.0;
        }
        sums.values_mut().for_each(|sum| *sum /= count);
        Ok(sums)
    }
}
