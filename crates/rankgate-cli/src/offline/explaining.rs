//! One query under two runs, side by side.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use crate::offline::analysis::ranking;
use crate::offline::collection::{Corpus, JudgedPassages, Judgments, Query};
use crate::offline::error::Quoted;
use crate::offline::evaluation::Evaluation;
use crate::offline::metric::{JudgedRanking, Metric};
use crate::offline::model::DocumentMove;
use crate::offline::run::{Hit, overlap};
use crate::offline::{Error, ErrorKind, Result};

use rankgate_core::internal::yaml::nearest;

use crate::offline::SCHEMA;
use crate::offline::names::short_names;

/// Characters of a document that has no title.
const BEGINNING: usize = 200;

/// How to explain one query under two runs.
///
/// ```
/// use rankgate_cli::offline::Explaining;
/// use rankgate::{Collection, Evaluation, Hit, Qrels, Run};
///
/// let collection = Collection::from_qrels(Qrels::parse("mine.qrels", b"q1 0 d1 2\nq1 0 d2 1\n")?)?;
/// let evaluate = |ids: [&str; 2]| {
///     Evaluation::of_run(&collection, Run::from_rankings([("q1", ids.map(|id| Hit::new(id, 1.0)).to_vec())])?)
/// };
/// let (old, new) = (evaluate(["d1", "d2"])?, evaluate(["d9", "d1"])?);
/// let explanation = Explaining::new(["RR".parse()?], 10).explain(("old", &old), ("new", &new), "q1")?;
/// assert_eq!((explanation.metrics[0].baseline, explanation.metrics[0].candidate), (1.0, 0.5));
/// let second = explanation.rows[1].candidate.as_ref().unwrap();
/// assert_eq!((second.document.as_str(), second.grade, second.other_rank), ("d1", Some(2), Some(1)));
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Explaining {
    metrics: Vec<Metric>,
    depth: usize,
}

/// One query under two runs; its JSON form is stable: fields are added, and `schema` counts changes that
/// break a reader.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Explanation {
    /// The version of the JSON form.
    pub schema: u32,
    /// The query's id.
    pub query: String,
    /// The query's text; empty where it is not known.
    pub text: String,
    /// The baseline, by the name of its file as it was given.
    pub baseline: String,
    /// The candidate, likewise.
    pub candidate: String,
    /// Documents that the baseline retrieved.
    pub baseline_retrieved: usize,
    /// Documents that the candidate retrieved.
    pub candidate_retrieved: usize,
    /// Documents that were judged for the query.
    pub judged: usize,
    /// Of these, the relevant ones.
    pub relevant: usize,
    /// The lowest grade that is relevant.
    pub relevant_from: i32,
    /// The query's scores.
    pub metrics: Vec<Explained>,
    /// How many ranks are shown.
    pub depth: usize,
    /// How many documents both have among these.
    pub common: usize,
    /// The same as a share of what they could have in common.
    pub overlap: f64,
    /// The first ranks of both, side by side.
    pub rows: Vec<Row>,
    /// Relevant documents that neither has among these, the highest grade first.
    pub missing: Vec<DocumentMove>,
    /// The best ranking there could be, as far down: judged documents by grade.
    pub ideal: Vec<Judged>,
    /// Titles of documents above, or the beginnings of their texts, where a corpus was given.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub titles: BTreeMap<String, String>,
    #[serde(skip)]
    pub(crate) short: [String; 2],
}

/// One metric of the query.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Explained {
    /// Canonical name.
    pub metric: String,
    /// The baseline's score.
    pub baseline: f64,
    /// The candidate's.
    pub candidate: f64,
    /// Candidate minus baseline.
    pub difference: f64,
    /// The score of the best ranking there could be.
    pub ideal: f64,
}

/// A document with its grade.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Judged {
    /// The document's id.
    pub document: String,
    /// Its grade.
    pub grade: i32,
}

/// One rank of both runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Row {
    /// The rank, from 1.
    pub rank: usize,
    /// The baseline's document there; null behind its last one.
    pub baseline: Option<RankedHit>,
    /// The candidate's.
    pub candidate: Option<RankedHit>,
}

/// A document at a rank.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RankedHit {
    /// The document's id.
    pub document: String,
    /// Its score; null where JSON cannot say it, as for an infinite one.
    pub score: f64,
    /// Its grade; null where it is unjudged.
    pub grade: Option<i32>,
    /// Its rank in the other run; null where that did not retrieve it.
    pub other_rank: Option<usize>,
}

impl Explaining {
    /// With the scores of these metrics and the first ranks: so many, and at least one.
    pub fn new(metrics: impl IntoIterator<Item = Metric>, depth: usize) -> Self {
        Self { metrics: metrics.into_iter().collect(), depth: depth.max(1) }
    }

    /// Puts two runs side by side on one query, each by the name of its file and its scores.
    ///
    /// # Errors
    ///
    /// A query that is not judged (the message proposes ids that are like it); a metric that cannot be
    /// computed.
    pub fn explain(
        &self,
        baseline: (&str, &Evaluation),
        candidate: (&str, &Evaluation),
        query: &str,
    ) -> Result<Explanation> {
        let (before, after) = (baseline.1, candidate.1);
        let collection = before.collection();
        let (Some(asked), Some(judgments)) = (collection.query(query), collection.judgments(query)) else {
            return Err(unknown(query, before, after));
        };
        let names = short_names(&[baseline.0, candidate.0]);
        let passages = collection.passages();
        let (theirs, ours) = (ranking(before, 0, query), ranking(after, 0, query));
        let side = |hits: &[Hit], other: &[Hit]| -> Result<Vec<RankedHit>> {
            let ranks: HashMap<&str, usize> = other.iter().map(|hit| hit.id.as_str()).zip(1..).collect();
            let grades = match passages {
                Some(passages) => passages.judge(query, ids(hits).into_iter())?.0,
                None => hits.iter().map(|hit| judgments.grade(&hit.id)).collect(),
            };
            let placed = |(hit, grade): (&Hit, Option<i32>)| RankedHit {
                document: hit.id.clone(),
                score: hit.score,
                grade,
                other_rank: ranks.get(hit.id.as_str()).copied(),
            };
            Ok(hits.iter().zip(grades).take(self.depth).map(placed).collect())
        };
        let (mut left, mut right) = (side(theirs, ours)?.into_iter(), side(ours, theirs)?.into_iter());
        let shown = self.depth.min(theirs.len().max(ours.len()));
        let rows = (1..=shown).map(|rank| Row { rank, baseline: left.next(), candidate: right.next() });
        let relevant_from = before.judged(0).map_or(1, JudgedRanking::relevant_from);
        let ideal = ideal(judgments);
        let mut explanation = Explanation {
            schema: SCHEMA,
            query: query.to_owned(),
            text: asked.text.clone(),
            baseline: baseline.0.to_owned(),
            candidate: candidate.0.to_owned(),
            baseline_retrieved: theirs.len(),
            candidate_retrieved: ours.len(),
            judged: ideal.len(),
            relevant: ideal.iter().filter(|one| one.grade >= relevant_from.max(0)).count(),
            relevant_from,
            metrics: self.scores(before, after, asked, &ideal)?,
            depth: self.depth,
            common: {
                let theirs: BTreeSet<&str> = ids(theirs).into_iter().take(self.depth).collect();
                ids(ours).iter().take(self.depth).filter(|id| theirs.contains(*id)).count()
            },
            overlap: overlap(&ids(theirs), &ids(ours), self.depth),
            rows: rows.collect(),
            missing: missing((&ideal, passages), relevant_from, theirs, ours, self.depth),
            ideal: ideal.into_iter().filter(|one| one.grade > 0).take(self.depth).collect(),
            titles: BTreeMap::new(),
            short: [names[0].clone(), names[1].clone()],
        };
        if let Some(passages) = passages {
            explanation.add_texts(passages)?;
        }
        Ok(explanation)
    }

    fn scores(
        &self,
        before: &Evaluation,
        after: &Evaluation,
        query: &Query,
        ideal: &[Judged],
    ) -> Result<Vec<Explained>> {
        let left_out = || Error::invalid(format!("query {} was left out", Quoted(&query.id)));
        let position =
            |side: &Evaluation| side.queries().iter().position(|one| one.id == query.id).ok_or_else(left_out);
        let (of_before, of_after) = (position(before)?, position(after)?);
        let score = |side: &Evaluation, metric: &Metric, position| {
            side.score_in(metric, 0, position).unwrap_or_else(|| Err(left_out()))
        };
        let grades = || ideal.iter().map(|one| one.grade);
        let mut best = JudgedRanking::new(grades().map(Some).collect(), grades().collect());
        if let Some(scale) = before.judged(of_before) {
            best = best.with_max_grade(scale.max_grade()).with_relevant_from(scale.relevant_from());
        }
        let explained = |metric: &Metric| {
            let (baseline, candidate) = (score(before, metric, of_before)?, score(after, metric, of_after)?);
            Ok(Explained {
                metric: metric.to_string(),
                baseline,
                candidate,
                difference: candidate - baseline,
                ideal: metric.try_compute(&best)?,
            })
        };
        self.metrics.iter().map(explained).collect()
    }
}

impl Explanation {
    /// Adds the titles of the documents from a corpus, which is read once; the beginning of its text where a
    /// document has no title.
    ///
    /// # Errors
    ///
    /// A corpus that cannot be read.
    pub fn add_titles(&mut self, corpus: &Corpus) -> Result<()> {
        let wanted = self.documents();
        for document in corpus.documents()? {
            let document = document?;
            if wanted.contains(&document.id) {
                let beginning = || beginning(&document.text);
                let title = document.title.filter(|title| !title.is_empty()).unwrap_or_else(beginning);
                self.titles.insert(document.id, title);
            }
        }
        Ok(())
    }

    /// Adds the beginnings of the passages and spans.
    fn add_texts(&mut self, passages: &JudgedPassages) -> Result<()> {
        for id in self.documents() {
            let text = beginning(passages.text(&id)?);
            self.titles.insert(id, text);
        }
        Ok(())
    }

    /// The documents, or passages, that are shown.
    fn documents(&self) -> BTreeSet<String> {
        let ranked = self.rows.iter().flat_map(|row| [&row.baseline, &row.candidate]).flatten();
        let ranked = ranked.map(|ranked| &ranked.document);
        let missing = self.missing.iter().map(|one| &one.document);
        ranked.chain(missing).chain(self.ideal.iter().map(|one| &one.document)).cloned().collect()
    }
}

fn beginning(text: &str) -> String {
    text.chars().take(BEGINNING).collect()
}

fn ids(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.id.as_str()).collect()
}

/// The judged documents, the highest grade first; equal grades by id.
fn ideal(judgments: &Judgments) -> Vec<Judged> {
    let mut judged: Vec<Judged> =
        judgments.iter().map(|(document, grade)| Judged { document: document.to_owned(), grade }).collect();
    // The sort is stable, and judgments stand in the order of ids.
    judged.sort_by_key(|one| std::cmp::Reverse(one.grade));
    judged
}

/// The relevant documents, or spans, that neither ranking has among its first ones.
fn missing(
    (ideal, passages): (&[Judged], Option<&JudgedPassages>),
    relevant_from: i32,
    theirs: &[Hit],
    ours: &[Hit],
    depth: usize,
) -> Vec<DocumentMove> {
    let is = |hit: &Hit, id: &str| {
        hit.id == id || passages.is_some_and(|passages| passages.is_covered(id, &hit.id))
    };
    let rank = |hits: &[Hit], id: &str| hits.iter().position(|hit| is(hit, id)).map(|at| at + 1);
    let relevant = ideal.iter().filter(|one| one.grade >= relevant_from.max(0));
    let moved = relevant.map(|one| DocumentMove {
        document: one.document.clone(),
        grade: Some(one.grade),
        from: rank(theirs, &one.document),
        to: rank(ours, &one.document),
        ..DocumentMove::default()
    });
    let outside = |rank: Option<usize>| rank.is_none_or(|rank| rank > depth);
    moved.filter(|moved| outside(moved.from) && outside(moved.to)).collect()
}

/// The note on an unjudged query.
fn unknown(query: &str, before: &Evaluation, after: &Evaluation) -> Error {
    let answered = !ranking(before, 0, query).is_empty() || !ranking(after, 0, query).is_empty();
    let known = || before.collection().queries().iter().map(|query| query.id.as_str());
    let what = match answered {
        true => "was answered and not judged",
        false => "is not among the judged ones",
    };
    let hint = match nearest(query, known()) {
        Some(near) => format!("did you mean {}?", Quoted(near)),
        None => format!("ids are such as {}", Quoted(known().next().unwrap_or_default())),
    };
    Error::with_kind(ErrorKind::Missing, format!("query {} {what}; {hint}", Quoted(query)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::collection::{Collection, Document, Qrels};
    use crate::offline::run::Run;

    fn evaluations() -> (Evaluation, Evaluation) {
        let qrels = "q1 0 a 3\nq1 0 b 1\nq1 0 c 0\nq1 0 z 2\nq1 0 pooled -1\nq02 0 a 1\n";
        let collection = Collection::from_qrels(Qrels::parse("q", qrels.as_bytes()).unwrap()).unwrap();
        let run = |q1: &[&str]| {
            let hits = |ids: &[&str]| ids.iter().map(|&id| Hit::new(id, 1.0)).collect::<Vec<_>>();
            let run = Run::from_rankings([("q1", hits(q1)), ("odd", hits(&["a"]))]).unwrap();
            Evaluation::of_run(&collection, run).unwrap()
        };
        (run(&["a", "b", "c", "x"]), run(&["x", "pooled", "a"]))
    }

    #[test]
    fn both_rankings_stand_side_by_side() {
        let (old, new) = evaluations();
        let metrics = ["nDCG@2", "RR", "R@10"].map(|name| name.parse().unwrap());
        let told = Explaining::new(metrics, 2).explain(("o/r", &old), ("n/r", &new), "q1").unwrap();
        assert_eq!((told.judged, told.relevant, told.rows.len()), (5, 3, 2));
        assert_eq!((told.baseline_retrieved, told.candidate_retrieved, told.common), (4, 3, 0));
        let [first, second] = told.rows.as_slice() else { panic!("{told:?}") };
        let at = |placed: &Option<RankedHit>| {
            let placed = placed.clone().unwrap();
            (placed.document, placed.grade, placed.other_rank)
        };
        assert_eq!(at(&first.baseline), ("a".into(), Some(3), Some(3)));
        assert_eq!(at(&first.candidate), ("x".into(), None, Some(4)));
        assert_eq!(at(&second.candidate), ("pooled".into(), Some(-1), None));
        let missing: Vec<_> = told.missing.iter().map(|one| (&*one.document, one.from, one.to)).collect();
        assert_eq!(missing, [("z", None, None)]);
        let ideal: Vec<_> = told.ideal.iter().map(|one| (&*one.document, one.grade)).collect();
        assert_eq!(ideal, [("a", 3), ("z", 2)]);
        assert_eq!(told.metrics[0].ideal, 1.0);
        assert_eq!((told.metrics[1].baseline, told.metrics[1].candidate), (1.0, 1.0 / 3.0));
        assert_eq!(told.short, ["o/r", "n/r"]);
    }

    #[test]
    fn a_query_that_nobody_judged_is_an_error_with_ids_like_it() {
        let (old, new) = evaluations();
        let error = |query| {
            let explaining = Explaining::new([], 10);
            explaining.explain(("a", &old), ("b", &new), query).unwrap_err().to_string()
        };
        assert_eq!(error("q2"), "query `q2` is not among the judged ones; did you mean `q02`?");
        assert_eq!(error("odd"), "query `odd` was answered and not judged; ids are such as `q02`");
        assert_eq!(
            error("something else"),
            "query `something else` is not among the judged ones; ids are such as `q02`"
        );
    }

    #[test]
    fn titles_come_from_the_corpus() {
        let (old, new) = evaluations();
        let mut told = Explaining::new([], 10).explain(("a", &old), ("b", &new), "q1").unwrap();
        let corpus = Corpus::in_memory([
            Document::new("a", "text").with_title("Title"),
            Document::new("x", "é".repeat(500)),
            Document::new("elsewhere", "text"),
        ]);
        told.add_titles(&corpus).unwrap();
        assert_eq!(told.titles.len(), 2);
        assert_eq!((told.titles["a"].as_str(), told.titles["x"].chars().count()), ("Title", 200));
    }
}
