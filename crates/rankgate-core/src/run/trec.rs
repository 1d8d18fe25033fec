//! The TREC format: `query Q0 document rank score tag`, one document a line.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use memchr::{memchr_iter, memrchr};

use crate::Result;
use crate::error::Quoted;
use crate::input::{HashIds, Input, Line, Lines, Source};
use crate::order;
use crate::places::Places;
use crate::run::answer::{Answer, TOO_LONG, TooLong};
use crate::run::blocks::Blocks;
use crate::run::decode_id;
use crate::run::entry::known_rank;
use crate::run::golden_digest::LineDigest;
use crate::run::reader::{Contents, RunReader};
use crate::run::{Order, Ranking};

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
        let [query, _, document, rank, score, tag] = line.columns(other_columns)?;
        let id = |column: &'a str| {
            if !reader.encoded_ids {
                return Ok(Cow::Borrowed(column));
            }
            decode_id(column).map_err(|error| line.error(error.to_string()))
        };
        let rank = match reader.chosen() {
            Order::Rank => rank
                .parse()
                .map_err(|_| line.error(format!("rank {} is not a whole number", Quoted(rank))))?,
            Order::Score => known_rank(rank),
        };
        let score: f64 = score.parse().map_err(|_| {
            line.error(format!("score {} is not a number{}", Quoted(score), no_number(score)))
        })?;
        if score.is_nan() {
            let (query, document) = (Quoted(query), Quoted(document));
            return Err(line.error(format!("the score of document {document} for query {query} is NaN")));
        }
        let query = match reader.by_tag && reader.several() {
            true => Cow::Owned(format!("{tag} {}", id(query)?)),
            false => id(query)?,
        };
        Ok(Self { query, document: id(document)?, rank, score, tag })
    }
}

/// What a run without six columns may be.
fn other_columns(found: usize) -> &'static str {
    match found {
        3 | 4 => "so few columns are judgments: did you swap judgments and run?",
        5 => "a run is `query Q0 document rank score tag`, and the tag may be any word",
        7.. => "neither ids nor the tag may hold spaces, unless tabs separate all columns",
        _ => "a run is `query Q0 document rank score tag`",
    }
}

/// Why a score may be no number.
fn no_number(score: &str) -> &'static str {
    match score {
        "score" | "sim" => "; a run has no header",
        _ if score.contains(',') => "; decimals stand behind a point",
        _ => "",
    }
}

/// Reads a run on all cores where it can be, and else line by line, calling `judge` for each query.
///
/// The lines of a query usually stand together: then one query at a time is held. Where a query
/// comes back later, the file is read again, holding all queries until its end.
pub(super) fn read<T, F>(
    reader: &RunReader,
    source: &Source<'_>,
    mut input: Input<'_>,
    judge: &F,
) -> Result<Contents<T>>
where
    T: Send,
    F: Fn(&str, &Ranking<'_>) -> Result<T> + Sync,
{
    if let Some(contents) = read_blocks(reader, source, &mut input, judge)? {
        return Ok(contents);
    }
    let (input, replay) = match source.can_be_read_again() {
        true => (input, None),
        // Of a pipe one query at a time is held, too; should one come back, a copy of it is read.
        false => {
            let (input, replay) = input.copied();
            (input, Some(replay))
        }
    };
    match (read_together(reader, Lines::new(input), judge)?, replay) {
        (Some(contents), _) => Ok(contents),
        (None, Some(replay)) => read_scattered(reader, Lines::new(replay.again()?), judge),
        (None, None) => read_scattered(reader, source.lines()?, judge),
    }
}

/// Reads a run on all cores, which takes a plain file of the ordinary shape; `None` for any other.
fn read_blocks<T, F>(
    reader: &RunReader,
    source: &Source<'_>,
    input: &mut Input<'_>,
    judge: &F,
) -> Result<Option<Contents<T>>>
where
    T: Send,
    F: Fn(&str, &Ranking<'_>) -> Result<T> + Sync,
{
    let Some(length) = source.plain_length(input).filter(|_| !reader.encoded_ids) else { return Ok(None) };
    let Some(head) = Head::parse(input.peek(HEAD)?) else { return Ok(None) };
    let mut blocks = Blocks::new(source.path(), reader.chosen(), head.length, length);
    (blocks.excluding, blocks.lenient) = (reader.excluding, reader.lenient);
    let Some(done) = blocks.read(judge) else { return Ok(None) };
    let count = done.len();
    let rankings = order::map(done);
    // A query that comes back later has to be put together from its parts.
    Ok((rankings.len() == count).then(|| Contents::new(rankings, head.tag, head.comments)))
}

/// How far into a file its first line of data is looked for.
const HEAD: usize = 64 << 10;

/// What stands before the first line of data, and that line's tag.
struct Head {
    length: u64,
    comments: Vec<String>,
    tag: Option<String>,
}

impl Head {
    /// `None` where the first line of data is not to be seen whole.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let whole = memrchr(b'\n', bytes)? + 1;
        let mut lines = Source::bytes("head", &bytes[..whole]).lines().ok()?;
        let line = lines.next_data().ok()??;
        let [.., tag] = line.columns::<6>(other_columns).ok()?;
        let (tag, number) = (tag.to_owned(), line.number);
        let newlines = memchr_iter(b'\n', bytes);
        let length = newlines.take(number as usize - 1).last().map_or(0, |newline| newline + 1);
        let mark = if bytes.starts_with("\u{feff}".as_bytes()) { "\u{feff}".len() } else { 0 };
        Some(Self { length: length.max(mark) as u64, comments: lines.take_comments(), tag: Some(tag) })
    }
}

/// The next row. In a golden run each line behind the head is one.
fn next_row<'l>(reader: &RunReader, lines: &'l mut Lines<'_>, ids: &mut HashIds) -> Result<Option<Line<'l>>> {
    if reader.form.is_some() {
        return lines.next();
    }
    let line = lines.next_data()?;
    line.map_or(Ok(()), |line| ids.see(line))?;
    Ok(line)
}

/// Reads a run in which the lines of each query stand together; `None` where they do not.
fn read_together<T, F>(reader: &RunReader, mut lines: Lines<'_>, judge: &F) -> Result<Option<Contents<T>>>
where
    F: Fn(&str, &Ranking<'_>) -> Result<T>,
{
    let path = lines.path().to_owned();
    let mut digest = LineDigest::begin(reader.form, &path, lines.head()?)?;
    let mut seen = Places::default();
    let mut tag = None;
    let mut done = BTreeMap::new();
    let mut query = String::new();
    let mut answer = Answer::excluding(reader.excluding).lenient(reader.lenient);
    let mut ids = HashIds::default();
    while let Some(line) = next_row(reader, &mut lines, &mut ids)? {
        digest.line(line.text);
        let row = Row::parse(line, reader)?;
        if !reader.takes(row.tag) {
            continue;
        }
        if row.query != query {
            if done.contains_key(&*row.query) {
                return Ok(None);
            }
            if !query.is_empty() {
                let judged = judge(&query, &answer.ranking(reader.chosen(), &query, &path, &mut seen)?)?;
                done.insert(std::mem::take(&mut query), judged);
                answer.clear();
            }
            query.push_str(&row.query);
        }
        let pushed = answer.push(&row.document, row.score, row.rank, line.number);
        pushed.map_err(|TooLong| line.error(TOO_LONG))?;
        tag.get_or_insert_with(|| row.tag.to_owned());
    }
    if !query.is_empty() {
        let judged = judge(&query, &answer.ranking(reader.chosen(), &query, &path, &mut seen)?)?;
        done.insert(query, judged);
    }
    let comments = lines.take_comments();
    digest.check(&path, &comments, reader.count_queries(&done))?;
    Ok(Some(Contents::new(done, tag, comments)))
}

/// Reads a run whatever the order of its lines.
fn read_scattered<T, F>(reader: &RunReader, mut lines: Lines<'_>, judge: &F) -> Result<Contents<T>>
where
    F: Fn(&str, &Ranking<'_>) -> Result<T>,
{
    let path = lines.path().to_owned();
    let mut digest = LineDigest::begin(reader.form, &path, lines.head()?)?;
    let mut answers: HashMap<String, Answer> = HashMap::new();
    let mut tag = None;
    let mut ids = HashIds::default();
    while let Some(line) = next_row(reader, &mut lines, &mut ids)? {
        digest.line(line.text);
        let row = Row::parse(line, reader)?;
        if !reader.takes(row.tag) {
            continue;
        }
        let answer = match answers.get_mut(&*row.query) {
            Some(answer) => answer,
            None => {
                let answer = Answer::excluding(reader.excluding).lenient(reader.lenient);
                answers.entry(row.query.clone().into_owned()).or_insert(answer)
            }
        };
        let pushed = answer.push(&row.document, row.score, row.rank, line.number);
        pushed.map_err(|TooLong| line.error(TOO_LONG))?;
        tag.get_or_insert_with(|| row.tag.to_owned());
    }
    let mut seen = Places::default();
    let mut answers: Vec<(String, Answer)> = answers.into_iter().collect();
    order::sort_by(&mut answers, |a, b| a.0.cmp(&b.0));
    let judged = answers.into_iter().map(|(query, mut answer)| {
        let judged = judge(&query, &answer.ranking(reader.chosen(), &query, &path, &mut seen)?)?;
        Ok::<_, crate::Error>((query, judged))
    });
    let judged = order::try_map(judged)?;
    let comments = lines.take_comments();
    digest.check(&path, &comments, reader.count_queries(&judged))?;
    Ok(Contents::new(judged, tag, comments))
}
