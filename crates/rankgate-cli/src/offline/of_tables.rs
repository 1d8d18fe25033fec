//! Tables of scores as evaluations, so that they are compared as rankings are.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rankgate_core::scores::ScoreTable;

use crate::offline::collection::{Collection, CollectionBuilder, Query};
use crate::offline::error::Quoted;
use crate::offline::evaluation::Evaluation;
use crate::offline::metric::{Metric, parse_list};
use crate::offline::{Error, Result};

/// What marks queries that no document answers: here each has its scores.
const MARK: &str = "unanswerable";

/// The columns of a table that are asked for, in the order in which they were typed; all of them if none is.
///
/// # Errors
///
/// A column that the table, called by its path, does not have.
pub fn score_columns(path: &Path, table: &ScoreTable, typed: &[String]) -> Result<Vec<Metric>> {
    // Other tools' names of metrics are names, too.
    let names = |typed: &String| match parse_list(typed) {
        Ok(metrics) => metrics.iter().map(|one| one.metric.to_string()).collect(),
        Err(_) => typed.split(',').map(|name| name.trim().to_owned()).collect::<Vec<_>>(),
    };
    let known: Vec<Metric> = table.columns.keys().map(|name| Metric::column_called(name)).collect();
    if typed.is_empty() {
        return Ok(known);
    }
    let named = |name: String| {
        let missing = || {
            let known: Vec<String> = known.iter().map(ToString::to_string).collect();
            let why = format!("there are no scores of {}; there are {}", Quoted(&name), known.join(", "));
            Error::in_file(path, why)
        };
        known.iter().find(|metric| metric.to_string() == name).cloned().ok_or_else(missing)
    };
    typed.iter().flat_map(names).map(named).collect()
}

/// Tables of scores, each with its path, as evaluations over the queries of all of them, whose texts and metadata `queries` may
/// have.
///
/// # Errors
///
/// A table without scores; a column twice under several names; a score out of the range of the metric of its name, with file
/// and line.
///
/// ```
/// use rankgate::scores::ScoreTable;
/// use rankgate_cli::offline::{Comparing, Conclusion, of_tables, score_columns};
///
/// let lines = |gain: f64| {
///     (1..=8).map(|query| format!("q{query},{}\n", 0.25 + gain * f64::from(query))).collect::<String>()
/// };
/// let read = |name: &str, gain| ScoreTable::parse(name.as_ref(), &format!("query,AP\n{}", lines(gain)), "AP");
/// let tables = [("a.csv".as_ref(), read("a.csv", 0.0)?), ("b.csv".as_ref(), read("b.csv", 0.0625)?)];
/// let comparing = Comparing::new(score_columns(tables[0].0, &tables[0].1, &[])?);
/// let sides = of_tables(tables.into(), Vec::new())?;
/// let all = comparing.compare(("a.csv", &sides[0]), &[("b.csv", &sides[1])])?;
/// assert_eq!((all.comparisons[0].wins, all.comparisons[0].difference), (8, 0.28125));
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn of_tables(tables: Vec<(&Path, ScoreTable)>, queries: Vec<Query>) -> Result<Vec<Evaluation>> {
    let ids = |table: &ScoreTable| -> BTreeSet<String> {
        table.columns.values().flat_map(|column| column.iter()).map(|(query, _)| query.to_owned()).collect()
    };
    let mut known: BTreeMap<String, Query> =
        queries.into_iter().map(|query| (query.id.clone(), query)).collect();
    let mut builder = CollectionBuilder::new();
    let mut all = BTreeSet::new();
    for (path, table) in &tables {
        let own = ids(table);
        if own.is_empty() {
            return Err(Error::in_file(path, "there are no scores"));
        }
        all.extend(own);
    }
    for id in all {
        let mut query = known.remove(&id).unwrap_or_else(|| Query::new(id, ""));
        query.metadata.remove(MARK);
        builder.add_query(query, [("", 0); 0]);
    }
    let collection = builder.build()?;
    tables.into_iter().map(|(path, table)| evaluation(&collection, path, table)).collect()
}

fn evaluation(collection: &Collection, path: &Path, table: ScoreTable) -> Result<Evaluation> {
    let mut columns = BTreeMap::new();
    for (name, column) in table.columns {
        let metric = Metric::column_called(&name);
        for (query, score) in column.iter() {
            for value in std::iter::once(score.value).chain(score.people) {
                metric.of_column(value).map_err(|error| {
                    let line = if score.line > 0 { format!(":{}", score.line) } else { String::new() };
                    Error::invalid(format!("{}{line}: query {}: {error}", path.display(), Quoted(query)))
                })?;
            }
        }
        if columns.insert(metric.to_string(), Ok(column)).is_some() {
            let why = format!("{} is there twice, under several of its names", Quoted(&metric.to_string()));
            return Err(Error::in_file(path, why));
        }
    }
    Evaluation::of_scores(collection, columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::model::Verdict;
    use crate::offline::stats::Expectation;
    use crate::offline::{Comparing, Comparisons, Conclusion};

    type Sides<'a> = [(&'a str, &'a str); 2];

    fn compare(sides: Sides<'_>, metrics: &[&str], expect: Option<Expectation>) -> Result<Comparisons> {
        let read = |(name, text): (&'static str, &str)| -> Result<_> {
            Ok((Path::new(name), ScoreTable::parse(name.as_ref(), text, "x")?))
        };
        let tables = [read(("a", sides[0].1))?, read(("b", sides[1].1))?];
        let metrics: Vec<String> = metrics.iter().map(|&metric| metric.to_owned()).collect();
        let columns = score_columns(tables[0].0, &tables[0].1, &metrics)?;
        let evaluations = of_tables(tables.into(), Vec::new())?;
        let comparing = Comparing { expect: expect.map(Into::into), movers: 1, ..Comparing::new(columns) };
        comparing.compare((sides[0].0, &evaluations[0]), &[(sides[1].0, &evaluations[1])])
    }

    #[test]
    fn scores_are_compared_as_the_statistics_compare_them() {
        let a = "query,AP,RR\nq1,0.5,1\nq2,0.25,1\nq3,0.5,1\nq4,0,1\nq5,0.125,1\nq6,0.5,1\nq7,0.5,1\n";
        let b = "query,RR,AP\nq7,1,1\nq6,1,0.75\nq5,1,0.25\nq4,1,0.5\nq3,1,0.75\nq2,1,0.5\nq1,1,0.75\n";
        let sides = [("a.csv", a), ("b.csv", b)];
        let all = compare(sides, &[], Some(Expectation::NoRegression { margin: 0.0 })).unwrap();
        let [ap, rr] = &all.comparisons[..] else { panic!("two metrics") };
        // Seven gains of seven: 2 / 2^7 by the permutation test. In the candidate's favour it counts an unseen query that loses
        // L = (1 + 1.078125) / (1 + 2.375), of the squares and the sum of a's scores. Its exponential weight outweighs all
        // gains d with probability 1 / product of (1 + d / L); two-sided p-values are twice that, and Holm's correction of
        // two doubles them.
        assert_eq!((ap.wins, ap.losses), (7, 0));
        let lost = 2.078_125 / 3.375;
        let outweighed: f64 =
            [0.25, 0.25, 0.25, 0.5, 0.125, 0.25, 0.5].map(|gain| 1.0 + gain / lost).iter().product();
        assert!((ap.p_deciding - 2.0 / outweighed).abs() < 1e-12, "{}", ap.p_deciding);
        assert_eq!(ap.p_adjusted, 2.0 * ap.p_deciding);
        let not_shown = Some(Conclusion::NotSignificant);
        assert_eq!((ap.conclusion, rr.conclusion), (not_shown, not_shown));
        let alone = compare(sides, &["map"], None).unwrap();
        let [alone] = &alone.comparisons[..] else { panic!("one metric") };
        assert_eq!((alone.p_deciding, alone.p_adjusted), (ap.p_deciding, ap.p_deciding));
        let most = &ap.movers.gains[0];
        assert_eq!((most.query.as_str(), most.before, most.after), ("q4", Some(0.0), 0.5));
        assert_eq!((rr.ties, rr.difference), (7, 0.0));
        assert_eq!(all.gate.unwrap().verdict, Verdict::Passed);
        // The report has no rankings, and says nothing of them.
        assert_eq!(all.report.configurations.len(), 2);
        assert!(all.report.warnings.is_empty(), "{:?}", all.report.warnings);
    }

    /// Ten queries on which the candidate's value is higher by 1: of two-sided p-values 2 / 2^10 is the least.
    #[test]
    fn a_rise_is_a_gain_where_more_is_better_alone() {
        let scores = |metric: &str, value: f64| {
            let lines: String = (0..10).map(|query| format!("q{query},{value}\n")).collect();
            format!("query,{metric}\n{lines}")
        };
        let gain = Expectation::Improvement { margin: 0.0 };
        for (metric, words, refused) in [
            ("FalseSilence", ["higher", "lower"], "less of FalseSilence is better"),
            ("NumRet", ["higher", "lower"], "nothing says whether more of NumRet is better"),
            ("RR", ["better", "worse"], ""),
            ("our own", ["better", "worse"], ""),
        ] {
            let (low, high) = (scores(metric, 0.0), scores(metric, 1.0));
            let [low, high] = [("low", &*low), ("high", &*high)];
            for (sides, word) in [[low, high], [high, low]].into_iter().zip(words) {
                let told = compare(sides, &[], None).unwrap();
                assert_eq!(told.comparisons[0].conclusion.map(Conclusion::as_str), Some(word), "{metric}");
                for expect in [gain, Expectation::NoRegression { margin: 0.0 }] {
                    match (compare(sides, &[], Some(expect)), refused) {
                        (Ok(held), "") => assert!(held.gate.is_some(), "{metric}"),
                        (Err(error), refused) if !refused.is_empty() => {
                            assert!(error.to_string().starts_with(refused), "{error}");
                        }
                        (other, _) => panic!("{metric}: {other:?}"),
                    }
                }
                // Whether it is the same asks for no direction.
                let same = compare(sides, &[], Some(Expectation::Equivalence { margin: 0.5 })).unwrap();
                assert_eq!(same.gate.unwrap().verdict, Verdict::Failed, "{metric}");
            }
        }
    }

    #[test]
    fn a_query_that_one_side_lacks_counts_under_coverage() {
        let lines = |queries: usize| (0..queries).map(|query| format!("q{query},0.5\n")).collect::<String>();
        let [ten, nine, eight] = [10, 9, 8].map(|queries| format!("query,AP\n{}", lines(queries)));
        let most = compare([("a", &ten), ("b", &nine)], &[], None).unwrap();
        assert_eq!(most.comparisons[0].queries, 9);
        assert!(compare([("a", &ten), ("b", &eight)], &[], None).is_err());
        assert!(compare([("a", &eight), ("b", &ten)], &[], None).is_err());
    }

    #[test]
    fn what_cannot_be_compared_is_an_error_with_its_place() {
        let fine = "query,AP\nq1,1\n";
        for (text, typed, why) in [
            ("query,AP\nq1,50\n", "AP", "a:2: query `q1`: "),
            ("query,AP,map\nq1,1,1\n", "AP", "a: `AP` is there twice"),
            ("query,AP\n", "AP", "a: there are no scores"),
            (fine, "RR", "a: there are no scores of `RR`; there are AP"),
        ] {
            let error = compare([("a", text), ("b", fine)], &[typed], None).unwrap_err().to_string();
            assert!(error.starts_with(why), "{error}");
        }
        let error = compare([("a", fine), ("a", fine)], &[], None).unwrap_err().to_string();
        assert!(error.contains("compared with itself"), "{error}");
    }
}
