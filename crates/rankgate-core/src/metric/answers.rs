//! What an answer is worth: `Faithfulness`, `ContextRecall`, `AnswerCorrectness`, `NuggetRecall`, `AnswerRelevance`,
//! `Criterion(name)`, `CitationPrecision`, `CitationRecall`, `NuggetAll`, `NuggetVital`, `NuggetAllStrict`, `NuggetVitalStrict`,
//! `AnswerConsistency`.
//!
//! Each is a function of items that were judged one by one, as a ranking is of documents: claims of the answer, claims of
//! the reference answer, nuggets, or the answer itself. An item has a grade: 2 where it is supported, 1 where it is not (a
//! nugget: in part), 0 where it is contradicted (a nugget: not at all). The last part of an item's id says what it is: `a1` a
//! claim of the answer, `r1` of the reference, `v1` a vital nugget and `o1` an okay one. Of sentences `s2.1` is the first citation of
//! the second one, `n2.1` one of a document that was not retrieved, and `u3.0` a third sentence that cites nothing.
//!
//! - `Faithfulness` = claims of the answer that its contexts support / claims of the answer. Source: Es et al., RAGAS,
//!   EACL 2024.
//! - `ContextRecall`, `ContextRecall@k` = claims of the reference that the first k contexts together support / **claims of
//!   the reference**. Source: the same.
//! - `AnswerCorrectness` = F1 of the share of the answer's claims that the reference supports and the share of the
//!   reference's that the answer supports. Source: Ru et al., RAGChecker, 2024 (overall F1).
//! - `NuggetRecall`, `NuggetRecall@k` = weighted share of the nuggets that the first k contexts support; a vital nugget
//!   weighs 1 and an okay one 0.5, partial support counts half. Source: Pradeep et al., AutoNuggetizer (TREC RAG 2024), its
//!   weighted score.
//! - `NuggetAll`, `NuggetVital` = share of the nuggets, or of the vital ones, that the **answer** holds; a part counts half, and
//!   nothing in `NuggetAllStrict`, `NuggetVitalStrict`. Source: Pradeep et al., AutoNuggetizer (TREC RAG 2024): all, vital, strict all,
//!   strict vital.
//! - `CitationPrecision` = support of the citations / citations: 1 where the cited document says all of the sentence, 0.5 where it
//!   says a part, 0 where it says nothing of it or was not retrieved. An answer without a citation is 0.
//! - `CitationRecall` = support of the sentences / **sentences of the answer**, where a sentence has the support of its best
//!   citation, and 0 without one. Source of both: Thakur et al., Support Evaluation for the TREC 2024 RAG Track, 2025 (weighted
//!   precision and recall). There one citation of a sentence is judged; of more, each counts in the precision.
//! - `AnswerConsistency` = mean over the repeats of an answer: claims of the answer that the repeat supports / claims of the answer.
//!   Each repeat is a pass of its own, so that this is the share of one. Source: Manakul et al., SelfCheckGPT, EMNLP 2023, with
//!   prompts: 1 less its score, over claims in place of sentences.
//! - `AnswerRelevance` = grade of the answer, 0 to 3, / 3.
//! - `Criterion(name)` = grade of the answer on the scale of a criterion / its highest grade: 0 for the worst word and 1 for the
//!   best. The last part of the item's id is `g` and the highest grade, such as `g2`.
//!
//! What has no grade is no item less: who computes these says what it is taken for.

use super::definition::{CutoffKind, Definition};
use super::judged_ranking::JudgedRanking;
use super::parameters::{Parameter, Parameters};
use super::ranked_query::{RankedDocument, RankedQuery};
use crate::order::SmallMap;

pub(super) static RELEVANCE: Definition =
    Definition::new("AnswerRelevance", "how well the answer is one to the query: grade / 3", no_ranking)
        .written(&["AnswerRelevance"])
        .of_answers(relevance)
        .additive();

pub(super) static CRITERION: Definition = Definition::new(
    "Criterion",
    "what the answer is by a criterion of the spec: grade / highest grade",
    no_ranking,
)
.written(&["Criterion(name)"])
.parameters(&[Parameter::Criterion])
.of_answers(criterion)
.additive();

pub(super) static FAITHFULNESS: Definition =
    Definition::new("Faithfulness", "claims of the answer that its contexts support / claims", no_ranking)
        .written(&["Faithfulness"])
        .also(&["groundedness"])
        .of_answers(supported)
        .additive();

pub(super) static RECALL: Definition = Definition::new(
    "ContextRecall",
    "claims of the reference that the contexts support / claims of the reference",
    no_ranking,
)
.written(&["ContextRecall", "ContextRecall@k"])
.at(CutoffKind::OptionalCutoff)
.of_answers(supported)
.additive();

pub(super) static CORRECTNESS: Definition =
    Definition::new("AnswerCorrectness", "F1 of the claims that answer and reference share", no_ranking)
        .written(&["AnswerCorrectness"])
        .of_answers(correctness);

pub(super) static CONSISTENCY: Definition = Definition::new(
    "AnswerConsistency",
    "claims of the answer that its repeats support / claims",
    no_ranking,
)
.written(&["AnswerConsistency"])
.of_answers(supported)
.additive();

pub(super) static NUGGETS: Definition =
    Definition::new("NuggetRecall", "weighted share of the nuggets that the contexts support", no_ranking)
        .written(&["NuggetRecall", "NuggetRecall@k"])
        .at(CutoffKind::OptionalCutoff)
        .of_answers(nuggets)
        .additive();

pub(super) static NUGGET_ALL: Definition = Definition::new(
    "NuggetAll",
    "share of the nuggets that the answer holds, a part counts half",
    no_ranking,
)
.written(&["NuggetAll"])
.of_answers(|asked| mean_of(asked, |_| true, support))
.additive();

pub(super) static NUGGET_VITAL: Definition = Definition::new(
    "NuggetVital",
    "share of the vital nuggets that the answer holds, a part counts half",
    no_ranking,
)
.written(&["NuggetVital"])
.of_answers(|asked| mean_of(asked, is_vital, support))
.additive();

pub(super) static NUGGET_ALL_STRICT: Definition =
    Definition::new("NuggetAllStrict", "share of the nuggets that the answer holds as a whole", no_ranking)
        .written(&["NuggetAllStrict"])
        .of_answers(|asked| mean_of(asked, |_| true, full_support))
        .additive();

pub(super) static NUGGET_VITAL_STRICT: Definition = Definition::new(
    "NuggetVitalStrict",
    "share of the vital nuggets that the answer holds as a whole",
    no_ranking,
)
.written(&["NuggetVitalStrict"])
.of_answers(|asked| mean_of(asked, is_vital, full_support))
.additive();

pub(super) static CITATION_PRECISION: Definition =
    Definition::new("CitationPrecision", "support of the answer's citations / citations", no_ranking)
        .written(&["CitationPrecision"])
        .of_answers(citation_precision)
        .additive();

pub(super) static CITATION_RECALL: Definition = Definition::new(
    "CitationRecall",
    "support of the answer's sentences by their citations / sentences",
    no_ranking,
)
.written(&["CitationRecall"])
.of_answers(citation_recall);

/// Grades alone do not say it.
pub(super) fn no_ranking(_: &JudgedRanking, _: &Parameters) -> f64 {
    f64::NAN
}

/// The grade of an item that is supported.
const SUPPORTED: i32 = 2;
/// What an okay nugget weighs beside a vital one.
const OKAY: f64 = 0.5;

fn grade(item: &RankedDocument<'_>) -> i32 {
    item.grade.unwrap_or(0).max(0)
}

/// `a` of `support/5c0f12aa/a1`.
fn kind(item: &RankedDocument<'_>) -> Option<char> {
    item.id.rsplit('/').next()?.chars().next()
}

fn share<'a>(items: impl Iterator<Item = &'a RankedDocument<'a>>) -> f64 {
    let (all, hits) = items.fold((0_usize, 0_usize), |(all, hits), item| {
        (all + 1, hits + usize::from(grade(item) >= SUPPORTED))
    });
    if all == 0 { 0.0 } else { hits as f64 / all as f64 }
}

pub(super) fn supported(asked: &RankedQuery<'_>) -> f64 {
    share(asked.documents().iter())
}

fn relevance(asked: &RankedQuery<'_>) -> f64 {
    asked.documents().first().map_or(0.0, |answer| f64::from(grade(answer).min(3)) / 3.0)
}

fn criterion(asked: &RankedQuery<'_>) -> f64 {
    let share = |answer: &RankedDocument<'_>| {
        let highest = answer.id.rsplit_once("/g").and_then(|(_, highest)| highest.parse().ok());
        let highest: i32 = highest.filter(|highest| *highest > 0).unwrap_or(3);
        f64::from(grade(answer).min(highest)) / f64::from(highest)
    };
    asked.documents().first().map_or(0.0, share)
}

fn correctness(asked: &RankedQuery<'_>) -> f64 {
    let of = |wanted| share(asked.documents().iter().filter(move |item| kind(item) == Some(wanted)));
    let (precision, recall) = (of('a'), of('r'));
    if precision + recall == 0.0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) }
}

fn nuggets(asked: &RankedQuery<'_>) -> f64 {
    let weight = |item: &RankedDocument<'_>| if kind(item) == Some('o') { OKAY } else { 1.0 };
    let all: f64 = asked.documents().iter().map(weight).sum();
    let found = |item| weight(item) * f64::from(grade(item).min(SUPPORTED)) / f64::from(SUPPORTED);
    let found: f64 = asked.documents().iter().map(found).sum();
    if all == 0.0 { 0.0 } else { found / all }
}

fn is_vital(item: &RankedDocument<'_>) -> bool {
    kind(item) == Some('v')
}

/// All of a nugget is 1, a part of it nothing.
fn full_support(item: &RankedDocument<'_>) -> f64 {
    f64::from(u8::from(grade(item) >= SUPPORTED))
}

/// The mean over the nuggets that are meant.
fn mean_of(
    asked: &RankedQuery<'_>,
    is_meant: impl Fn(&RankedDocument<'_>) -> bool,
    value: impl Fn(&RankedDocument<'_>) -> f64,
) -> f64 {
    let nuggets = asked.documents().iter().filter(|item| is_meant(item));
    let (all, sum) = nuggets.fold((0_usize, 0.0), |(all, sum), item| (all + 1, sum + value(item)));
    if all == 0 { 0.0 } else { sum / all as f64 }
}

/// What is said of an item: all of it is 1, a part of it is 0.5.
fn support(citation: &RankedDocument<'_>) -> f64 {
    f64::from(grade(citation).min(SUPPORTED)) / f64::from(SUPPORTED)
}

fn citation_precision(asked: &RankedQuery<'_>) -> f64 {
    mean_of(asked, |item| kind(item) != Some('u'), support)
}

fn citation_recall(asked: &RankedQuery<'_>) -> f64 {
    let mut best: SmallMap<&str, f64> = SmallMap::default();
    for item in asked.documents() {
        // `s2.1`: the citation stands behind the number of its sentence.
        let Some(sentence) = item.id.rsplit('/').next().and_then(|id| id.get(1..)?.split('.').next()) else {
            continue;
        };
        let known = best.get_or_insert_with(sentence, f64::default);
        *known = known.max(support(item));
    }
    if best.is_empty() { 0.0 } else { best.values().sum::<f64>() / best.iter().len() as f64 }
}

#[cfg(test)]
mod tests {
    use crate::metric::{JudgedRanking, Metric, RankedQuery};

    fn score(metric: &str, items: &[(&'static str, i32)]) -> f64 {
        let metric: Metric = metric.parse().unwrap();
        let asked = RankedQuery::new("q", "", items.iter().map(|item| item.0), items.iter().copied());
        metric.compute_of_query(&asked).unwrap()
    }

    const NUGGETS: &[(&str, i32)] = &[("n/1/v1", 2), ("n/1/v2", 1), ("n/1/o3", 0), ("n/1/o4", 2)];
    const CITED: &[(&str, i32)] = &[
        ("citations/1/s1.1", 2),
        ("citations/2/s1.2", 1),
        ("citations/1/s2.1", 0),
        ("citations/3/n3.1", 0),
        ("citations/none/u4.0", 0),
    ];
    const TREC: &[(&str, i32)] = &[
        ("citations/1/s1.1", 2),
        ("citations/2/s2.1", 1),
        ("citations/3/s3.1", 0),
        ("citations/none/u4.0", 0),
    ];

    #[test]
    fn worked_values() {
        // all by hand
        for (metric, items, expected) in [
            ("Faithfulness", &[("s/1/a1", 2), ("s/1/a2", 1), ("s/1/a3", 0), ("s/1/a4", 2)][..], 0.5),
            ("Faithfulness", &[("s/1/a1", 1)], 0.0),
            ("ContextRecall@5", &[("s/1/r1", 2), ("s/1/r2", 2), ("s/1/r3", 1)], 2.0 / 3.0),
            // precision 1/2, recall 2/3: 2 * (1/2) * (2/3) / (7/6)
            (
                "AnswerCorrectness",
                &[("s/1/a1", 2), ("s/1/a2", 1), ("s/2/r1", 2), ("s/2/r2", 2), ("s/2/r3", 0)],
                4.0 / 7.0,
            ),
            ("AnswerCorrectness", &[("s/1/a1", 1), ("s/2/r1", 1)], 0.0),
            // (1 + 1/2 * 1 + 0 + 1/2) / (1 + 1 + 1/2 + 1/2)
            ("NuggetRecall@5", &[("n/1/v1", 2), ("n/1/v2", 1), ("n/1/o3", 0), ("n/1/o4", 2)], 2.0 / 3.0),
            // nuggetizer 0.0.5, calculate_nugget_scores: all_score, vital_score, strict_all_score, strict_vital_score
            ("NuggetAll", NUGGETS, 0.625),
            ("NuggetVital", NUGGETS, 0.75),
            ("NuggetAllStrict", NUGGETS, 0.5),
            ("NuggetVitalStrict", NUGGETS, 0.5),
            ("NuggetAll", &[], 0.0),
            // Four citations of three sentences, and a fourth sentence without one: (1 + 1/2 + 0 + 0) / 4.
            ("CitationPrecision", CITED, 0.375),
            // (max(1, 1/2) + 0 + 0 + 0) / 4
            ("CitationRecall", CITED, 0.25),
            ("CitationPrecision", &[("citations/none/u1.0", 0)], 0.0),
            ("CitationRecall", &[("citations/none/u1.0", 0)], 0.0),
            ("CitationPrecision", &[], 0.0),
            ("CitationRecall", &[], 0.0),
            // One citation a sentence, as TREC judges them: full, partial and no support, and a sentence without one.
            ("CitationPrecision", TREC, 0.5),
            ("CitationRecall", TREC, 0.375),
            ("AnswerRelevance", &[("r/1/g1", 2)], 2.0 / 3.0),
            ("AnswerRelevance", &[], 0.0),
            ("Criterion(polite)", &[("criterion/polite/1/g2", 1)], 0.5),
            ("Criterion(polite)", &[("criterion/polite/1/g1", 1)], 1.0),
            ("Criterion(polite)", &[("criterion/polite/1/g9", 3)], 1.0 / 3.0),
            ("Criterion(polite)", &[], 0.0),
        ] {
            assert!((score(metric, items) - expected).abs() < 1e-12, "{metric}: {}", score(metric, items));
        }
    }

    #[test]
    fn a_ranking_alone_says_nothing_of_an_answer() {
        let metric: Metric = "groundedness".parse().unwrap();
        assert_eq!((metric.to_string().as_str(), metric.is_of_answers()), ("Faithfulness", true));
        let error = metric.try_compute(&JudgedRanking::new(vec![Some(2)], vec![2])).unwrap_err().to_string();
        assert_eq!(error, "Faithfulness is of answers and their claims, and only a ranking is known here");
        let recall: Metric = "ContextRecall@5".parse().unwrap();
        assert_eq!((recall.cutoff(), recall.contexts()), (None, Some(5)));
    }
}
