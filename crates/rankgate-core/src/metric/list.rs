//! Several metrics written in one text, as `trec_eval -m` and its users write them.
//!
//! Most tests that gates run in never come here: `#[inline]` leaves it to the builds of those who call it.

use super::metric::Metric;
use crate::error::Quoted;
use crate::{Error, Result};

/// A metric and the name by which it was asked for.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NamedMetric {
    /// As it was typed; a metric of a group by the name that `trec_eval` prints, such as `ndcg_cut_10`.
    pub name: String,
    /// The metric.
    pub metric: Metric,
}

/// Cutoffs of `trec_eval`'s measures where none is given.
const CUTOFFS: &[&str] = &["5", "10", "15", "20", "30", "100", "200", "500", "1000"];
/// Those of its `success`.
const SUCCESS: &[&str] = &["1", "5", "10"];
/// Recall levels of its `iprec_at_recall`.
const RECALL: &[&str] =
    &["0.00", "0.10", "0.20", "0.30", "0.40", "0.50", "0.60", "0.70", "0.80", "0.90", "1.00"];

/// Measures of `trec_eval` that are several: the name, and what is written behind it.
const GROUPS: &[(&str, &[&str])] = &[
    ("P", CUTOFFS),
    ("recall", CUTOFFS),
    ("relative_P", CUTOFFS),
    ("map_cut", CUTOFFS),
    ("ndcg_cut", CUTOFFS),
    ("success", SUCCESS),
    ("iprec_at_recall", RECALL),
];

/// Those that are no group without a cutoff: a bare `recall` is `SetR` wherever metrics are named.
const CUT_ONLY: &[&str] = &["recall"];

/// Names of `trec_eval` for several of its measures, as far as they are metrics.
const NICKNAMES: &[(&str, &str)] = &[
    // What it prints when it is not asked for anything, the lines that are no metric apart.
    ("official", "num_ret,num_rel,num_rel_ret,map,gm_map,Rprec,bpref,recip_rank,iprec_at_recall,P"),
    ("set", "num_ret,num_rel,num_rel_ret,set_P,set_recall,set_F"),
    // In its order. `recall` is a group there.
    (
        "all_trec",
        "official,recall.5,10,15,20,30,100,200,500,1000,infAP,ndcg,ndcg_cut,map_cut,\
         relative_P.5,10,15,20,30,100,200,500,1000,success,set_P,set_recall,set_F",
    ),
];

/// Reads metrics with commas or blanks between them: `nDCG@10, AP RR(rel=2)@10`.
///
/// The groups of `trec_eval` are known by their names (`official`, `set`, `all_trec`, `P`, `map_cut`, `ndcg_cut`,
/// `success`, `iprec_at_recall`; a bare `recall` is `SetR`, as everywhere), and so is its way to write cutoffs,
/// `ndcg_cut.10,20`. `all_trec` has those of its measures that are metrics here.
///
/// # Errors
///
/// Unknown metrics, all of them at once (the message says what may have been meant), or an empty name.
///
/// ```
/// let metrics = rankgate::metric::parse_list("nDCG@10,P.5,10,map")?;
/// let names: Vec<_> = metrics.iter().map(|one| (one.name.as_str(), one.metric.to_string())).collect();
/// assert_eq!(names[0], ("nDCG@10", "nDCG@10".to_owned()));
/// assert_eq!(names[2], ("P_10", "P@10".to_owned()));
/// assert_eq!(names[3], ("map", "AP".to_owned()));
/// assert_eq!(rankgate::metric::parse_list("ndcg_cut")?.len(), 9);
/// # Ok::<(), rankgate::Error>(())
/// ```
#[inline]
pub fn parse_list(text: &str) -> Result<Vec<NamedMetric>> {
    let (mut metrics, mut wrong) = (Vec::new(), Vec::new());
    for name in expanded(text)? {
        match name.parse() {
            Ok(metric) => metrics.push(NamedMetric { name, metric }),
            Err(error) => wrong.push(error),
        }
    }
    if wrong.is_empty() { Ok(metrics) } else { Err(all_of(wrong)) }
}

/// The names in a text, with those of each group in its place.
#[inline]
fn expanded(text: &str) -> Result<Vec<String>> {
    let mut names = Vec::new();
    // `P.5,10`: what a number without a name belongs to.
    let mut stem: Option<&str> = None;
    for item in names_in(text) {
        if item.is_empty() {
            return Err(Error::invalid(format!("a metric without a name in {}", Quoted(text))));
        }
        if let Some(group) = stem
            && item.chars().all(|c| c.is_ascii_digit() || c == '.')
        {
            names.push(format!("{group}_{item}"));
            continue;
        }
        stem = None;
        let is = |name: &str| name.eq_ignore_ascii_case(item);
        if let Some((_, list)) = NICKNAMES.iter().find(|(name, _)| is(name)) {
            names.extend(expanded(list)?);
        } else if let Some((group, number)) = dotted(item) {
            stem = Some(group);
            names.push(format!("{group}_{number}"));
        } else if let Some((group, numbers)) =
            GROUPS.iter().find(|(group, _)| is(group) && !CUT_ONLY.contains(group))
        {
            names.extend(numbers.iter().map(|number| format!("{group}_{number}")));
        } else {
            names.push(item.to_owned());
        }
    }
    Ok(names)
}

/// One error that says what is wrong with each of several metrics.
#[inline]
fn all_of(mut wrong: Vec<Error>) -> Error {
    if wrong.len() == 1 {
        return wrong.remove(0);
    }
    let lines: Vec<String> = wrong.iter().map(|error| format!("\n  {error}")).collect();
    Error::invalid(format!("{} metrics are wrong:{}", lines.len(), lines.concat()))
}

/// The names in a text, at commas and blanks, parentheses apart: `nDCG@10, R@100`, `nDCG@10 R@100`. A name is empty where nothing stands between two commas.
#[inline]
pub fn names_in(text: &str) -> Vec<&str> {
    let outside = |separates: fn(char) -> bool| {
        let mut depth = 0_usize;
        move |c: char| {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && separates(c)
        }
    };
    let between_commas = text.split(outside(|c| c == ','));
    let names = between_commas.flat_map(|part| {
        let names = part.split(outside(char::is_whitespace)).filter(|name| !name.is_empty());
        let names: Vec<&str> = names.collect();
        if names.is_empty() { vec![part.trim()] } else { names }
    });
    names.collect()
}

/// `ndcg_cut.10`: the group and the number.
#[inline]
fn dotted(item: &str) -> Option<(&'static str, &str)> {
    GROUPS.iter().find_map(|(group, _)| {
        let (start, rest) = item.split_at_checked(group.len())?;
        let number = rest.strip_prefix('.')?;
        start.eq_ignore_ascii_case(group).then_some((*group, number))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, String)> {
        parse_list(text).unwrap().into_iter().map(|one| (one.name, one.metric.to_string())).collect()
    }

    #[test]
    fn commas_inside_parentheses_separate_parameters() {
        assert_eq!(
            read("F(beta=2,rel=2)@5, AP"),
            [("F(beta=2,rel=2)@5".into(), "F(beta=2,rel=2)@5".into()), ("AP".into(), "AP".to_owned())]
        );
    }

    #[test]
    fn blanks_separate_metrics_as_commas_do() {
        for text in ["nDCG@10,R@100", "nDCG@10, R@100", "nDCG@10 R@100", " nDCG@10\tR@100 "] {
            let metrics: Vec<String> = read(text).into_iter().map(|(_, metric)| metric).collect();
            assert_eq!(metrics, ["nDCG@10", "R@100"], "{text:?}");
        }
        let metrics: Vec<String> =
            read("RBP(p=0.9, rel=1) F(beta=2, rel=2)@5 AP").into_iter().map(|(_, metric)| metric).collect();
        assert_eq!(metrics, ["RBP(p=0.9,rel=1)", "F(beta=2,rel=2)@5", "AP"]);
        assert_eq!(read("P.5 10").len(), 2);
    }

    #[test]
    fn all_that_are_wrong_are_told_at_once() {
        let error = parse_list("nDGC@10, AP Rcall@100,nDCG@x").unwrap_err().to_string();
        assert_eq!(
            error,
            "3 metrics are wrong:\n  unknown metric `nDGC@10`; did you mean `nDCG@10`?\n  unknown metric `Rcall@100`; did \
             you mean `recall@100`?\n  metric `nDCG@x`: the cutoff must be a whole number of documents, as in `@10`"
        );
    }

    #[test]
    fn cutoffs_are_listed_as_trec_eval_does() {
        let names: Vec<String> = read("ndcg_cut.10,20,P.5").into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["ndcg_cut_10", "ndcg_cut_20", "P_5"]);
        assert_eq!(read("success").len(), 3);
        assert_eq!(read("recall"), [("recall".to_owned(), "SetR".to_owned())]);
        assert_eq!(read("recall.5,10").len(), 2);
        assert_eq!(read("iprec_at_recall.0.1")[0].1, "IPrec@0.1");
    }

    #[test]
    fn the_official_measures_are_those_that_are_printed_by_default() {
        let names: Vec<String> = read("official").into_iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), 8 + 11 + 9);
        assert_eq!((names[4].as_str(), names[27].as_str()), ("gm_map", "P_1000"));
    }

    #[test]
    fn all_measures_of_trec_eval_are_those_that_are_metrics_here() {
        let names: Vec<String> = read("all_trec").into_iter().map(|(name, _)| name).collect();
        // 28 official ones, 9 cutoffs each of recall, ndcg, map and relative_P, 3 of success, and 5 more.
        assert_eq!(names.len(), 28 + 4 * 9 + 3 + 5);
        assert_eq!((names[28].as_str(), names[71].as_str()), ("recall_5", "set_F"));
        assert_eq!(read("SET").len(), 6);
        assert_eq!(read("set,set_P").len(), 7);
    }

    #[test]
    fn what_is_no_list_of_metrics_is_an_error() {
        for (text, message) in [
            ("nDGC@10", "unknown metric `nDGC@10`; did you mean `nDCG@10`?"),
            ("AP,,RR", "a metric without a name in `AP,,RR`"),
            ("", "a metric without a name in ``"),
            ("10", "unknown metric `10`; known are P, R"),
        ] {
            let error = parse_list(text).unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }
}
