//! What goes with a judge's errors: the length of what it reads, its rank, its words, the configuration that returned it.

use std::collections::BTreeSet;

use rankgate_core::internal::shingles::Words;
use rankgate_report::internal::analysis::FEWEST_DRAWN;

use crate::Result;
use crate::agreement::WithLimits;
use crate::json::record;
use crate::regression::{Row, cluster_robust};
use crate::stats::{Confidence, Correction, adjust};
use crate::words::keywords;

/// An effect is shown where its adjusted p-value is below this.
const SHOWN: f64 = 0.05;

keywords! {
    /// What may go with a judge's errors.
    pub enum ErrorSource {
        /// Characters of the document.
        Length = "length" => "document of twice the length",
        /// Characters of the whole answer.
        AnswerLength = "answer-length" => "answer of twice the length",
        /// Characters of the contexts by which it is judged.
        ContextLength = "context-length" => "contexts of twice the length",
        /// The best rank at which a configuration returns it.
        Rank = "rank" => "rank twice as far down",
        /// The share of the query's different words that stand in it.
        Overlap = "overlap" => "all of the query's words, against none",
        /// A configuration returns it, or gave the answer.
        Configuration = "configuration" => "from",
    }
}

record! {
    /// A regression of the judge's errors, its grade less people's, on what may go with them.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    write pub struct ErrorRegression {
        /// Pairs that both have graded.
        pub pairs: usize,
        /// Their queries, or groups of them with `statistics.cluster`.
        pub units: usize,
        /// The effects, each with all others held.
        pub effects: Vec<ErrorEffect>,
    }
}

record! {
    /// What goes with the judge's errors, in grades or steps.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    write pub struct ErrorEffect {
        /// What it is.
        pub source: ErrorSource,
        /// The configuration, where it is one.
        pub configuration?: Option<String>,
        /// By how much the judge is more lenient, with limits over the units; none where the pairs do not differ in it, or only as they
        /// do in what stands above.
        pub effect: Option<WithLimits>,
        /// Two-sided p-value against no effect, by Student's t over the units.
        pub p?: Option<f64>,
        /// The same adjusted for the number of effects by Holm's method.
        pub p_adjusted?: Option<f64>,
        /// Whether the effect is shown: the adjusted p-value is below 0.05.
        pub shown: bool,
    }
}

/// A pair that both have graded.
#[derive(Clone, Debug)]
pub(crate) struct GradedPair {
    /// The query, or its group.
    pub(crate) unit: String,
    pub(crate) query: String,
    /// What was graded.
    pub(crate) text: String,
    /// Of a claim or an answer: characters of the answer, and of what it is judged by.
    pub(crate) answer: Option<[usize; 2]>,
    /// The best rank of a document, from 1.
    pub(crate) rank: Option<usize>,
    pub(crate) configurations: BTreeSet<String>,
    pub(crate) people: u8,
    pub(crate) judge: u8,
}

impl ErrorRegression {
    /// The regression over these pairs; `None` of fewer than 30 units, or where nothing differs.
    ///
    /// # Errors
    /// None of finite data.
    pub(crate) fn new(mut pairs: Vec<GradedPair>, confidence: Confidence) -> Result<Option<Self>> {
        pairs.sort_by(|one, other| one.unit.cmp(&other.unit));
        let units = pairs.chunk_by(|one, other| one.unit == other.unit).count();
        let columns = columns(&pairs);
        let rows = pairs.iter().enumerate().map(|(at, pair)| Row {
            outcome: f64::from(pair.judge) - f64::from(pair.people),
            columns: columns.iter().map(|(_, values)| values[at]).collect(),
            cluster: &pair.unit,
        });
        let rows: Vec<Row<'_>> = rows.collect();
        if units < FEWEST_DRAWN {
            return Ok(None);
        }
        let Some(found) = cluster_robust(&rows, confidence) else { return Ok(None) };
        let p_values: Vec<f64> = found.iter().flatten().map(|one| one.p).collect();
        let mut adjusted = adjust(&p_values, Correction::Holm)?.into_iter();
        let effect = |((source, configuration), found): ((ErrorSource, Option<String>), Option<_>)| {
            let found: Option<crate::regression::Coefficient> = found;
            let p_adjusted = found.and_then(|_| adjusted.next());
            ErrorEffect {
                source,
                configuration,
                effect: found.map(|one| WithLimits { value: one.value, interval: Some(one.interval) }),
                p: found.map(|one| one.p),
                p_adjusted,
                shown: p_adjusted.is_some_and(|p| p < SHOWN),
            }
        };
        let effects = columns.iter().map(|(what, _)| what.clone()).zip(found).map(effect).collect();
        Ok(Some(Self { pairs: pairs.len(), units, effects }))
    }
}

/// What may go with errors, with the configuration where it is one, and its value for each pair.
type Column = ((ErrorSource, Option<String>), Vec<f64>);

/// The columns of the regression.
fn columns(pairs: &[GradedPair]) -> Vec<Column> {
    let log = |number: usize| (number.max(1) as f64).log2();
    let each = |value: &dyn Fn(&GradedPair) -> f64| pairs.iter().map(value).collect::<Vec<f64>>();
    let mut columns = Vec::new();
    let mut add = |source, values| columns.push(((source, None), values));
    if pairs.iter().any(|pair| pair.answer.is_some()) {
        let length = |at: usize| each(&|pair| log(pair.answer.map_or(0, |both| both[at])));
        add(ErrorSource::AnswerLength, length(0));
        add(ErrorSource::ContextLength, length(1));
    } else {
        add(ErrorSource::Length, each(&|pair| log(pair.text.chars().count())));
    }
    if pairs.iter().all(|pair| pair.rank.is_some()) {
        add(ErrorSource::Rank, each(&|pair| log(pair.rank.unwrap_or(1))));
    }
    add(ErrorSource::Overlap, each(&|pair| overlap(&pair.query, &pair.text)));
    let names: BTreeSet<&String> = pairs.iter().flat_map(|pair| &pair.configurations).collect();
    for name in names {
        let values = each(&|pair| f64::from(u8::from(pair.configurations.contains(name))));
        columns.push(((ErrorSource::Configuration, Some(name.clone())), values));
    }
    columns
}

/// The share of a query's different words that stand in a text, from 0 to 1.
fn overlap(query: &str, text: &str) -> f64 {
    let (query, text) = (Words::new([query]), Words::new([text]));
    let (asked, held): (BTreeSet<&str>, BTreeSet<&str>) = (query.iter().collect(), text.iter().collect());
    match asked.len() {
        0 => 0.0,
        all => asked.intersection(&held).count() as f64 / all as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankgate_core::internal::shingles::mix;

    /// Five documents of each of 40 queries: of 8 to 128 words, at changing ranks, with one or both of the query's words, from two
    /// configurations. People say 1; the judge says one more of the longest, and one more or less of an eighth each, by hash.
    fn pairs(units: usize) -> Vec<GradedPair> {
        let pair = |(unit, at): (usize, usize)| {
            let mixed = (7 * unit + 3 * at) % 11;
            let noise = mix(5 * unit as u64 + at as u64 + 1) % 8;
            let words = if mixed % 2 == 0 { "late fee" } else { "late" };
            let other = format!("word{mixed} ").repeat(8 << at);
            let configurations = [("old", mixed % 3 > 0), ("new", mixed % 4 > 0)];
            GradedPair {
                unit: format!("q{unit:02}"),
                query: "late fee".into(),
                text: format!("{words} {other}"),
                answer: None,
                rank: Some(1 + (unit + 2 * at) % 5),
                configurations: configurations
                    .into_iter()
                    .filter(|one| one.1)
                    .map(|one| one.0.to_owned())
                    .collect(),
                people: 1,
                judge: 1 + u8::from(at == 4) + u8::from(noise == 0) - u8::from(noise == 1),
            }
        };
        (0..units).flat_map(|unit| (0..5).map(move |at| (unit, at))).map(pair).collect()
    }

    #[test]
    fn a_judge_that_likes_long_documents_is_seen() {
        let found = ErrorRegression::new(pairs(40), Confidence::default()).unwrap().unwrap();
        assert_eq!((found.pairs, found.units), (200, 40));
        let shown: Vec<(ErrorSource, bool)> =
            found.effects.iter().map(|one| (one.source, one.shown)).collect();
        let expected = [
            (ErrorSource::Length, true),
            (ErrorSource::Rank, false),
            (ErrorSource::Overlap, false),
            (ErrorSource::Configuration, false),
            (ErrorSource::Configuration, false),
        ];
        assert_eq!(shown, expected, "{found:?}");
        let values: Vec<f64> = found.effects.iter().map(|one| one.effect.unwrap().value).collect();
        // By statsmodels 0.15.0 on the same rows; the order of the configurations is that of their names.
        let expected = [0.246_097_57, 0.017_838_97, 0.025_154_32, 0.062_760_63, -0.048_146_58];
        assert!(values.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-7), "{values:?}");
        let names: Vec<_> = found.effects[3..].iter().map(|one| one.configuration.as_deref()).collect();
        assert_eq!(names, [Some("new"), Some("old")]);
    }

    #[test]
    fn what_is_the_same_everywhere_has_no_effect_and_few_queries_show_none() {
        assert_eq!(ErrorRegression::new(pairs(29), Confidence::default()).unwrap(), None);
        let one = |pair: GradedPair| GradedPair {
            configurations: BTreeSet::from(["old".to_owned()]),
            answer: Some([pair.text.len(), 100]),
            rank: None,
            ..pair
        };
        let pairs = pairs(30).into_iter().map(one).collect();
        let found = ErrorRegression::new(pairs, Confidence::default()).unwrap().unwrap();
        let sources: Vec<_> = found.effects.iter().map(|one| (one.source, one.effect.is_some())).collect();
        let expected = [
            (ErrorSource::AnswerLength, true),
            (ErrorSource::ContextLength, false),
            (ErrorSource::Overlap, true),
            (ErrorSource::Configuration, false),
        ];
        assert_eq!(sources, expected);
        assert!(found.effects.iter().all(|one| one.effect.is_some() == one.p_adjusted.is_some()));
    }

    #[test]
    fn overlap_is_the_share_of_the_query_s_words() {
        for (query, text, expected) in [
            ("late fee", "The fee is due", 0.5),
            ("fee fee", "a FEE", 1.0),
            ("", "a", 0.0),
            ("a b c", "", 0.0),
        ] {
            assert_eq!(overlap(query, text), expected, "{query}");
        }
    }
}
