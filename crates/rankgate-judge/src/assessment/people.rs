//! Queries that people judge: drawn, listed, and their grades taken in.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind as Io;
use std::path::PathBuf;

use rankgate::gate::{Gate, Judged, Level};
use rankgate::internal::judge::{ClaimForPeople, SCALE, criterion_name};
use rankgate::judge::{HumanGrade, HumansFile, Pair, Sample, Strata, sha256, shown_to_people};

use super::Assessment;
use crate::collection::Document;
use crate::error::Quoted;
use crate::holes::{Holes, SkippedConfiguration};
use crate::output::write_whole;
use crate::{Error, ErrorKind, Result};
use rankgate_report::benchmark::model::{Finding, GateReport, Verdict};
use rankgate_report::internal::analysis::FEWEST_DRAWN;

/// The default seed of a sample.
const SEED: u64 = 1;
/// The highest grade that people give.
pub(super) const MOST: u8 = SCALE[1];

/// The drawn queries, and what people are still to judge of them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct People {
    /// The file of the sample.
    pub path: PathBuf,
    /// Which queries, or groups of them, were drawn.
    pub sample: Sample,
    /// The queries among them.
    pub queries: usize,
    /// How many grades are on file.
    pub graded: usize,
    /// The pairs left to judge, as people see them.
    pub pairs: Vec<Pair>,
    /// Configurations whose documents are unknown.
    pub left_out: Vec<SkippedConfiguration>,
}

/// A look at a sample that grows until verdicts are there.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Look {
    /// How many queries, or groups of them, people had judged at the look.
    pub judged: usize,
    /// The gates that were waited for. Empty as long as people have not judged all that was drawn.
    pub gates: Vec<AwaitedGate>,
    /// What people are to judge for the next look.
    pub people: People,
}

/// A gate that people's grades correct, at a look.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AwaitedGate {
    /// Its name.
    pub name: String,
    /// Whether it passes; nothing where it is open.
    pub passes: Option<bool>,
    /// Whether it would be open even if people judged all queries, as far as those that they have judged show.
    pub by_nobody: bool,
}

impl AwaitedGate {
    /// # Errors
    ///
    /// A gate that cannot be decided.
    fn new(gate: &GateReport) -> Result<Self> {
        let passes = match gate.verdict {
            Verdict::Passed => Some(true),
            Verdict::Failed => Some(false),
            Verdict::Inconclusive | Verdict::Advisory | Verdict::Reported | Verdict::Skipped => None,
            Verdict::Errored => {
                let name = Quoted(&gate.name);
                return Err(Error::invalid(format!("{name} cannot be decided: `rankgate run` says why")));
            }
        };
        let corrected = match &gate.finding {
            Finding::Threshold(finding) => finding.corrected.as_ref(),
            Finding::Comparison(finding) => finding.corrected.as_ref(),
            _ => None,
        };
        let by_nobody = passes.is_none() && corrected.is_some_and(|corrected| corrected.by_nobody);
        Ok(Self { name: gate.name.clone(), passes, by_nobody })
    }
}

impl Assessment<'_> {
    /// Draws so many queries for people, or all where there are fewer, or lists the rest to judge of the drawn ones.
    ///
    /// The draw is one of all queries by a seed that the file records; where the spec's statistics are over groups of
    /// queries, groups are drawn. A larger sample holds the smaller one. People's grades stay.
    ///
    /// # Errors
    ///
    /// A spec that names no file for it, a file that is none, fewer than two queries, or than are drawn. Another seed, unless the
    /// sample was drawn for another judge: that would be a choice.
    pub fn draw_sample(&self, queries: Option<usize>, seed: Option<u64>) -> Result<People> {
        self.draw(queries, seed, None)
    }

    /// The same from each stratum of the queries by itself, about as many as it is large: `by` is a metadata key of the queries,
    /// or a metric of documents, whose value by the judge's grades makes four strata of queries. The file records the strata,
    /// and later draws keep them.
    ///
    /// # Errors
    ///
    /// As [`draw_sample`](Self::draw_sample); another kind of sample that people have begun to judge; nothing by which there are two
    /// strata, fewer queries than these need.
    pub fn draw_strata(&self, queries: Option<usize>, seed: Option<u64>, by: &str) -> Result<People> {
        self.draw(queries, seed, Some(by))
    }

    fn draw(&self, queries: Option<usize>, seed: Option<u64>, by: Option<&str>) -> Result<People> {
        let path = self.humans_path()?;
        let units = self.units()?;
        let ids: Vec<&str> = units.keys().map(String::as_str).collect();
        let queries = queries.map(|queries| queries.min(ids.len()));
        let judge = self.judges_of_gates()?;
        let file = match read(&path)? {
            None => {
                let none = || {
                    let message = "no queries are drawn yet: say how many, such as `--queries 40`";
                    Error::of_file(ErrorKind::Missing, &path, message)
                };
                let size = queries.ok_or_else(none)?;
                let strata = by.map(|by| self.strata(by, &units)).transpose()?;
                HumansFile::new(self.drawn(draw(&ids, size, seed.unwrap_or(SEED), (false, strata))?, judge))
            }
            Some(mut file) => {
                let before = &file.sample;
                let choice = |what: String| Err(Error::in_file(&path, format!("{what}, would be a choice")));
                let nobody_looked = file.grades().next().is_none();
                let kind = before.strata.as_ref().map(|strata| strata.by.as_str());
                if let Some(by) = by.filter(|by| kind != Some(*by))
                    && (before.until || !nobody_looked)
                {
                    let from = kind.map_or_else(|| "all queries".to_owned(), |by| format!("strata of {by}"));
                    return choice(format!("the sample was drawn from {from}; one from strata of {by}"));
                }
                // Strata stay as they were recorded, as long as they hold the queries that there are.
                let same = before.check(&ids);
                let strata = match (&before.strata, by) {
                    (Some(strata), None) if same.is_ok() && seed.is_none() => Some(strata.clone()),
                    (Some(strata), Some(by)) if strata.by == by && same.is_ok() && seed.is_none() => {
                        Some(strata.clone())
                    }
                    (_, Some(by)) => Some(self.strata(by, &units)?),
                    (Some(strata), None) => Some(self.strata(&strata.by, &units)?),
                    (None, None) => None,
                };
                let anew = |size, seed| draw(&ids, size, seed, (before.until, strata.clone()));
                if let (true, Some(size), None) = (before.until, queries, seed) {
                    return choice(format!(
                        "the sample grows until the verdict is there, by `--until`; a size, {size}"
                    ));
                }
                // What nobody has looked at yet, no judge was fitted to.
                let is_its_own = before.judge.as_ref() == Some(&judge) || nobody_looked;
                match seed.filter(|seed| *seed != before.seed) {
                    Some(seed) if is_its_own => {
                        return choice(format!(
                            "the sample was drawn by seed {}; another one, {seed}",
                            before.seed
                        ));
                    }
                    // The judge was changed since: it is to be measured by queries that it cannot have been fitted to.
                    Some(seed) => {
                        let size = queries.unwrap_or(before.drawn.len());
                        let calibrate_from = before.calibrate_from;
                        let drawn = self.drawn(anew(size, seed)?, judge);
                        file.sample = Sample { calibrate_from, ..drawn };
                    }
                    None => {
                        let size = queries.unwrap_or(before.drawn.len());
                        match same {
                            // Of fewer, once they are graded, nobody knows why these.
                            Ok(()) if size < before.drawn.len() && !nobody_looked => {
                                return choice(format!(
                                    "{} are drawn already; fewer, {size}",
                                    before.drawn.len()
                                ));
                            }
                            Err(error) if queries.is_none() => return Err(error),
                            Ok(()) | Err(_) => {}
                        }
                        let whose = if is_its_own { Some(judge) } else { before.judge.clone() };
                        let calibrate_from = before.calibrate_from;
                        let drawn = self.drawn(anew(size, before.seed)?, String::new());
                        file.sample = Sample { calibrate_from, judge: whose, ..drawn };
                    }
                }
                file
            }
        };
        if queries.is_some() || seed.is_some() || by.is_some() {
            write_whole(&path, file.text().as_bytes())?;
        }
        self.people(path, &file, &units)
    }

    /// What people are still to judge of a sample.
    fn people(
        &self,
        path: PathBuf,
        file: &HumansFile,
        units: &BTreeMap<String, Vec<&str>>,
    ) -> Result<People> {
        let sample = file.sample.clone();
        let chosen: BTreeSet<&str> =
            sample.drawn.iter().filter_map(|unit| units.get(unit)).flatten().copied().collect();
        let (pairs, left_out) = self.left_for_people(file, &chosen)?;
        let (graded, queries) = (file.grades().count(), chosen.len());
        drop(chosen);
        Ok(People { path, sample, queries, graded, pairs, left_out })
    }

    /// Draws queries for people until every gate that people's grades correct has a verdict: the first ones, and once all of
    /// these are judged a batch more as long as a gate is open. Limits then hold at every look ([`CorrectedMean::at_every_look`]),
    /// and the file says so before the first grade.
    ///
    /// # Errors
    ///
    /// A sample of a size that was fixed before; a spec without such a gate, or one that cannot be decided.
    ///
    /// [`CorrectedMean::at_every_look`]: rankgate::stats::CorrectedMean::at_every_look
    pub fn draw_until(&self, batch: usize, seed: Option<u64>) -> Result<Look> {
        let path = self.humans_path()?;
        let units = self.units()?;
        let ids: Vec<&str> = units.keys().map(String::as_str).collect();
        let Some(mut file) = read(&path)? else {
            let first = Sample::begin(&ids, FEWEST_DRAWN.min(ids.len()), seed.unwrap_or(SEED))?;
            let file = HumansFile::new(self.drawn(first, self.judges_of_gates()?));
            write_whole(&path, file.text().as_bytes())?;
            return Ok(Look { judged: 0, gates: Vec::new(), people: self.people(path, &file, &units)? });
        };
        if !file.sample.until {
            let message = format!(
                "the sample is of {} queries, fixed before: to stop when the verdict is there would be a choice; begin \
                 `--until` with a file of its own",
                file.sample.drawn.len()
            );
            return Err(Error::in_file(&path, message));
        }
        if seed.is_some() {
            return Ok(Look { judged: 0, gates: Vec::new(), people: self.draw_sample(None, seed)? });
        }
        file.sample.check(&ids)?;
        let people = self.people(path.clone(), &file, &units)?;
        if !people.pairs.is_empty() {
            return Ok(Look { judged: 0, gates: Vec::new(), people });
        }
        let gates = self.corrected_gates()?;
        let drawn = file.sample.drawn.len();
        let is_open = gates.iter().any(|gate| gate.passes.is_none());
        if !is_open || drawn == ids.len() {
            return Ok(Look { judged: drawn, gates, people });
        }
        let before = file.sample.clone();
        let more = Sample::begin(&ids, (drawn + batch.max(1)).min(ids.len()), before.seed)?;
        file.sample = Sample { drawn: more.drawn, ..before };
        write_whole(&path, file.text().as_bytes())?;
        Ok(Look { judged: drawn, gates, people: self.people(path, &file, &units)? })
    }

    /// The gates that people's grades correct. Where some can fail a build those that only advise wait for nobody.
    fn corrected_gates(&self) -> Result<Vec<AwaitedGate>> {
        let spec = self.spec();
        let is_corrected = |gate: &&Gate| {
            let limit = gate.kind.limit().and_then(|(at, _)| spec.thresholds.get(at)?.judged);
            let compared = gate.kind.scores_compared().and_then(|(at, _)| spec.comparisons.get(at)?.judged);
            matches!(limit.or(compared), Some(Judged::Corrected | Judged::Calibrated))
        };
        let all: Vec<&Gate> = self.benchmark.gates().iter().filter(is_corrected).collect();
        let blocks = |gate: &&Gate| gate.level == Level::Blocking;
        let names: BTreeSet<&str> = match all.iter().any(blocks) {
            true => all.iter().filter(|gate| blocks(gate)).map(|gate| gate.name.as_str()).collect(),
            false => all.iter().map(|gate| gate.name.as_str()).collect(),
        };
        if names.is_empty() {
            return Err(Error::invalid(
                "no gate of this spec is `judged: corrected`: there is no verdict to wait for",
            ));
        }
        self.benchmark.decide_where(|gate| names.contains(gate.name.as_str()));
        let report = self.benchmark.report();
        let decided = report.gates.iter().filter(|gate| names.contains(gate.name.as_str()));
        decided.map(AwaitedGate::new).collect()
    }

    /// Leaves people's grades before the last delivery out of what the judge's errors are known from, and says how many these are.
    /// They stay on file, and correct as before.
    ///
    /// # Errors
    ///
    /// No sample, or one whose grades came at once: then none is newer than another.
    pub fn recalibrate(&self) -> Result<usize> {
        let path = self.humans_path()?;
        let none = || Error::of_file(ErrorKind::Missing, &path, "no queries are drawn yet");
        let mut file = read(&path)?.ok_or_else(none)?;
        let last = file.last_batch();
        let before = file.labels().filter(|grade| grade.batch < last).count();
        if before == 0 {
            let message = "all grades since then came with one `--merge`: have people judge new pairs first";
            return Err(Error::in_file(&path, message));
        }
        file.sample.calibrate_from = last;
        write_whole(&path, file.text().as_bytes())?;
        Ok(before)
    }

    /// The pairs of query and question on which people's grades are on file, whether or not anything returns them today.
    pub(super) fn graded_questions(&self) -> Result<BTreeSet<(String, String)>> {
        let Some(path) = self.judge()?.humans.as_ref() else { return Ok(BTreeSet::new()) };
        let file = read(&path.resolve()?)?;
        let of_grade = |grade: &HumanGrade| {
            // A claim is a part of a question on several.
            let question = grade.document.rsplit_once('/').map(|(question, _)| question.to_owned());
            let all = question.into_iter().chain([grade.document.clone()]);
            all.map(|document| (grade.query.clone(), document)).collect::<Vec<_>>()
        };
        Ok(file.iter().flat_map(HumansFile::grades).flat_map(of_grade).collect())
    }

    /// What the judgments call the judge in each of the forms in which gates rest on it.
    fn judges_of_gates(&self) -> Result<String> {
        let plan = self.judge()?;
        let of_answers = self.inspection.questions_of_answers();
        let mut all = Vec::new();
        if of_answers.is_empty() || self.rests_on_grades() {
            all.push(plan.description()?.id());
        }
        for (task, criterion) in of_answers {
            all.push(plan.question(task, criterion.as_deref())?.id());
        }
        Ok(all.join(" "))
    }

    /// A sample that is to correct this judge.
    fn drawn(&self, draw: Sample, judge: String) -> Sample {
        let cluster = self.spec().statistics.cluster.clone();
        Sample { cluster, judge: Some(judge), ..draw }
    }

    /// The queries that means are taken over, by the drawn units: themselves, or their groups.
    pub(super) fn units(&self) -> Result<BTreeMap<String, Vec<&str>>> {
        let mut units: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for query in self.collection()?.queries() {
            let unit = match &self.spec().statistics.cluster {
                None => query.id.clone(),
                Some(key) => match query.segments(key).as_slice() {
                    [group] => group.to_string(),
                    _ => {
                        let message = format!(
                            "query {} does not belong to one group of {}",
                            Quoted(&query.id),
                            Quoted(key)
                        );
                        return Err(Error::invalid(message));
                    }
                },
            };
            units.entry(unit).or_default().push(&query.id);
        }
        Ok(units)
    }

    pub(super) fn humans_path(&self) -> Result<PathBuf> {
        let none = || {
            Error::invalid(
                "the spec's `judge:` names no file for people's grades, such as `humans: judged/humans.jsonl`",
            )
        };
        self.judge()?.humans.as_ref().ok_or_else(none)?.resolve()
    }

    /// The unjudged documents among the first ones of the drawn queries.
    fn left_for_people(
        &self,
        file: &HumansFile,
        drawn: &BTreeSet<&str>,
    ) -> Result<(Vec<Pair>, Vec<SkippedConfiguration>)> {
        let collection = self.collection()?;
        let Holes { pairs, left_out, .. } = match self.rests_on_grades() {
            true => Holes::find(self.benchmark)?,
            false => Holes { pairs: Default::default(), left_out: Vec::new() },
        };
        let open = |(query, document): &(String, String)| {
            drawn.contains(query.as_str()) && collection.qrels().grade(query, document).is_none()
        };
        let ids: Vec<(String, String)> = pairs.into_keys().filter(open).collect();
        let found = match ids.is_empty() {
            true => Default::default(),
            false => self.benchmark.documents(ids.iter().map(|(_, document)| document.as_str()))?,
        };
        let pair = |(query, document): &(String, String)| {
            let text = shown_to_people(found.get(document)?);
            Some(Pair { query: collection.query(query)?.clone(), document: Document::new(document, text) })
        };
        let judged = |pair: &Pair| {
            file.grade(&pair.query.id, &pair.document.id).is_some_and(|grade| {
                let [query, document] = hashes(pair);
                grade.query_sha256 == query && grade.document_sha256 == document
            })
        };
        let claims = self.claims_for_people(drawn)?;
        Ok((ids.iter().filter_map(pair).chain(claims).filter(|pair| !judged(pair)).collect(), left_out))
    }

    /// Claims, nuggets and answers of the drawn queries, each with what it is to be judged by.
    pub(super) fn claims_for_people(&self, drawn: &BTreeSet<&str>) -> Result<Vec<Pair>> {
        let all = self.inspection.claims_for_people(drawn, None)?.into_iter();
        let pair = |one: ClaimForPeople| {
            let document = Document::new(&one.id, one.text).with("scale", self.words_for_people(&one.id));
            Pair { query: one.query, document }
        };
        Ok(all.map(pair).collect())
    }

    /// What the grades from 0 mean of a claim, a nugget or an answer; nothing where they are those of documents.
    fn words_for_people(&self, id: &str) -> Vec<String> {
        let criterion = criterion_name(id).and_then(|name| self.judge().ok()?.criterion(name));
        if let Some(criterion) = criterion {
            return criterion.scale.clone();
        }
        let words: &[&str] = match id.split('/').next() {
            Some("support") => &["contradicted", "not there", "supported"],
            Some("nuggets") => &["not there", "in part", "all there"],
            _ => &[],
        };
        words.iter().map(|word| (*word).to_owned()).collect()
    }
}

/// A sample of all, of strata, or the beginning of one that grows.
fn draw(ids: &[&str], size: usize, seed: u64, (until, strata): (bool, Option<Strata>)) -> Result<Sample> {
    match strata {
        Some(strata) => Sample::draw_strata(ids, size, seed, strata),
        None if until => Sample::begin(ids, size, seed),
        None => Sample::draw(ids, size, seed),
    }
}

/// The file of a sample, if it is there.
pub(super) fn read(path: &std::path::Path) -> Result<Option<HumansFile>> {
    match fs::read_to_string(path) {
        Ok(text) => HumansFile::parse(&path.display().to_string(), &text).map(Some),
        Err(error) if error.kind() == Io::NotFound => Ok(None),
        Err(error) => Err(Error::io("cannot read", path, error)),
    }
}

/// Of a pair's query and document, as they are shown.
pub(super) fn hashes(pair: &Pair) -> [String; 2] {
    [&*pair.query.in_conversation(), pair.document.text.as_str()].map(|text| sha256(text.as_bytes()))
}
