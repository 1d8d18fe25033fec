//! Honest tuning: settings are chosen on one half of the queries, and the choice is confirmed on the other, which is looked at
//! once a time and counted.

mod choose;
mod committed;
mod confirm;
mod curve;
mod looks;
mod report;
#[cfg(test)]
mod simulation;
mod text;

pub use choose::{Choice, FEWEST_LOCKED, Halves, SettingScore, SweepScores};
pub use confirm::Confirmed;
pub use looks::Look;
pub use report::{TUNE_SCHEMA, TuneReport, TunedSetting};
pub use text::{tune_json, tune_page, tune_text};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rankgate::benchmark::Benchmark;
use rankgate::internal::Inspection;

use self::committed::Committed;
use crate::error::{Quoted, chain};
use crate::evaluation::Evaluation;
use crate::metric::Metric;
use crate::run::Run;
use crate::spec::{Configuration, Spec, Sweep};
use crate::stats::{ComparisonSettings, Confidence, Differences, PairedT, Stream, queries_needed};
use crate::{Error, Result};

/// The file of looks in a benchmark's golden folder.
const LOOKS: &str = "looks.jsonl";
/// Results whose judgments are counted where the metric has no cutoff.
const JUDGED_AT: usize = 10;
/// Of the first results, the share that sides may differ by in what nobody judged.
const UNJUDGED_DIFFERENCE: f64 = 0.02;
/// The chance to show the nested gain, for the number of queries that it takes.
const POWER: f64 = 0.8;

/// How a sweep is carried out.
#[derive(Clone, Debug)]
pub struct TuneDemand {
    /// The metric that chooses.
    pub metric: Metric,
    /// The key of the hash that halves the queries.
    pub key: String,
    /// Whether the locked half is looked at, where a setting is better than today's.
    pub look: bool,
}

/// What a sweep takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TuneCost {
    /// Settings that are tried.
    pub settings: u64,
    /// Questions to retrievers; none where rankings that are there already are fused or read. Answers that this process has
    /// already, or that are cached, are counted as well.
    pub questions: u64,
}

/// What the sweep of a configuration takes: today's setting and each of the others, in each repeat and build.
///
/// # Errors
/// A configuration without a sweep; a collection that cannot be read.
pub fn tune_cost(benchmark: &Benchmark, configuration: &Configuration) -> Result<TuneCost> {
    let settings = sweep_of(configuration)?.settings();
    let (inspection, spec) = (Inspection::new(benchmark), benchmark.spec());
    let is_asked = |one: &Configuration| one.is_live() && !inspection.is_elsewhere(one);
    let passes = |one: &Configuration| one.passes() as u64;
    // Today's setting is that of the gates: where they ask for it, it is asked twice to see whether it answers the same.
    let of_gates = |one: &Configuration| passes(one) + u64::from(spec.deterministic && one.repeats < 2);
    // Of a fusion the sources are asked once, whatever is tried.
    let mut asked: BTreeMap<&str, u64> = BTreeMap::new();
    for one in spec.with_sources(configuration).into_iter().filter(|one| is_asked(one)) {
        asked.insert(&one.name, of_gates(one));
    }
    let tried = if is_asked(configuration) { settings.saturating_mul(passes(configuration)) } else { 0 };
    let queries = benchmark.collection()?.queries_to_ask().len() as u64;
    let questions = asked.into_values().sum::<u64>().saturating_add(tried).saturating_mul(queries);
    Ok(TuneCost { settings, questions })
}

fn sweep_of(configuration: &Configuration) -> Result<&Sweep> {
    configuration.sweep.as_ref().ok_or_else(|| {
        Error::invalid(format!(
            "{} has no `sweep`: add one, such as `sweep: {{alpha: {{from: 0, to: 1, step: 0.1}}}}`",
            Quoted(&configuration.name)
        ))
    })
}

/// Tries every setting of a configuration's sweep, chooses on one half of the queries and confirms on the other. A look at the
/// locked half is written into the golden folder before anything of it is returned.
///
/// # Errors
/// A setting that cannot be asked or scored; fewer than 30 queries in the locked half; looks that are missing in the golden folder, or
/// that cannot be written there.
pub fn tune(benchmark: &Benchmark, configuration: &Configuration, demand: &TuneDemand) -> Result<TuneReport> {
    let inspection = Inspection::new(benchmark);
    if demand.look {
        inspection.check_keeps_looks()?;
    }
    // Less may be better, as of refusals; of what may not be wanted no setting is the best.
    if !demand.metric.is_best_low() {
        demand.metric.check_gain()?;
    }
    let sweep = MeasuredSweep::new(benchmark, configuration, demand)?;
    let choice = sweep.scores.choose(&sweep.halves.dev, benchmark.spec().statistics.confidence)?;
    let mut report = sweep.report(&choice)?;
    let Some(best) = choice.best else { return Ok(report) };
    report.cautions.extend(unjudged_caution(&report, best));
    let SweepScores { today, settings, .. } = &sweep.scores;
    let differences = sweep.scores.differences(today, &settings[best], &sweep.halves.dev)?;
    report.queries_needed = needed(&differences, choice.nested, benchmark.spec())?;
    if demand.look {
        sweep.look(best, &mut report)?;
    }
    Ok(report)
}

/// A sweep of which every setting has its scores.
struct MeasuredSweep<'a> {
    benchmark: &'a Benchmark,
    configuration: &'a Configuration,
    demand: &'a TuneDemand,
    sweep: &'a Sweep,
    scores: SweepScores,
    halves: Halves,
    /// Of each query's first results, those that nobody judged: today's, and those of each setting.
    unjudged: (Vec<usize>, Vec<Vec<usize>>),
    /// Looks that were there before.
    looks: usize,
    cautions: Vec<String>,
}

impl<'a> MeasuredSweep<'a> {
    fn new(
        benchmark: &'a Benchmark,
        configuration: &'a Configuration,
        demand: &'a TuneDemand,
    ) -> Result<Self> {
        let (inspection, spec) = (Inspection::new(benchmark), benchmark.spec());
        let sweep = sweep_of(configuration)?;
        check_recorded(inspection, spec, configuration)?;
        let today = inspection.evaluation(configuration)?;
        let metric = &demand.metric;
        let scored = |evaluation: &Evaluation| {
            Ok::<_, Error>((evaluation.scores(metric)?, unjudged(evaluation, judged_at(metric))))
        };
        let (today_scores, today_unjudged) = scored(&today)?;
        let mut scores = SweepScores {
            queries: today.queries().iter().map(|query| query.id.clone()).collect(),
            groups: today.groups().map(<[String]>::to_vec),
            today: today_scores,
            settings: Vec::new(),
            range: metric.range(),
            lower_is_better: metric.is_best_low(),
        };
        // Before hours are spent on settings of which nothing could be shown.
        let halves = scores.halve(&demand.key)?;
        let path = looks_file(inspection)?;
        let looks = read_looks(&path, spec.statistics.confidence)?.len();
        let settings = Settings::new(inspection, spec, configuration)?;
        let mut unjudged = Vec::new();
        for number in 0..sweep.settings() {
            let evaluation = settings.evaluation(number).map_err(|error| {
                let (name, setting) = (Quoted(&configuration.name), setting_name(sweep, number));
                Error::with_kind(error.kind(), format!("{name} with {setting}: {}", chain(&error)))
            })?;
            let same = evaluation.queries().iter().map(|query| &query.id).eq(&scores.queries);
            if !same {
                return Err(Error::invalid(format!(
                    "{} with {} answers other queries than today's",
                    Quoted(&configuration.name),
                    setting_name(sweep, number)
                )));
            }
            let (of_setting, of_query) = scored(&evaluation)?;
            scores.settings.push(of_setting);
            unjudged.push(of_query);
        }
        let mut cautions = settings.cautions;
        cautions.extend(Committed::gone(&path));
        if scores.settings.len() > 1 && scores.settings.windows(2).all(|pair| pair[0] == pair[1]) {
            cautions.push(format!(
                "all {} settings score alike in every query: what is tried changes nothing that {metric} sees",
                scores.settings.len()
            ));
        }
        let unjudged = (today_unjudged, unjudged);
        Ok(Self { benchmark, configuration, demand, sweep, scores, halves, unjudged, looks, cautions })
    }

    /// What the choosing half says; nothing of the locked one.
    fn report(&self, choice: &Choice) -> Result<TuneReport> {
        let (demand, statistics) = (self.demand, &self.benchmark.spec().statistics);
        let all = choice.settings.iter().zip(&self.unjudged.1).zip(0..);
        Ok(TuneReport {
            schema: TUNE_SCHEMA,
            benchmark: self.benchmark.name().to_owned(),
            configuration: self.configuration.name.clone(),
            metric: demand.metric.to_string(),
            lower_is_better: demand.metric.is_best_low(),
            key: demand.key.clone(),
            confidence: statistics.confidence.level(),
            cluster: statistics.cluster.clone(),
            dev: self.halves.dev.len(),
            locked: self.halves.locked.len(),
            judged_at: judged_at(&demand.metric),
            today: self.tuned(&choice.today, self.values_today(), &self.unjudged.0),
            settings: all.map(|((score, counts), at)| self.tuned(score, self.values(at), counts)).collect(),
            keys: self.keys().collect(),
            best: choice.best,
            naive: choice.naive,
            nested: choice.nested,
            look: None,
            looked_before: false,
            looks: self.looks,
            queries_needed: None,
            asked: tune_cost(self.benchmark, self.configuration)?.questions,
            cautions: self.cautions.clone(),
        })
    }

    fn tuned(
        &self,
        score: &SettingScore,
        values: BTreeMap<String, String>,
        counts: &[usize],
    ) -> TunedSetting {
        let dev = &self.halves.dev;
        TunedSetting {
            values,
            unjudged: dev.iter().map(|at| counts[*at] as f64).sum::<f64>() / dev.len() as f64,
            mean: score.mean,
            difference: score.difference,
            interval: score.interval.map(|one| [one.low, one.high]),
            in_plateau: score.in_plateau,
        }
    }

    fn keys(&self) -> impl Iterator<Item = String> {
        self.sweep.dimensions.iter().map(|one| one.key.clone())
    }

    fn values(&self, number: u64) -> BTreeMap<String, String> {
        self.keys().zip(self.sweep.labels(number).into_iter().map(str::to_owned)).collect()
    }

    fn values_today(&self) -> BTreeMap<String, String> {
        let labels = self.keys().zip(self.configuration.labels_today());
        labels.filter_map(|(key, label)| Some((key, label?))).collect()
    }

    /// Looks at the locked half: the best setting against today's. The same scores are no new look.
    fn look(&self, best: usize, report: &mut TuneReport) -> Result<()> {
        let inspection = Inspection::new(self.benchmark);
        let path = looks_file(inspection)?;
        // Two processes that look at once would count one look: the second waits, and reads the first one's.
        let _lock = inspection.lock_looks()?;
        let mut looks = read_looks(&path, self.benchmark.spec().statistics.confidence)?;
        let sha256 = self.scores.locked_sha256(&self.scores.settings[best], &self.halves.locked);
        let before = looks.iter().find(|look| look.scores == sha256 && look.metric == report.metric).cloned();
        report.looked_before = before.is_some();
        report.look = match before {
            Some(look) => {
                // What a line says of the same scores is what the test says of them.
                let tested = self.confirm(best, report, look.look, sha256)?;
                let resamples = comparison_settings(self.benchmark.spec()).permutation.resamples;
                look.check_same(&path, &tested, resamples)?;
                report.cautions.extend(look.renamed(&tested));
                Some(tested)
            }
            None => {
                let look = self.confirm(best, report, looks.len() + 1, sha256)?;
                looks.push(look.clone());
                // A look that is not counted is none: it is written before anybody sees what it said.
                inspection.write_golden(&path, &looks::to_lines(&looks)?)?;
                Some(look)
            }
        };
        report.looks = looks.len();
        Ok(())
    }

    fn confirm(&self, best: usize, report: &TuneReport, number: usize, scores: String) -> Result<Look> {
        let (spec, name) = (self.benchmark.spec(), &self.configuration.name);
        let stream =
            Stream::new(spec.statistics.seed).for_name(&format!("tune/{name}/{}", self.demand.metric));
        let by = (&comparison_settings(spec), &stream);
        let locked = &self.halves.locked;
        let confirmed = self.scores.confirm(&self.scores.settings[best], locked, number, by)?;
        Ok(Look {
            look: number,
            configuration: name.clone(),
            metric: report.metric.clone(),
            chosen: report.settings[best].values.clone(),
            today: self.values_today(),
            queries: locked.len(),
            difference: confirmed.difference,
            interval: confirmed.interval.map(|one| [one.low, one.high]),
            p: confirmed.p,
            level: confirmed.level,
            shown: confirmed.shown,
            key: self.demand.key.clone(),
            scores,
        })
    }
}

/// A setting as messages name it: `k 60, weights [0.3, 0.7]`.
fn setting_name(sweep: &Sweep, number: u64) -> String {
    let named = sweep.dimensions.iter().zip(sweep.labels(number));
    named.map(|(dimension, label)| format!("{} {label}", dimension.key)).collect::<Vec<_>>().join(", ")
}

/// Results of a query whose judgments are counted.
fn judged_at(metric: &Metric) -> usize {
    metric.cutoff().unwrap_or(JUDGED_AT)
}

fn looks_file(inspection: Inspection<'_>) -> Result<PathBuf> {
    Ok(inspection.golden_folder()?.join(LOOKS))
}

/// Refuses what only a test of the crate can ask, as long as that has not asked it.
fn check_recorded(inspection: Inspection<'_>, spec: &Spec, configuration: &Configuration) -> Result<()> {
    for source in spec.with_sources(configuration) {
        if !inspection.is_elsewhere(source) || inspection.recording(source)?.is_some() {
            continue;
        }
        let command = match source.name == configuration.name {
            true => "`RANKGATE_TUNE=1 cargo test` asks it in all of its settings",
            false => "`cargo test` asks it, and keeps its rankings for this command",
        };
        let name = Quoted(&source.name);
        return Err(Error::invalid(format!(
            "{name} is registered from Rust, and was not asked yet: {command}"
        )));
    }
    Ok(())
}

/// What decides on the locked half is what decides gates.
fn comparison_settings(spec: &Spec) -> ComparisonSettings {
    let statistics = &spec.statistics;
    ComparisonSettings {
        confidence: statistics.confidence,
        test: statistics.test,
        bootstrap_resamples: statistics.resamples,
        ..ComparisonSettings::default()
    }
}

/// The looks so far.
fn read_looks(path: &Path, confidence: Confidence) -> Result<Vec<Look>> {
    let looks = match std::fs::read_to_string(path) {
        Ok(text) => looks::parse(path, &text, confidence)?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(Error::in_file(path, format!("cannot be read: {error}"))),
    };
    if let Some(committed) = Committed::read(path) {
        committed.check(path, &looks)?;
    }
    Ok(looks)
}

/// How many of each query's first results nobody judged, in the first pass.
fn unjudged(evaluation: &Evaluation, top: usize) -> Vec<usize> {
    let collection = evaluation.collection();
    let count = |query: &crate::collection::Query| {
        let first = evaluation.top(0, &query.id, top);
        first.into_iter().filter(|document| collection.grade(&query.id, document).is_none()).count()
    };
    evaluation.queries().iter().map(count).collect()
}

fn unjudged_caution(report: &TuneReport, best: usize) -> Option<String> {
    let (chosen, today) = (report.settings[best].unjudged, report.today.unjudged);
    if (chosen - today).abs() <= UNJUDGED_DIFFERENCE * report.judged_at as f64 {
        return None;
    }
    let (more, why) = match chosen > today {
        true => ("more", "its gain may be larger than it looks"),
        false => ("fewer", "its gain may be nothing but that"),
    };
    Some(format!(
        "the best setting returns {more} documents that nobody judged than today's ({chosen:.2} and {today:.2} a query): they count as \
         not relevant, so {why}; `rankgate pool` lists them"
    ))
}

/// Queries of a locked half that would show a gain like the nested one.
fn needed(differences: &Differences, nested: f64, spec: &Spec) -> Result<Option<u64>> {
    let Some(t) = PairedT::new(differences) else { return Ok(None) };
    let gain = if nested.signum() == differences.mean().signum() { nested } else { 0.0 };
    queries_needed(gain, t.standard_deviation(), spec.statistics.confidence, POWER)
}

/// The settings of a sweep, measured one after the other: what each answers is not kept.
struct Settings<'a> {
    inspection: Inspection<'a>,
    /// The spec without what asks twice.
    spec: Spec,
    configuration: &'a Configuration,
    /// What is fused answered, where the configuration is a fusion.
    answers: Vec<Vec<Run>>,
    cautions: Vec<String>,
}

impl<'a> Settings<'a> {
    fn new(inspection: Inspection<'a>, spec: &'a Spec, configuration: &'a Configuration) -> Result<Self> {
        let (mut answers, mut cautions) = (Vec::new(), Vec::new());
        for name in configuration.fusion().into_iter().flat_map(|plan| &plan.sources) {
            let Some(source) = spec.configuration(name) else { continue };
            let evaluation = inspection.evaluation(source)?;
            let gone = || Error::invalid(format!("the rankings of {} are no longer there", Quoted(name)));
            let runs = (0..evaluation.passes()).map(|pass| evaluation.run(pass).cloned().ok_or_else(gone));
            answers.push(runs.collect::<Result<Vec<_>>>()?);
        }
        for source in spec.with_sources(configuration) {
            if let Some(recorded) = inspection.recording(source)? {
                cautions.push(format!("{} was not asked: {}", source.name, recorded.describe()));
            }
        }
        let mut spec = spec.clone();
        spec.deterministic = false;
        Ok(Self { inspection, spec, configuration, answers, cautions })
    }

    fn evaluation(&self, number: u64) -> Result<Evaluation> {
        let setting = self.configuration.in_setting(number)?;
        let runs = match setting.fusion() {
            Some(plan) => self.inspection.fuse(plan, &self.answers)?,
            None => match self.inspection.recorded_setting(self.configuration, number)? {
                Some(runs) => runs,
                None => self.inspection.ask(&self.spec, &setting, self.inspection.asked_collection()?)?,
            },
        };
        self.inspection.judge(&setting, runs)
    }
}
