//! The form of MS MARCO: `query<TAB>document<TAB>rank`, one document a line, without scores.

use std::collections::{BTreeMap, HashSet};

use crate::error::Quoted;
use crate::input::{HashIds, Input, Lines, is_comment};
use crate::places::Places;
use crate::run::answer::{Answer, TOO_LONG, TooLong};
use crate::run::reader::{Contents, Judge, RunReader};
use crate::run::{Order, score_by_order};
use crate::{Error, Result};

/// By three columns between tabs, of which the third is a whole number.
pub(super) fn is(input: &mut Input<'_>) -> Result<bool> {
    let text = String::from_utf8_lossy(input.peek_text()?);
    let first = text.lines().find(|line| !line.trim().is_empty() && !is_comment(line)).unwrap_or_default();
    Ok(
        matches!(first.split('\t').collect::<Vec<_>>()[..], [_, _, rank] if rank.trim().parse::<i64>().is_ok()),
    )
}

pub(super) fn read<T>(reader: &RunReader, input: Input<'_>, judge: &Judge<'_, T>) -> Result<Contents<T>> {
    let mut lines = Lines::new(input);
    let path = lines.path().to_owned();
    if reader.order == Some(Order::Score) {
        return Err(Error::in_file(&path, "three columns are query, document and rank: there are no scores"));
    }
    let mut ids = HashIds::default();
    let mut answers: BTreeMap<String, (Answer, HashSet<i64>)> = BTreeMap::new();
    while let Some(line) = lines.next_data()? {
        ids.see(line)?;
        let [query, document, rank] =
            line.columns(|_| "a run in three columns is query, document and rank")?;
        let ranked = rank.parse().ok().filter(|rank: &i64| *rank > 0);
        let Some(rank) = ranked else {
            let rank = Quoted(rank);
            return Err(line.error(format!("{rank} is no rank from 1 on; {SWAPPED}")));
        };
        let empty = || (reader.answer(), HashSet::new());
        let (answer, ranks) = match answers.get_mut(query) {
            Some(answer) => answer,
            None => answers.entry(query.to_owned()).or_insert_with(empty),
        };
        if !ranks.insert(rank) {
            return Err(line.error(format!("rank {rank} of query {} again; {SWAPPED}", Quoted(query))));
        }
        let place = usize::try_from(rank - 1).unwrap_or(usize::MAX);
        let pushed = answer.push(document, score_by_order(place), rank, line.number);
        pushed.map_err(|TooLong| line.error(TOO_LONG))?;
    }
    let (mut seen, mut rankings) = (Places::default(), BTreeMap::new());
    for (query, (mut answer, _)) in answers {
        let judged = judge(&query, &answer.ranking(Order::Rank, &query, &path, &mut seen)?)?;
        rankings.insert(query, judged);
    }
    Ok(Contents::new(rankings, None, lines.take_comments()))
}

const SWAPPED: &str = "if the third column has grades, these are judgments: did you swap judgments and run?";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::Qrels;
    use crate::run::Run;

    fn run(text: &str) -> Result<Run> {
        RunReader::new().parse("a.tsv", text.as_bytes())
    }

    #[test]
    fn ranks_are_the_order() {
        let found = run("300674\t7067032\t2\n300674\t12\t1\n125705\t9\t1\n").unwrap();
        let ids =
            |query: &str| found.ranking(query).unwrap().iter().map(|hit| hit.id.as_str()).collect::<Vec<_>>();
        assert_eq!((ids("300674"), ids("125705")), (vec!["12", "7067032"], vec!["9"]));
    }

    #[test]
    fn judgments_in_the_place_of_a_run_are_named() {
        let judgments = "q1\td1\t1\nq1\td2\t1\n";
        assert_eq!(Qrels::parse("a.tsv", judgments.as_bytes()).unwrap().len(), 2);
        for text in [judgments, "q1\td1\t0\n"] {
            let error = run(text).unwrap_err().to_string();
            assert!(error.starts_with("a.tsv:") && error.contains(SWAPPED), "{error}");
        }
    }
}
