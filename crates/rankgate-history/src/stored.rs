//! Stored reports: what they say of the history of their benchmarks.
//!
//! What places a report in a history stands at its beginning. The rest is read only of the first report that has a
//! ranking, so that thousands of commits that change nothing cost next to nothing.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::content::{Both, ReportContent};
use crate::measured::{Golden, Inputs, Measurement};
use crate::model::{
    AlarmRules, ConfigurationHistory, DocumentMove, HistoryReport, Mover, Outcome, RankingReport, Report,
    SCHEMA, Verdict, Verdicts,
};
use crate::timeline::{Refused, Timeline};
use crate::{Error, Result, order, threads};

/// Bytes that are read of a file at a time: about as long as what is wanted of it.
const BLOCK: usize = 4 << 10;
/// Documents of one query.
const DOCUMENTS: usize = 4;

/// What was read of stored reports.
#[derive(Debug, Default)]
pub struct StoredReports {
    /// By benchmark and configuration.
    pub measurements: BTreeMap<(String, String), Vec<Measurement>>,
    /// Runs that stand beside reports, by benchmark and configuration.
    pub runs: BTreeMap<(String, String), Vec<StoredRun>>,
    /// Reports that say nothing of a history, and why.
    pub refused: Vec<Refused>,
    /// Reports by benchmark and commit.
    commits: BTreeMap<(String, String), Vec<PathBuf>>,
    /// A report of each ranking.
    files: BTreeMap<Key, PathBuf>,
}

/// A run beside a report.
#[derive(Clone, Debug)]
pub struct StoredRun {
    /// Id of the commit.
    pub commit: String,
    /// The file; it need not be there.
    pub path: PathBuf,
    /// Fingerprint of the golden run that stood there.
    pub golden: Option<String>,
}

/// What makes two measurements the same one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    benchmark: String,
    configuration: String,
    ranking: String,
    golden: Option<String>,
    inputs: Inputs,
    /// The metadata key whose values group queries.
    cluster: Option<String>,
}

/// What is read of a report first.
#[derive(Default)]
struct Head {
    schema: Option<u32>,
    benchmark: Option<String>,
    history: Option<HistoryReport>,
}

impl StoredReports {
    /// Reads reports: `report.json` files.
    pub fn read(files: &[PathBuf]) -> Self {
        let heads = threads::map(files.len(), |index| head_of(&files[index]));
        let mut kept = Self::default();
        // The first report of each ranking, and all commits that have it.
        let mut placed: Vec<(Key, &ConfigurationHistory, AlarmRules, &str, String)> = Vec::new();
        for (file, head) in files.iter().zip(&heads) {
            match head.as_ref().map_err(|why| why.clone()).and_then(Head::placed) {
                Err(why) => kept.refused.push(Refused { what: file.display().to_string(), why }),
                Ok((benchmark, history, commit)) => {
                    let of = (benchmark.to_owned(), commit.to_owned());
                    kept.commits.entry(of).or_default().push(file.clone());
                    for one in &history.configurations {
                        let key = key(benchmark, history, one);
                        // Runs of stages and variants are called `mine+typos.run`.
                        let run = file.with_file_name(format!("{}.run", one.name.replace('@', "+")));
                        let golden = one.golden.clone();
                        let run = StoredRun { commit: commit.to_owned(), path: run, golden };
                        kept.runs.entry(key.subject()).or_default().push(run);
                        kept.files.entry(key.clone()).or_insert_with(|| file.clone());
                        let alarms = history.alarms.unwrap_or_default();
                        placed.push((key, one, alarms, commit, file.display().to_string()));
                    }
                }
            }
        }
        // Of each file all of its configurations at once.
        let mut wanted: BTreeMap<&Path, Vec<&Key>> = BTreeMap::new();
        for (key, file) in &kept.files {
            wanted.entry(file).or_default().push(key);
        }
        let wanted: Vec<(&Path, Vec<&Key>)> = wanted.into_iter().collect();
        let histories = files
            .iter()
            .zip(&heads)
            .filter_map(|(file, head)| Some((file.as_path(), head.as_ref().ok()?.history.as_ref()?)));
        let histories: BTreeMap<&Path, &HistoryReport> = histories.collect();
        // All keys of a file are of one report, which says once how queries are grouped.
        let read = threads::map(wanted.len(), |index| {
            let (file, keys) = &wanted[index];
            let text = std::fs::read(file).map_err(|error| format!("cannot read it: {error}"))?;
            let content: ReportContent =
                serde_json::from_slice(&text).map_err(|error| format!("no report of rankgate: {error}"))?;
            content.check(histories.get(file).copied()).map_err(|why| why.to_string())?;
            content.scores(keys.first().and_then(|key| key.cluster.as_deref()))
        });
        let mut known: BTreeMap<&Key, Result<Both, String>> = BTreeMap::new();
        for ((_, keys), read) in wanted.iter().zip(&read) {
            for key in keys {
                let missing = || format!("it has no scores of the configuration {}", key.configuration);
                let found = read.as_ref().map_err(|why| why.clone());
                known.insert(
                    key,
                    found.and_then(|found| found.get(&key.configuration).cloned().ok_or_else(missing)),
                );
            }
        }
        for (key, one, alarms, commit, file) in placed {
            match &known[&key] {
                Err(why) => kept.refused.push(Refused { what: file, why: why.clone() }),
                Ok((now, golden)) => {
                    let of_golden =
                        |ranking: &String| Golden { ranking: ranking.clone(), scores: Arc::clone(golden) };
                    let measurement = Measurement {
                        commit: commit.to_owned(),
                        ranking: key.ranking.clone(),
                        scores: Arc::clone(now),
                        golden: key.golden.as_ref().map(of_golden),
                        blessed: false,
                        accepted: one.accepted,
                        judged: key.inputs.judgments.clone(),
                        inputs: key.inputs.clone(),
                        gated: one.gated.clone(),
                        alarms,
                        varies: one.varies,
                    };
                    kept.measurements.entry(key.subject()).or_default().push(measurement);
                }
            }
        }
        kept
    }

    /// Verdicts of a commit's report of a benchmark; of several reports those of the worst.
    #[must_use]
    pub fn verdicts(&self, benchmark: &str, commit: &str) -> Option<Verdicts> {
        let files = self.commits.get(&(benchmark.to_owned(), commit.to_owned()))?;
        let read = |file: &PathBuf| StoredReport::verdicts(&std::fs::read(file).ok()?).ok();
        let place = |verdicts: &Verdicts| {
            use Verdict::{Errored, Failed, Inconclusive, Skipped};
            let order = [Some(Failed), Some(Inconclusive), Some(Errored), Some(Skipped)];
            order.iter().position(|one| *one == verdicts.worst()).unwrap_or(order.len())
        };
        files.iter().filter_map(read).min_by_key(place)
    }

    /// Names the documents behind alarms, as far as reports show rankings: their tops, and what they missed.
    ///
    /// # Errors
    /// A report that cannot be read any more.
    pub fn explain(&self, benchmark: &str, configuration: &str, timeline: &mut Timeline) -> Result<()> {
        explain_alarms(configuration, timeline, |ranking| {
            let own = |key: &&Key| {
                key.benchmark == benchmark && key.configuration == configuration && key.ranking == ranking
            };
            self.files
                .keys()
                .find(own)
                .and_then(|key| self.files.get(key))
                .map(|file| read_report(file))
                .transpose()
        })
    }
}

/// Names the documents behind the alarms of a configuration, as far as reports show rankings: `report_of` has one of each
/// ranking, by its fingerprint.
///
/// # Errors
/// Those of `report_of`.
pub fn explain_alarms<E>(
    configuration: &str,
    timeline: &mut Timeline,
    mut report_of: impl FnMut(&str) -> Result<Option<Report>, E>,
) -> Result<(), E> {
    for alarm in &mut timeline.alarms {
        let Some(held) = alarm.largest() else { continue };
        let Some(state) = timeline.states.iter().find(|state| state.number == alarm.state) else { continue };
        let (Some(before), Some(now)) = (report_of(&held.against)?, report_of(&state.ranking)?) else {
            continue;
        };
        for query in &mut alarm.queries {
            name_documents(query, [&before, &now], configuration);
        }
    }
    Ok(())
}

/// A report in memory: which benchmark, which commit and which rankings it is of.
#[derive(Clone, Debug)]
pub struct StoredReport {
    /// The benchmark.
    pub benchmark: String,
    /// Id of the commit.
    pub commit: String,
    /// Its fingerprints.
    pub history: HistoryReport,
}

impl StoredReport {
    /// Reads the beginning of a `report.json`, as far as it places the report.
    ///
    /// # Errors
    /// No report of this version, or one that does not say its commit or fingerprints.
    pub fn read(report: &[u8]) -> Result<Self> {
        let head = head(report).map_err(Error::invalid)?;
        let (benchmark, history, commit) = head.placed().map_err(Error::invalid)?;
        Ok(Self { benchmark: benchmark.to_owned(), commit: commit.to_owned(), history: history.clone() })
    }

    /// Verdicts of the gates of a whole `report.json`.
    ///
    /// # Errors
    /// No report.
    pub fn verdicts(report: &[u8]) -> Result<Verdicts> {
        #[derive(Deserialize)]
        struct Gates {
            #[serde(default)]
            gates: Vec<Gate>,
        }
        #[derive(Deserialize)]
        struct Gate {
            verdict: Verdict,
        }
        let Gates { gates } = serde_json::from_slice(report)
            .map_err(|error| Error::invalid(format!("no report of rankgate: {error}")))?;
        Ok(gates.into_iter().map(|gate| gate.verdict).collect())
    }

    /// What a configuration's measurement depends on beside the retriever.
    #[must_use]
    pub fn inputs(&self, one: &ConfigurationHistory) -> Inputs {
        Inputs::from_report(&self.history, one)
    }
}

impl Head {
    /// Benchmark, history and commit, or what keeps the report from being placed.
    fn placed(&self) -> Result<(&str, &HistoryReport, &str), String> {
        match self.schema {
            Some(SCHEMA) => {}
            Some(other) => return Err(format!("schema {other}; this version of rankgate reads {SCHEMA}")),
            None => return Err("no report of rankgate: it has no `schema`".to_owned()),
        }
        let benchmark = self.benchmark.as_deref().ok_or("no report of rankgate: it names no benchmark")?;
        let history = self.history.as_ref().ok_or(
            "it has no `history`: nothing was measured, or it is of a rankgate that did not write it yet",
        )?;
        let commit = history.commit.as_deref().ok_or(
            "it does not say its commit: the environment (RANKGATE_COMMIT, GITHUB_SHA, ...) did not tell it, and \
             git knew none or had changes that were not committed",
        )?;
        Ok((benchmark, history, commit))
    }
}

fn key(benchmark: &str, history: &HistoryReport, one: &ConfigurationHistory) -> Key {
    Key {
        benchmark: benchmark.to_owned(),
        configuration: one.name.clone(),
        ranking: one.ranking.clone(),
        golden: one.golden.clone(),
        inputs: Inputs::from_report(history, one),
        cluster: history.cluster.clone(),
    }
}

impl Key {
    /// What it is of.
    fn subject(&self) -> (String, String) {
        (self.benchmark.clone(), self.configuration.clone())
    }
}

/// The beginning of a file, as far as it places the report.
fn head_of(file: &Path) -> Result<Head, String> {
    let opened = File::open(file).map_err(|error| format!("cannot read it: {error}"))?;
    head(BufReader::with_capacity(BLOCK, opened))
}

fn head(report: impl Read) -> Result<Head, String> {
    let mut head = Head::default();
    let mut json = serde_json::Deserializer::from_reader(report);
    match json.deserialize_map(&mut head) {
        // Whatever stands behind it is not read.
        Err(error) if head.history.is_none() => Err(format!("no report of rankgate: {error}")),
        _ => Ok(head),
    }
}

impl<'de> Visitor<'de> for &mut Head {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a report")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "schema" => self.schema = Some(map.next_value()?),
                "benchmark" => self.benchmark = Some(map.next_value()?),
                "history" => {
                    self.history = Some(map.next_value()?);
                    // Where somebody sorted the keys the rest stands behind it.
                    if self.schema.is_some() && self.benchmark.is_some() {
                        return Ok(());
                    }
                }
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

fn read_report(file: &Path) -> Result<Report> {
    let text = std::fs::read(file).map_err(|error| Error::io("cannot read", file, error))?;
    serde_json::from_slice(&text).map_err(|error| Error::in_file(file, error.to_string()))
}

/// Says what was asked, and which judged documents moved.
fn name_documents(query: &mut Mover, sides: [&Report; 2], configuration: &str) {
    let of = |report: &&'_ Report| {
        let one = report.configurations.iter().find(|one| one.name == configuration)?;
        let Outcome::Measured(measured) = &one.outcome else { return None };
        let found = measured.queries.iter().find(|one| one.id == query.query)?;
        Some((found.text.clone(), found.ranking.clone().unwrap_or_default()))
    };
    let [Some((_, before)), Some((text, now))] = [of(&sides[0]), of(&sides[1])] else { return };
    (query.text, query.documents) = (text, moved(&before, &now));
}

/// The judged documents that two rankings have at different ranks; the highest grades first.
fn moved(before: &RankingReport, now: &RankingReport) -> Vec<DocumentMove> {
    let mut moves: BTreeMap<&str, DocumentMove> = BTreeMap::new();
    for (ranking, is_now) in [(before, false), (now, true)] {
        let top = (1..).zip(&ranking.top).map(|(rank, one)| (&one.document, one.grade, Some(rank)));
        let missed = ranking.missed.iter().map(|one| (&one.document, Some(one.grade), one.rank));
        for (document, grade, rank) in top.chain(missed).filter(|(_, grade, _)| grade.is_some()) {
            let moved = moves.entry(document).or_insert_with(|| DocumentMove {
                neighbour: None,
                metadata: Vec::new(),
                score: None,
                document: document.clone(),
                grade,
                by_model: false,
                from: None,
                to: None,
            });
            if is_now { moved.to = rank } else { moved.from = rank }
        }
    }
    let mut moves: Vec<DocumentMove> = moves.into_values().filter(|one| one.from != one.to).collect();
    order::sort_by_key(&mut moves, |one| std::cmp::Reverse(one.grade));
    moves.truncate(DOCUMENTS);
    moves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scores;

    const REPORT: &str = r#"{"schema": 2, "benchmark": "toy",
        "history": {"commit": "c1", "queries": "q", "judgments": "j", "corpus": "", "definitions": "1",
            "configurations": [{"name": "words", "depth": 10, "ranking": "r1", "golden": "g", "gated": ["RR"]}]},
        "configurations": [{"name": "words", "outcome": {"measured": {"queries": [
            {"id": "q1", "scores": {"RR": 1.0}, "golden": {"scores": {"RR": 0.5}}},
            {"id": "q2", "scores": {"RR": 0.25}, "golden": {}}]}}},
            {"name": "other", "outcome": "not-asked"}]}"#;

    fn read(texts: &[&str]) -> StoredReports {
        let folder = tempfile::tempdir().unwrap();
        let file = |(number, text): (usize, &&str)| {
            let path = folder.path().join(format!("{number}.json"));
            std::fs::write(&path, text).unwrap();
            path
        };
        StoredReports::read(&texts.iter().enumerate().map(file).collect::<Vec<_>>())
    }

    #[test]
    fn a_report_gives_its_scores_and_those_of_its_golden_run() {
        let kept = read(&[REPORT]);
        let [one] = kept.measurements[&("toy".to_owned(), "words".to_owned())].as_slice() else { panic!() };
        assert_eq!(
            (one.commit.as_str(), one.ranking.as_str(), one.gated.as_slice()),
            ("c1", "r1", &["RR".to_owned()][..])
        );
        let of = |scores: &Scores| scores.by_metric.clone();
        assert_eq!(of(&one.scores), [("RR".to_owned(), vec![1.0, 0.25])]);
        assert_eq!(of(&one.golden.as_ref().unwrap().scores), [("RR".to_owned(), vec![0.5, 0.25])]);
        assert!(kept.refused.is_empty());
    }

    #[test]
    fn queries_are_grouped_as_the_report_says_and_metrics_stand_in_its_order() {
        let report = REPORT
            .replace(r#""definitions": "1","#, r#""definitions": "1", "cluster": "user","#)
            .replace(
                r#""scores": {"RR": 1.0}"#,
                r#""metadata": {"user": "u"}, "scores": {"AP": 1.0, "RR": 1.0}"#,
            )
            .replace(
                r#""scores": {"RR": 0.25}"#,
                r#""metadata": {"user": "u"}, "scores": {"AP": 0.5, "RR": 0.25}"#,
            )
            .replacen(r#""schema": 2,"#, r#""schema": 2, "metrics": ["RR", "AP"],"#, 1);
        let kept = read(&[&report, &report.replace(r#""user": "u""#, r#""team": "u""#).replace("r1", "r2")]);
        let [one] = kept.measurements[&("toy".to_owned(), "words".to_owned())].as_slice() else { panic!() };
        assert_eq!(one.scores.groups, Some(vec!["u".to_owned(); 2]));
        assert_eq!(one.golden.as_ref().unwrap().scores.groups, one.scores.groups);
        let metrics: Vec<&str> = one.scores.by_metric.iter().map(|(metric, _)| metric.as_str()).collect();
        assert_eq!(metrics, ["RR", "AP"]);
        let said = "query `q1` has no `user`, by which queries are grouped (`cluster`)";
        assert_eq!((kept.refused.len(), kept.refused[0].why.as_str()), (1, said));
    }

    #[test]
    fn the_run_of_a_variant_has_the_name_that_runs_are_written_under() {
        let kept = read(&[&REPORT.replace("\"words\"", "\"words@typos\"")]);
        let [run] = kept.runs[&("toy".to_owned(), "words@typos".to_owned())].as_slice() else { panic!() };
        assert_eq!(run.path.file_name().unwrap(), "words+typos.run");
    }

    #[test]
    fn of_a_ranking_that_is_known_the_beginning_is_read_alone() {
        // Behind its history the second file is no JSON.
        let head = &REPORT.replace("\"c1\"", "\"c2\"")
            [..REPORT.find("\"configurations\": [{\"name\": \"words\", \"outcome\"").unwrap()];
        let kept = read(&[REPORT, &format!("{head} oh no")]);
        let all = &kept.measurements[&("toy".to_owned(), "words".to_owned())];
        assert_eq!((all.len(), all[1].commit.as_str(), kept.refused.len()), (2, "c2", 0));
        assert!(Arc::ptr_eq(&all[0].scores, &all[1].scores));
    }

    #[test]
    fn a_report_that_contradicts_itself_is_in_no_history() {
        let kept = read(&[REPORT, &REPORT.replace("r1", "r2").replace("0.25", "7.5")]);
        assert_eq!(kept.measurements[&("toy".to_owned(), "words".to_owned())].len(), 1);
        let why: Vec<&str> = kept.refused.iter().map(|one| one.why.as_str()).collect();
        let place = "/configurations/0/outcome/measured/queries/1/scores/RR";
        assert_eq!(why, [format!("{place}: RR of query `q2` is 7.5, and RR lies between 0 and 1")]);
    }

    #[test]
    fn what_cannot_be_placed_is_named_with_the_reason() {
        let old = r#"{"schema": 2, "benchmark": "toy", "configurations": []}"#;
        let older = r#"{"schema": 1, "benchmark": "toy"}"#;
        let nowhere = REPORT.replace("\"commit\": \"c1\", ", "");
        let kept = read(&[old, older, &nowhere, "[]", "{}"]);
        let why: Vec<&str> = kept.refused.iter().map(|one| one.why.as_str()).collect();
        assert!(why[0].starts_with("it has no `history`: "), "{why:?}");
        assert_eq!(why[1], "schema 1; this version of rankgate reads 2");
        assert!(why[2].starts_with("it does not say its commit: "), "{why:?}");
        assert!(why[3].starts_with("no report of rankgate: invalid type: sequence"), "{why:?}");
        assert_eq!((why[4], kept.measurements.len()), ("no report of rankgate: it has no `schema`", 0));
    }
}
