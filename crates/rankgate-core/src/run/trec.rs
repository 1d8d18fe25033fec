//! The TREC format: `query Q0 document rank score tag`, one document a line.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;
use memchr::{memchr_iter, memrchr};

use crate::Result;
use crate::error::Quoted;
use crate::input::{HashIds, Input, Line, Lines, Source};
use crate::order;
use crate::places::Places;
use crate::run::Order;
use crate::run::answer::{Answer, TOO_LONG, TooLong};
use crate::run::blocks::Blocks;
use crate::run::decode_id;
use crate::run::entry::known_rank;
use crate::run::golden_digest::LineDigest;
use crate::run::reader::{Contents, Judge, RunReader};

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
/// comes back later, the file is read again, holding all queries until its end, as they are held of a pipe.
pub(super) fn read<T: Send>(
    reader: &RunReader,
    source: &Source<'_>,
    mut input: Input<'_>,
    judge: &Judge<'_, T>,
) -> Result<Contents<T>> {
    if let Some(contents) = read_blocks(reader, source, &mut input, judge)? {
        return Ok(contents);
    }
    read_lines(reader, source, Lines::new(input), judge, !source.can_be_read_again())
}

/// Reads a run on all cores, which takes a plain file of the ordinary shape; `None` for any other.
fn read_blocks<T: Send>(
    reader: &RunReader,
    source: &Source<'_>,
    input: &mut Input<'_>,
    judge: &Judge<'_, T>,
) -> Result<Option<Contents<T>>> {
    let Some(length) = source.plain_length(input).filter(|_| !reader.encoded_ids) else { return Ok(None) };
    let Some(head) = Head::parse(input.peek(HEAD)?) else { return Ok(None) };
    let mut blocks = Blocks::new(source.path(), reader.chosen(), head.length, length);
    blocks.excluding = reader.excluding;
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

/// Reads a run line by line. Unless they may be `scattered`, a query is judged where its lines end; where one comes back
/// later, the file is read again.
fn read_lines<T>(
    reader: &RunReader,
    source: &Source<'_>,
    mut lines: Lines<'_>,
    judge: &Judge<'_, T>,
    scattered: bool,
) -> Result<Contents<T>> {
    let path = lines.path().to_owned();
    let mut digest = LineDigest::begin(reader.form, &path, lines.head()?)?;
    let (mut seen, mut ids, mut tag) = (Places::default(), HashIds::default(), None);
    let mut done: BTreeMap<String, T> = BTreeMap::new();
    let mut held: HashMap<String, Answer, RandomState> = HashMap::default();
    let mut judge_held = |held: &mut HashMap<String, Answer, RandomState>, done: &mut BTreeMap<String, T>| {
        let mut answers: Vec<(String, Answer)> = held.drain().collect();
        order::sort_by(&mut answers, |a, b| a.0.cmp(&b.0));
        answers.into_iter().try_for_each(|(query, mut answer)| {
            let judged = judge(&query, &answer.ranking(reader.chosen(), &query, &path, &mut seen)?)?;
            done.insert(query, judged);
            Ok::<_, crate::Error>(())
        })
    };
    while let Some(line) = next_row(reader, &mut lines, &mut ids)? {
        digest.line(line.text);
        let row = Row::parse(line, reader)?;
        if !reader.takes(row.tag) {
            continue;
        }
        if !scattered && !held.contains_key(&*row.query) {
            if done.contains_key(&*row.query) {
                return read_lines(reader, source, source.lines()?, judge, true);
            }
            judge_held(&mut held, &mut done)?;
        }
        let answer = match held.get_mut(&*row.query) {
            Some(answer) => answer,
            None => held.entry(row.query.clone().into_owned()).or_insert_with(|| reader.answer()),
        };
        let pushed = answer.push(&row.document, row.score, row.rank, line.number);
        pushed.map_err(|TooLong| line.error(TOO_LONG))?;
        tag.get_or_insert_with(|| row.tag.to_owned());
    }
    judge_held(&mut held, &mut done)?;
    let comments = lines.take_comments();
    digest.check(&path, &comments, reader.count_queries(&done))?;
    Ok(Contents::new(done, tag, comments))
}
