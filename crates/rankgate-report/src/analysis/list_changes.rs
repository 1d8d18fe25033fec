//! How lists differ in shape from those that were given before, whatever their documents are worth.

use std::collections::HashSet;

use crate::collection::Query;
use crate::evaluation::Evaluation;
use crate::metric::{Metric, Polarity};
use crate::model::Movers;
use crate::run::Hit;
use crate::stats::ROUNDING;
use crate::words::counted;

use super::movers;
use super::pair::ranking;

/// Fewer queries say nothing by what happened to all of them.
const FEWEST: usize = 5;
/// Fewer documents may be gone by chance.
const FEWEST_GONE: usize = 10;

/// How the lists of a configuration differ from those that it gave before, in sentences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListChanges {
    /// How many rankings changed, and whether their documents did.
    pub order: String,
    /// Changes of shape; empty where lists have the length, the first document and the ties that they had.
    pub shapes: Vec<String>,
    /// Whether the lists of all queries changed in one way, or lack documents: that is no matter of single queries.
    pub of_all: bool,
}

/// How lists changed, over the queries of both; `None` where a side answered several times, or its lists were read and are not held. Of
/// lists that were asked for to different depths only the first documents are compared, as many as `depth` says.
pub fn list_changes(now: &Evaluation, before: &Evaluation, depth: Option<usize>) -> Option<ListChanges> {
    let is_one = |side: &Evaluation| side.passes() == 1 && side.run(0).is_some();
    if !is_one(now) || !is_one(before) {
        return None;
    }
    let both = |query: &Query| {
        [before, now].map(|side| {
            let hits = ranking(side, 0, &query.id);
            &hits[..depth.unwrap_or(hits.len()).min(hits.len())]
        })
    };
    let lists: Vec<[&[Hit]; 2]> = now.queries().iter().map(both).collect();
    Some(ListChanges::new(&lists))
}

impl ListChanges {
    /// Of the list before and the list now of each query.
    fn new(lists: &[[&[Hit]; 2]]) -> Self {
        let count =
            |is: &dyn Fn(&[Hit], &[Hit]) -> bool| lists.iter().filter(|[old, new]| is(old, new)).count();
        let queries = lists.len();
        let answered = count(&|old, _| !old.is_empty());
        let shorter = count(&|old, new| new.len() < old.len());
        let more_ties = count(&|old, new| tied(new) > tied(old));
        let without_first =
            count(&|old, new| old.first().is_some_and(|first| new.iter().all(|hit| hit.id != first.id)));
        let vanished = vanished(lists);
        let mut shapes = Vec::new();
        if let Some([gone, of]) = vanished {
            shapes.push(format!(
                "{gone} of {of} documents that were returned before are returned for no query: is the index complete?"
            ));
        }
        if shorter > 0 {
            let longest = |side: usize| lists.iter().map(|both| both[side].len()).max().unwrap_or(0);
            let (before, now) = (longest(0), longest(1));
            let all = counted(answered, "answer", "answers");
            let longest = match now < before {
                true => format!("; the longest has {now}, and had {before}"),
                false => String::new(),
            };
            shapes.push(format!("{shorter} of {all} are shorter{longest}"));
        }
        // An ordinary change of a formula makes some ties.
        if 2 * more_ties > queries {
            let all = counted(queries, "ranking", "rankings");
            shapes.push(format!(
                "more documents tie than before in {more_ties} of {all}: scores may have lost digits"
            ));
        }
        if without_first > 0 {
            shapes.push(format!("the first document is gone in {without_first} of {answered}"));
        }
        let all = |count: usize| count == answered && answered >= FEWEST;
        let of_all = vanished.is_some() || all(shorter) || all(without_first);
        Self { order: order(lists), shapes, of_all }
    }
}

/// What happened to the order of documents, in a sentence.
fn order(lists: &[[&[Hit]; 2]]) -> String {
    let all = counted(lists.len(), "ranking", "rankings");
    let ids =
        lists.iter().map(|both| both.map(|hits| hits.iter().map(|hit| hit.id.as_str()).collect::<Vec<_>>()));
    let changed: Vec<[Vec<&str>; 2]> = ids.filter(|[old, new]| old != new).collect();
    let sets = changed.iter().map(|both| [0, 1].map(|side| both[side].iter().collect::<HashSet<_>>()));
    let reordered = sets.filter(|[old, new]| old == new).count();
    match (changed.len(), reordered) {
        (changed, 0) => format!("{changed} of {all} changed"),
        (changed, reordered) => {
            let which = if reordered == changed { "" } else { "of some " };
            format!("{changed} of {all} changed: {which}the documents are the same, in another order")
        }
    }
}

/// How many of all documents are gone from all lists, where no others came in their place: another way of ranking exchanges
/// documents, and an index that lacks some only loses them.
fn vanished(lists: &[[&[Hit]; 2]]) -> Option<[usize; 2]> {
    let returned = |side: usize| -> HashSet<&str> {
        lists.iter().flat_map(|both| both[side]).map(|hit| hit.id.as_str()).collect()
    };
    let (old, new) = (returned(0), returned(1));
    let (gone, come) = (old.difference(&new).count(), new.difference(&old).count());
    (gone >= FEWEST_GONE && 10 * gone >= old.len() && 2 * come <= gone).then_some([gone, old.len()])
}

/// How many documents have the score of the one before them.
fn tied(hits: &[Hit]) -> usize {
    hits.windows(2).filter(|pair| pair[0].score == pair[1].score).count()
}

/// The metric of relevance that lost most, with its value now and the queries behind it; `None` where none lost, or none can be computed.
pub fn largest_loss(
    metrics: &[Metric],
    now: &Evaluation,
    before: &Evaluation,
) -> Option<(String, f64, Movers)> {
    let loss = |metric: &Metric| {
        let difference = now.value(metric).ok()? - before.value(metric).ok()?;
        let is_gain = metric.needs_relevance() && metric.polarity() == Polarity::MoreIsBetter;
        (is_gain && !metric.is_count() && difference < -ROUNDING).then_some(difference)
    };
    let losses = metrics.iter().filter_map(|metric| Some((metric, loss(metric)?)));
    // The first of several that lost the same.
    let (metric, _) = losses.reduce(|most, one| if one.1 < most.1 { one } else { most })?;
    let moved = movers::against(now, ("golden", before), metric, movers::QUERIES).ok()?;
    Some((metric.to_string(), now.value(metric).ok()?, moved))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lists of queries before and now: ids, each with the score 9 less its place.
    fn changes(lists: &[[&[&str]; 2]]) -> ListChanges {
        let hits = |ids: &[&str]| -> Vec<Hit> {
            ids.iter().enumerate().map(|(place, id)| Hit::new(*id, 9.0 - place as f64)).collect()
        };
        let lists: Vec<[Vec<Hit>; 2]> = lists.iter().map(|both| both.map(hits)).collect();
        ListChanges::new(&lists.iter().map(|both| [&both[0][..], &both[1][..]]).collect::<Vec<_>>())
    }

    #[test]
    fn changes_of_all_lists_are_told_apart_from_those_of_some() {
        let same: [&[&str]; 2] = [&["a", "b"], &["a", "b"]];
        let (short, swapped): ([&[&str]; 2], [&[&str]; 2]) =
            ([&["a", "b"], &["a"]], [&["a", "b"], &["b", "a"]]);
        let lost: [&[&str]; 2] = [&["a", "b"], &["c", "b"]];
        let of = |shapes: &[&str]| shapes.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        let unchanged = changes(&[same; 6]);
        assert_eq!((unchanged.order.as_str(), unchanged.of_all), ("0 of 6 rankings changed", false));
        assert_eq!(unchanged.shapes, Vec::<String>::new());
        let all = changes(&[short; 6]);
        assert_eq!(all.shapes, of(&["6 of 6 answers are shorter; the longest has 1, and had 2"]));
        assert!(
            all.of_all
                && !changes(&[short; 4]).of_all
                && !changes(&[same, short, short, short, short]).of_all
        );
        let order = changes(&[swapped; 6]);
        assert_eq!(order.order, "6 of 6 rankings changed: the documents are the same, in another order");
        assert!(order.shapes.is_empty() && !order.of_all);
        let mixed = changes(&[swapped, lost, same]);
        assert_eq!(
            mixed.order,
            "2 of 3 rankings changed: of some the documents are the same, in another order"
        );
        assert_eq!(mixed.shapes, of(&["the first document is gone in 1 of 3"]));
        assert!(changes(&[lost; 6]).of_all);
    }

    #[test]
    fn documents_that_no_list_has_any_more_are_no_exchange() {
        let ids: Vec<String> = (0..30).map(|id| format!("d{id}")).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let gone = changes(&[[&ids, &ids[..20]]]);
        assert_eq!(
            gone.shapes[0],
            "10 of 30 documents that were returned before are returned for no query: is the index complete?"
        );
        assert!(gone.of_all);
        assert!(!changes(&[[&ids[..20], &ids[10..]]]).of_all, "as many came");
    }
}
