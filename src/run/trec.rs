//! The TREC format: `query Q0 document rank score tag`, one document a line.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use crate::Result;
use crate::error::Quoted;
use crate::input::{Input, Line, Lines, Source};
use crate::run::answer::{Answer, SeenIds};
use crate::run::decode_id;
use crate::run::reader::{Contents, RunReader};
use crate::run::{HitRef, Order};

/// One line of the file; the second column says nothing.
struct Row<'a> {
    query: Cow<'a, str>,
    document: Cow<'a, str>,
    rank: i64,
    score: f64,
    tag: &'a str,
}

impl<'a> Row<'a> {
    fn parse(line: Line<'a>, reader: &RunReader) -> Result<Self> {
        let [query, _, document, rank, score, tag] = line.columns()?;
        let id = |column: &'a str| {
            if !reader.encoded_ids {
                return Ok(Cow::Borrowed(column));
            }
            decode_id(column).map_err(|error| line.error(error.to_string()))
        };
        let rank = match reader.order {
            Order::Rank => rank
                .parse()
                .map_err(|_| line.error(format!("rank {} is not a whole number", Quoted(rank))))?,
            Order::Score => 0,
        };
        let score: f64 =
            score.parse().map_err(|_| line.error(format!("score {} is not a number", Quoted(score))))?;
        if score.is_nan() {
            let (query, document) = (Quoted(query), Quoted(document));
            return Err(line.error(format!("the score of document {document} for query {query} is NaN")));
        }
        Ok(Self { query: id(query)?, document: id(document)?, rank, score, tag })
    }
}

/// Reads a run, calling `judge` for each query.
///
/// The lines of a query usually stand together: then one query at a time is held. Where a query
/// comes back later, the file is read again, holding all queries until its end.
pub(super) fn read<T, F>(
    reader: &RunReader,
    source: &Source<'_>,
    input: Input<'_>,
    judge: &F,
) -> Result<Contents<T>>
where
    F: Fn(&str, &[HitRef<'_>]) -> Result<T>,
{
    if !source.can_be_read_again() {
        return read_scattered(reader, Lines::new(input), judge);
    }
    match read_together(reader, Lines::new(input), judge)? {
        Some(contents) => Ok(contents),
        None => read_scattered(reader, source.lines()?, judge),
    }
}

/// Reads a run in which the lines of each query stand together; `None` where they do not.
fn read_together<T, F>(reader: &RunReader, mut lines: Lines<'_>, judge: &F) -> Result<Option<Contents<T>>>
where
    F: Fn(&str, &[HitRef<'_>]) -> Result<T>,
{
    let path = lines.path().to_owned();
    let mut seen = SeenIds::default();
    let mut tag = None;
    let mut done = BTreeMap::new();
    let mut query = String::new();
    let mut answer = Answer::default();
    while let Some(line) = lines.next_data()? {
        let row = Row::parse(line, reader)?;
        if row.query != query {
            if done.contains_key(&*row.query) {
                return Ok(None);
            }
            if !query.is_empty() {
                let judged = judge(&query, &answer.ranking(reader.order, &query, &path, &mut seen)?)?;
                done.insert(std::mem::take(&mut query), judged);
                answer.clear();
            }
            query.push_str(&row.query);
        }
        answer.push(&row.document, row.score, row.rank, line.number);
        tag.get_or_insert_with(|| row.tag.to_owned());
    }
    if !query.is_empty() {
        let judged = judge(&query, &answer.ranking(reader.order, &query, &path, &mut seen)?)?;
        done.insert(query, judged);
    }
    Ok(Some(Contents::new(done, tag, lines.take_comments())))
}

/// Reads a run whatever the order of its lines.
fn read_scattered<T, F>(reader: &RunReader, mut lines: Lines<'_>, judge: &F) -> Result<Contents<T>>
where
    F: Fn(&str, &[HitRef<'_>]) -> Result<T>,
{
    let path = lines.path().to_owned();
    let mut answers: HashMap<String, Answer> = HashMap::new();
    let mut tag = None;
    while let Some(line) = lines.next_data()? {
        let row = Row::parse(line, reader)?;
        if !answers.contains_key(&*row.query) {
            answers.insert(row.query.clone().into_owned(), Answer::default());
        }
        if let Some(answer) = answers.get_mut(&*row.query) {
            answer.push(&row.document, row.score, row.rank, line.number);
        }
        tag.get_or_insert_with(|| row.tag.to_owned());
    }
    let mut seen = SeenIds::default();
    let mut answers: Vec<(String, Answer)> = answers.into_iter().collect();
    answers.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    let judged = answers.into_iter().map(|(query, mut answer)| {
        let judged = judge(&query, &answer.ranking(reader.order, &query, &path, &mut seen)?)?;
        Ok((query, judged))
    });
    Ok(Contents::new(judged.collect::<Result<_>>()?, tag, lines.take_comments()))
}
