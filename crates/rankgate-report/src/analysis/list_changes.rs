//! How lists differ in shape from those that were given before.

mod words;

use std::collections::HashSet;

use self::words::ListChanges;
use crate::evaluation::Evaluation;
use crate::metric::{Metric, Polarity};
use crate::model::Movers;
use crate::run::Hit;
use crate::stats::ROUNDING;

use super::movers;
use super::pair::ranking;

/// How the lists of a configuration differ from those that it gave before, over the queries of both; `None` where a side
/// answered several times, or its lists were read and are not held. Of lists that were asked for to different depths only the
/// first documents are compared, as many as `depth` says.
pub fn list_changes(now: &Evaluation, before: &Evaluation, depth: Option<usize>) -> Option<ListChanges> {
    let is_one = |side: &Evaluation| side.passes() == 1 && side.run(0).is_some();
    if !is_one(now) || !is_one(before) {
        return None;
    }
    let mut changes = ListChanges {
        queries: now.queries().len(),
        answered: 0,
        changed: 0,
        reordered: 0,
        shorter: 0,
        shorter_by: None,
        longer: 0,
        longer_by: None,
        longest: [0, 0],
        without_first: 0,
        more_ties: 0,
        vanished: None,
    };
    let mut returned: [HashSet<&str>; 2] = Default::default();
    for query in now.queries() {
        let [old, new] = [before, now].map(|side| {
            let hits = ranking(side, 0, &query.id);
            &hits[..depth.unwrap_or(hits.len()).min(hits.len())]
        });
        add(&mut changes, old, new);
        for (ids, hits) in returned.iter_mut().zip([old, new]) {
            ids.extend(hits.iter().map(|hit| hit.id.as_str()));
        }
    }
    changes.vanished = vanished(&returned);
    Some(changes)
}

/// How many of all documents are gone from all lists, where no others came in their place: another way of ranking exchanges
/// documents, and an index that lacks some only loses them.
fn vanished([old, new]: &[HashSet<&str>; 2]) -> Option<[usize; 2]> {
    let (gone, come) = (old.difference(new).count(), new.difference(old).count());
    (gone >= FEWEST_GONE && 10 * gone >= old.len() && 2 * come <= gone).then_some([gone, old.len()])
}

/// Fewer documents may be gone by chance.
const FEWEST_GONE: usize = 10;

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

fn add(changes: &mut ListChanges, old: &[Hit], new: &[Hit]) {
    let wider = |by: &mut Option<[usize; 2]>, more: usize| {
        let [least, most] = by.unwrap_or([more, more]);
        *by = Some([least.min(more), most.max(more)]);
    };
    let [longest_before, longest_now] = changes.longest;
    changes.longest = [longest_before.max(old.len()), longest_now.max(new.len())];
    if new.len() < old.len() {
        changes.shorter += 1;
        wider(&mut changes.shorter_by, old.len() - new.len());
    }
    if new.len() > old.len() {
        changes.longer += 1;
        wider(&mut changes.longer_by, new.len() - old.len());
    }
    if let Some(first) = old.first() {
        changes.answered += 1;
        changes.without_first += usize::from(new.iter().all(|hit| hit.id != first.id));
    }
    changes.more_ties += usize::from(tied(new) > tied(old));
    let [old, new] = [old, new].map(|hits| hits.iter().map(|hit| hit.id.as_str()));
    if !old.clone().eq(new.clone()) {
        changes.changed += 1;
        changes.reordered += usize::from(old.collect::<HashSet<_>>() == new.collect::<HashSet<_>>());
    }
}

/// How many documents have the score of the one before them.
fn tied(hits: &[Hit]) -> usize {
    hits.windows(2).filter(|pair| pair[0].score == pair[1].score).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::{CollectionBuilder, Query};
    use crate::run::Run;

    /// Lists of one letter a document; after a `=` a document ties with the one before it.
    fn evaluation(lists: &[&str]) -> Evaluation {
        let mut builder = CollectionBuilder::new();
        let mut rankings = Vec::new();
        for (number, list) in lists.iter().enumerate() {
            let id = format!("q{number}");
            builder.add_query(Query::new(&id, "text"), [("a", 1)]);
            let (mut hits, mut score) = (Vec::new(), 100.0);
            let mut tied = false;
            for letter in list.chars() {
                if letter == '=' {
                    tied = true;
                    continue;
                }
                score -= if tied { 0.0 } else { 1.0 };
                tied = false;
                hits.push(Hit::new(letter.to_string(), score));
            }
            rankings.push((id, hits));
        }
        Evaluation::of_run(&builder.build().unwrap(), Run::from_rankings(rankings).unwrap()).unwrap()
    }

    #[test]
    fn documents_that_are_gone_from_all_lists_are_counted() {
        let ids: Vec<String> = (0..40).map(|number| format!("d{number}")).collect();
        let sets = |from: usize, to: usize| ids[from..to].iter().map(String::as_str).collect::<HashSet<_>>();
        for (old, new, expected) in [
            (sets(0, 40), sets(0, 30), Some([10, 40])),
            (sets(0, 40), sets(0, 31), None),
            (sets(0, 35), sets(10, 40), Some([10, 35])),
            (sets(0, 34), sets(10, 40), None), // six others came for ten
        ] {
            assert_eq!(vanished(&[old, new]), expected);
        }
    }

    #[test]
    fn each_way_in_which_lists_change_is_counted() {
        let before = evaluation(&["abc", "abc", "abc", "abc", "abc", "", "abc"]);
        let now = evaluation(&["abc", "ab", "bca", "bcd", "a=bc", "x", "a"]);
        let changes = list_changes(&now, &before, None).unwrap();
        let expected = ListChanges {
            queries: 7,
            answered: 6,
            // q1, q2, q3, q5, q6
            changed: 5,
            reordered: 1,
            shorter: 2,
            shorter_by: Some([1, 2]),
            longer: 1,
            longer_by: Some([1, 1]),
            longest: [3, 3],
            // q3
            without_first: 1,
            // q4
            more_ties: 1,
            vanished: None,
        };
        assert_eq!(changes, expected);
    }

    #[test]
    fn what_lies_below_the_common_depth_is_no_change() {
        let (before, now) = (evaluation(&["abc", "abc"]), evaluation(&["abcd=e", "abxy=z"]));
        let changes = list_changes(&now, &before, Some(3)).unwrap();
        let of_depth = (changes.changed, changes.longer, changes.more_ties, changes.longest);
        assert_eq!(of_depth, (1, 0, 0, [3, 3]));
        assert_eq!(list_changes(&now, &before, Some(2)).unwrap().changed, 0);
        assert_eq!(list_changes(&now, &before, None).unwrap().longer, 2);
    }
}
