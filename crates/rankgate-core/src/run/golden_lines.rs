//! Golden runs with a ranking a line: the query and then its documents, best first.
//!
//! Ids are percent-encoded. `=` before a document says that it had the score of the one before it. Scores decide nothing
//! of a golden run and change with every document that is indexed, so they are not kept: a reader gets falling whole
//! numbers in their place. Where all queries were asked several times, a line begins with whose ranking it is:
//! `repeat-2 q001 delivery-1`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::error::Quoted;
use crate::input::{Input, Line, Lines, MAX_LINE};
use crate::output::Output;
use crate::places::Places;
use crate::run::answer::{TOO_LONG, TooLong};
use crate::run::golden_digest::LineDigest;
use crate::run::reader::{Contents, Judge, RunReader};
use crate::run::{Hit, Order, Run, decode_id, encode_id};
use crate::{Error, Result};

pub(super) fn read<T>(reader: &RunReader, input: Input<'_>, judge: &Judge<'_, T>) -> Result<Contents<T>> {
    let mut lines = Lines::new(input);
    let path = lines.path().to_owned();
    let mut digest = match LineDigest::begin(reader.form, &path, lines.head()?) {
        Ok(digest) => digest,
        Err(error) => {
            // A merge that could not decide between two heads leaves its marks in them.
            if let Some(line) = lines.next()? {
                line.refuse_conflict()?;
            }
            return Err(error);
        }
    };
    let mut rankings: BTreeMap<String, T> = BTreeMap::new();
    let mut places: BTreeMap<String, u64> = BTreeMap::default();
    let (mut answer, mut seen) = (reader.answer(), Places::default());
    while let Some(line) = lines.next()? {
        line.refuse_conflict()?;
        digest.line(line.text);
        let Row { whose, query, documents } = Row::parse(line, reader.several())?;
        if !whose.is_none_or(|whose| reader.takes(whose)) {
            continue;
        }
        let query = match whose.filter(|_| reader.by_tag) {
            Some(whose) => format!("{whose} {query}"),
            None => query.into_owned(),
        };
        if let Some(first) = places.insert(query.clone(), line.number) {
            return Err(line.error(format!("query {} again (first in line {first})", Quoted(&query))));
        }
        answer.clear();
        let mut score = documents.len() as f64;
        for (place, document) in documents.into_iter().enumerate() {
            let (tied, id) = document.strip_prefix('=').map_or((false, document), |id| (true, id));
            if tied && place == 0 {
                return Err(line.error("`=` before the first document: there is none before it to tie with"));
            }
            if !tied && place > 0 {
                score -= 1.0;
            }
            let id = decode(line, id)?;
            if id.is_empty() {
                return Err(line.error("a document has an empty id"));
            }
            let pushed = answer.push(&id, score, place as i64 + 1, line.number);
            pushed.map_err(|TooLong| line.error(TOO_LONG))?;
        }
        let judged = judge(&query, &answer.ranking(Order::Rank, &query, &path, &mut seen)?)?;
        rankings.insert(query, judged);
    }
    let comments = lines.take_comments();
    digest.check(&path, &comments, reader.count_queries(&rankings))?;
    Ok(Contents::new(rankings, Some("golden".to_owned()), comments))
}

/// A line of the file.
struct Row<'a> {
    /// Whose ranking it is, where there are several.
    whose: Option<&'a str>,
    query: Cow<'a, str>,
    /// As they stand there, signs of ties included.
    documents: Vec<&'a str>,
}

impl<'a> Row<'a> {
    fn parse(line: Line<'a>, several: bool) -> Result<Self> {
        let mut words = line.text.split_ascii_whitespace();
        let whose = if several { words.next() } else { None };
        let query = decode(line, words.next().unwrap_or_default())?;
        let documents: Vec<&str> = words.collect();
        if documents.is_empty() {
            let whose = if several { "repeat-1 " } else { "" };
            let message =
                format!("no documents; a line of a golden run is `{whose}query document document ...`");
            return Err(line.error(message));
        }
        Ok(Self { whose, query, documents })
    }
}

fn decode<'a>(line: Line<'_>, id: &'a str) -> Result<Cow<'a, str>> {
    decode_id(id).map_err(|error| line.error(error.to_string()))
}

/// Writes a line for each ranking, which begins with `whose` where there are several of a query.
///
/// # Errors
/// A ranking that makes a line longer than is read.
pub fn write_rankings(run: &Run, whose: Option<&str>, output: &mut Output<'_>) -> Result<()> {
    for (query, hits) in run.iter().filter(|(_, hits)| !hits.is_empty()) {
        let mut line = whose.map_or(String::new(), |whose| format!("{whose} ")) + &column(query);
        let mut before: Option<&Hit> = None;
        for hit in hits {
            let tied = before.is_some_and(|before| before.score == hit.score);
            line += if tied { " =" } else { " " };
            line += &column(&hit.id);
            before = Some(hit);
        }
        if line.len() > MAX_LINE {
            let message =
                format!("the ranking of query {} is longer than {} MiB", Quoted(query), MAX_LINE >> 20);
            return Err(Error::invalid(message));
        }
        output.line(format_args!("{line}"))?;
    }
    Ok(())
}

/// An id as it stands between blanks: also what begins like the sign of a tie, or like a merge's conflict, is encoded.
fn column(id: &str) -> Cow<'_, str> {
    match id.as_bytes().first() {
        Some(first @ (b'=' | b'<' | b'>' | b'|')) => format!("%{first:02X}{}", encode_id(&id[1..])).into(),
        _ => encode_id(id),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::run::golden_form::GoldenForm;
    use crate::run::with_digest;

    const ONE: GoldenForm = GoldenForm::new(true, false);

    fn lines(run: &Run) -> Vec<u8> {
        let mut text = Vec::new();
        write_rankings(run, None, &mut Output::new("a.run".as_ref(), &mut text)).unwrap();
        text
    }

    fn file(lines: impl AsRef<[u8]>) -> Vec<u8> {
        with_digest(ONE, &[], lines.as_ref()).unwrap()
    }

    /// The lines are the third and those after it.
    fn read(lines: &str) -> Result<Run> {
        RunReader::new().parse("a.run", &file(lines))
    }

    #[test]
    fn a_ranking_is_a_line_that_marks_ties_and_has_no_scores() {
        let hits = [("b", 7.25), ("a c", 7.25), ("=d", 7.0)].map(|(id, score)| Hit::new(id, score)).to_vec();
        let run = Run::from_rankings([("q1", hits), ("<<<<<<<", vec![Hit::new("#", 1.0)])]).unwrap();
        let written = lines(&run);
        assert_eq!(String::from_utf8_lossy(&written), "%3C<<<<<< %23\nq1 b =a%20c %3Dd\n");
        let read = RunReader::new().parse("a.run", &file(written)).unwrap();
        let falling = [("b", 3.0), ("a c", 3.0), ("=d", 2.0)].map(|(id, score)| Hit::new(id, score));
        assert_eq!(read.ranking("q1").unwrap(), falling);
        assert_eq!((read.ranking("<<<<<<<").unwrap().len(), read.is_golden()), (1, true));
    }

    #[test]
    fn what_is_no_ranking_is_an_error_with_line_and_text() {
        for (lines, said) in [
            (
                "q1 a\nq2\n",
                "a.run:4: no documents; a line of a golden run is `query document document ...`: `q2`",
            ),
            ("q1 a\nq1 b\n", "a.run:4: query `q1` again (first in line 3): `q1 b`"),
            ("q1 a b a\n", "a.run:3: document of query `q1` again (first in line 3): `a`"),
            (
                "q1 =a\n",
                "a.run:3: `=` before the first document: there is none before it to tie with: `q1 =a`",
            ),
            ("q1 a =\n", "a.run:3: a document has an empty id: `q1 a =`"),
            ("q1 a%zz\n", "a.run:3: `a%zz` is not a percent-encoded id: `q1 a%zz`"),
            ("q1 a\n=======\n", "a.run:4: a merge left its conflict here: `=======`"),
            ("<<<<<<< HEAD\nq1 a\n", "a.run:3: a merge left its conflict here: `<<<<<<< HEAD`"),
        ] {
            assert_eq!(read(lines).unwrap_err().to_string(), said);
        }
        let by_score = RunReader::new().order(Order::Score);
        let error = by_score.parse("a.run", &file("q1 a\n")).unwrap_err().to_string();
        assert!(error.contains("the order of its ranks"), "{error}");
    }

    #[test]
    fn conventions_of_the_reader_hold() {
        let text = file("q1 q1 a b\nq2 c\n");
        let parse = |reader: RunReader| reader.parse("a.run", &text).unwrap();
        let ids = |run: Run| run.ranking("q1").unwrap().iter().map(|hit| hit.id.clone()).collect::<Vec<_>>();
        assert_eq!(ids(parse(RunReader::new().exclude_identical_ids(true))), ["a", "b"]);
        assert_eq!(ids(parse(RunReader::new().depth(2))), ["q1", "a"]);
        assert_eq!(ids(parse(RunReader::new().order(Order::Rank))), ["q1", "a", "b"]);
    }

    #[test]
    fn one_of_several_rankings_is_read_by_its_number() {
        let head = ["times: 2".to_owned()];
        let lines = "repeat-1 q a\nrepeat-2 q b\n";
        let columns = "q Q0 a 1 1 repeat-1\nq Q0 b 1 1 repeat-2\n";
        for (ranking_a_line, rows) in [(true, lines), (false, columns)] {
            let text = with_digest(GoldenForm::new(ranking_a_line, true), &head, rows.as_bytes()).unwrap();
            let read = |reader: RunReader| reader.parse("a.run", &text);
            let first = |run: Run| run.ranking("q").map(|hits| hits[0].id.clone());
            assert_eq!(first(read(RunReader::new().repeat(2)).unwrap()), Some("b".to_owned()));
            assert_eq!(first(read(RunReader::new().repeat(1)).unwrap()), Some("a".to_owned()));
            let error = |reader| read(reader).unwrap_err().to_string();
            assert_eq!(
                error(RunReader::new().repeat(3)),
                "a.run: repeat 3 of a run that has 2 rankings a query"
            );
            assert!(error(RunReader::new()).contains("`rankgate export FILE --repeat 1` writes the first"));
        }
        let one = RunReader::new().repeat(2).parse("b.run", b"q Q0 a 1 1 t\n").unwrap_err().to_string();
        assert_eq!(one, "b.run: repeat 2 of a run that has one ranking a query");
    }

    proptest! {
        #[test]
        fn any_ranking_comes_back_with_its_order_and_its_ties(
            rankings in prop::collection::btree_map("\\PC+|[=<>|%# ]+", prop::collection::btree_map("\\PC+|[=%]+", -2..2_i32, 1..6), 1..4)
        ) {
            let hits = |hits: &BTreeMap<String, i32>| hits.iter().map(|(id, score)| Hit::new(id.clone(), f64::from(*score))).collect();
            let run = Run::from_rankings(rankings.iter().map(|(query, ranking)| (query.clone(), hits(ranking)))).unwrap();
            let back = RunReader::new().parse("a.run", &file(lines(&run))).unwrap();
            prop_assert_eq!(back.len(), run.len());
            for ((query, hits), (other, others)) in run.iter().zip(back.iter()) {
                let ids = |hits: &[Hit]| hits.iter().map(|hit| hit.id.clone()).collect::<Vec<_>>();
                let ties = |hits: &[Hit]| hits.windows(2).map(|pair| pair[0].score == pair[1].score).collect::<Vec<_>>();
                prop_assert_eq!((query, ids(hits), ties(hits)), (other, ids(others), ties(others)));
            }
        }
    }
}
