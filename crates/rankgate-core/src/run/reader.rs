//! Reading run files.

#[cfg(feature = "parquet")]
use crate::input::Tables;
use crate::input::{Input, Source};
use crate::order;
use crate::run::golden::{self, GoldenForm};
use crate::run::{Hit, HitRef, Order, Ranking, Run};
use crate::{Error, Result};
use std::collections::BTreeMap;

/// Reads run files: TREC or JSON, plain or gzipped, told apart by what they hold; with the feature `parquet` also
/// Parquet files and folders of them.
///
/// **TREC**: `query Q0 document rank score tag`, columns between white space. The second column
/// and the tag say nothing; [`Order`] says which of rank and score does. Lines may come in any
/// order. Carriage returns, blank lines, a missing last newline, a byte-order mark and comments
/// (`# ` at the beginning of a line, before the first data line) are accepted. Scores are read as
/// f64, exactly; infinite ones order normally.
///
/// A run that rankgate blessed or recorded says so in its first line: its order is that of its ranks, and its
/// ids are percent-encoded, without being asked for. To ask for the order of its scores is an error.
///
/// **JSON**: `{query: {document: score}}`, ordered by score as above; a name in `.json` or
/// `.json.gz`, or a text that begins as a JSON object does.
///
/// **Parquet** (feature `parquet`): columns of queries, documents and scores or ranks, which
/// `collection::Tables` names. A path may be a file, a folder as engines write them, or a pattern
/// (`runs/part-*.parquet`). Rows may come in any order and the rows of a query stand in several files; ids may be
/// whole numbers, and are then their decimal text. Where there are ranks alone, they say the order.
///
/// An error names file, line and text: a missing column, a score that is no number or NaN, a
/// document that comes twice for a query, a rank that comes twice where ranks say the order.
///
/// ```
/// # fn main() -> rankgate::Result<()> {
/// use rankgate::run::RunReader;
///
/// let text = "q1 Q0 d1 1 0.5 mine\nq1 Q0 d2 2 0.75 mine\n";
/// let run = RunReader::new().parse("mine.run", text.as_bytes())?;
/// assert_eq!(run.ranking("q1").map(|hits| hits[0].id.as_str()), Some("d2"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct RunReader {
    pub(super) order: Option<Order>,
    pub(super) encoded_ids: bool,
    /// Whether what is read stands under the tag and the query, with a blank between them: only in golden runs
    /// of several rankings, where that was asked for.
    pub(super) by_tag: bool,
    /// Which ranking of a query is read where there are several, from 1.
    repeat: Option<usize>,
    /// Whether the head of what is read says that there are several.
    pub(super) several: bool,
    depth: Option<usize>,
    /// Whether a document that has its query's id is taken out.
    pub(super) excluding: bool,
    /// Whether rankings with a document or a rank twice are handed over.
    pub(super) lenient: bool,
    #[cfg(feature = "parquet")]
    pub(super) tables: Tables,
}

/// Reads a run in the first of some formats that it is in.
macro_rules! read_as {
    ($format:ident; $reader:expr, $source:expr, $input:ident, $judge:expr) => {
        crate::run::$format::read($reader, $source, $input, $judge)
    };
    ($format:ident, $($others:ident),+; $reader:expr, $source:expr, $input:ident, $judge:expr) => {
        if crate::run::$format::is(&mut $input)? {
            crate::run::$format::read($reader, $source, $input, $judge)
        } else {
            read_as!($($others),+; $reader, $source, $input, $judge)
        }
    };
}

/// What a run file holds, each ranking turned into what the caller made of it.
pub(super) struct Contents<T> {
    pub(super) rankings: BTreeMap<String, T>,
    pub(super) tag: String,
    pub(super) comments: Vec<String>,
    /// Whether scores were floats of less than 64 bits.
    pub(super) single: bool,
}

impl<T> Contents<T> {
    pub(super) fn new(rankings: BTreeMap<String, T>, tag: Option<String>, comments: Vec<String>) -> Self {
        Self { rankings, tag: tag.unwrap_or_default(), comments, single: false }
    }
}

impl RunReader {
    /// A reader that orders by score and takes ids as they stand, unless the file's head says that it is a
    /// golden run.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Which column says the order; `None` leaves it to the head of the file.
    #[must_use]
    pub fn order(mut self, order: impl Into<Option<Order>>) -> Self {
        self.order = order.into();
        self
    }

    /// Whether ids are percent-encoded, as in files that
    /// [`RunWriter::percent_encoded_ids`](crate::run::RunWriter::percent_encoded_ids) wrote.
    #[must_use]
    pub fn percent_encoded_ids(mut self, encoded: bool) -> Self {
        self.encoded_ids = encoded;
        self
    }

    /// How many documents of each ranking are kept of a run that is [read](Self::read) or
    /// [parsed](Self::parse): memory is that of these, however long the rankings are.
    #[must_use]
    pub fn depth(mut self, depth: usize) -> Self {
        self.depth = Some(depth);
        self
    }

    /// Whether a document that has its query's id is taken out, before rankings are cut: the convention of
    /// BEIR for collections whose queries are documents (ArguAna, Quora).
    #[must_use]
    pub fn exclude_identical_ids(mut self, exclude: bool) -> Self {
        self.excluding = exclude;
        self
    }

    /// Which ranking of each query is read of a golden run that has several, from 1: the first, second, ... time that
    /// all queries were asked. A run of one ranking a query has a first alone.
    ///
    /// Reading is an error where there is none of that number.
    #[must_use]
    pub fn repeat(mut self, number: usize) -> Self {
        self.repeat = Some(number);
        self
    }

    /// How a Parquet file is read: by which columns, and in how much memory.
    #[cfg(feature = "parquet")]
    #[must_use]
    pub fn tables(mut self, tables: Tables) -> Self {
        self.tables = tables;
        self
    }

    /// Reads a file, or what else has a run.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or is no run.
    pub fn read<'a>(&self, from: impl Into<Source<'a>>) -> Result<Run> {
        self.read_source(&from.into())
    }

    /// Reads a run of which only judged queries count: another one with a document or a rank twice is no error, but one
    /// without documents. Also says how many of these there were.
    ///
    /// # Errors
    ///
    /// Those of [`read`](Self::read), but for documents and ranks that stand twice in a query that is not judged.
    pub fn read_judged(
        &self,
        source: &Source<'_>,
        is_judged: impl Fn(&str) -> bool + Sync,
    ) -> Result<(Run, usize)> {
        let depth = self.depth.unwrap_or(usize::MAX);
        let own = |query: &str, ranking: &Ranking<'_>| match ranking.repeated() {
            Some(error) if is_judged(query) => Err(error.clone()),
            Some(_) => Ok((Vec::new(), ranking.rising(), true)),
            None => Ok((ranking.hits().take(depth).map(Hit::from).collect(), ranking.rising(), false)),
        };
        let contents = self.clone().handing_over_repeats().contents(source, own)?;
        let Contents { rankings, tag, comments, single } = contents;
        let repeats = rankings.values().filter(|(.., repeated)| *repeated).count();
        let rankings = rankings.into_iter().map(|(query, (hits, rising, _))| (query, (hits, rising)));
        let rankings = order::map(rankings);
        Ok((Run::from_contents(Contents { rankings, tag, comments, single }), repeats))
    }

    /// Reads bytes that are in memory; errors call them by `name`.
    ///
    /// # Errors
    ///
    /// Bytes that are no run.
    pub fn parse(&self, name: &str, bytes: &[u8]) -> Result<Run> {
        self.read(Source::bytes(name, bytes))
    }

    /// Reads a file without keeping it: hands each query's documents, best first, to `judge` and
    /// returns what `judge` made of them, ordered by query id (bytes).
    ///
    /// [`map_rankings`](Self::map_rankings) does the same for callers that look for some documents only.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or is no run, or what `judge` returns.
    ///
    /// ```no_run
    /// # fn main() -> rankgate::Result<()> {
    /// use rankgate::run::RunReader;
    ///
    /// let lengths = RunReader::new().map("runs/bm25.run", |_query, hits| Ok(hits.len()))?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn map<'a, T, F>(&self, from: impl Into<Source<'a>>, judge: F) -> Result<Vec<(String, T)>>
    where
        T: Send,
        F: Fn(&str, &[HitRef<'_>]) -> Result<T> + Sync,
    {
        self.map_rankings(from, |query, ranking| judge(query, &ranking.hits().collect::<Vec<_>>()))
    }

    /// Reads a file without keeping it: hands each query's ranking to `judge` and returns what
    /// `judge` made of them, ordered by query id (bytes). A plain file is read on all cores.
    ///
    /// `judge` may be called in any order of queries, from several threads, and more than once for
    /// a query: where its lines do not stand together in the file or something is wrong with the
    /// file, what an earlier call returned is dropped.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or is no run, or what `judge` returns.
    ///
    /// ```no_run
    /// # fn main() -> rankgate::Result<()> {
    /// use rankgate::run::RunReader;
    ///
    /// let ranks = RunReader::new().map_rankings("runs/bm25.run", |_query, ranking| {
    ///     Ok(ranking.rank_of("refunds-3"))
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn map_rankings<'a, T, F>(&self, from: impl Into<Source<'a>>, judge: F) -> Result<Vec<(String, T)>>
    where
        T: Send,
        F: Fn(&str, &Ranking<'_>) -> Result<T> + Sync,
    {
        Ok(self.map_noted(from, judge)?.0)
    }

    fn contents<T, F>(&self, source: &Source<'_>, judge: F) -> Result<Contents<T>>
    where
        T: Send,
        F: Fn(&str, &Ranking<'_>) -> Result<T> + Sync,
    {
        let pipe = source.pipe()?;
        let source = pipe.as_ref().unwrap_or(source);
        #[cfg(feature = "parquet")]
        if let Some(table) = source.table()? {
            return crate::run::parquet::read(self, source, table, &judge);
        }
        let mut input = source.open()?;
        // The formats, each a file, in the order in which they are tried; the last takes what is left.
        let contents = read_as!(json, golden, trec; self, source, input, &judge)?;
        match self.repeat {
            Some(repeat) => {
                golden::check_repeat(repeat, source.path(), &contents.comments).map(|()| contents)
            }
            None => Ok(contents),
        }
    }

    /// Whether a line is read whose last column, or first, is this: of a golden run of several rankings one may be meant.
    pub(super) fn takes(&self, tag: &str) -> bool {
        let number = |repeat: usize| golden::number(tag) == Some(repeat);
        !self.several || self.repeat.is_none_or(number)
    }

    /// The order that was asked for, or else that of the scores.
    pub(super) fn chosen(&self) -> Order {
        self.order.unwrap_or_default()
    }

    pub(super) fn as_its_head_says(&self, input: &mut Input<'_>) -> Result<Self> {
        let Some(GoldenForm { several, .. }) = GoldenForm::peek(input)? else {
            return Ok(Self { by_tag: false, several: false, ..self.clone() });
        };
        if several && !self.by_tag && self.repeat.is_none() {
            let message = "a golden run of several repeats or builds, each a ranking of every query, which is not read \
                           as one: `rankgate export FILE --repeat 1` writes the first";
            return Err(Error::in_file(input.path(), message));
        }
        if self.order == Some(Order::Score) {
            let message = "a golden run has the order of its ranks, which its scores may contradict: leave out what \
                           asks for the order of scores";
            return Err(Error::in_file(input.path(), message));
        }
        let by_tag = several && self.by_tag;
        Ok(Self { order: Some(Order::Rank), encoded_ids: true, by_tag, several, ..self.clone() })
    }
}

#[doc(hidden)]
impl RunReader {
    /// Whether the several rankings of a query in a golden run are told apart by their tags.
    pub fn by_tag(mut self) -> Self {
        self.by_tag = true;
        self
    }

    /// A ranking with a document or a rank twice is handed over, with [the error](Ranking::repeated), and not refused:
    /// for whoever passes over queries that nobody judged. Not for a run that is [read](Self::read) and held.
    pub fn handing_over_repeats(mut self) -> Self {
        self.lenient = true;
        self
    }

    pub fn read_source(&self, source: &Source<'_>) -> Result<Run> {
        let depth = self.depth.unwrap_or(usize::MAX);
        let own = |_: &str, ranking: &Ranking<'_>| match ranking.repeated() {
            Some(error) => Err(error.clone()),
            None => Ok((ranking.hits().take(depth).map(Hit::from).collect(), ranking.rising())),
        };
        self.contents(source, own).map(Run::from_contents)
    }

    /// The same, and whether scores were floats of less than 64 bits.
    pub fn map_noted<'a, T, F>(
        &self,
        from: impl Into<Source<'a>>,
        judge: F,
    ) -> Result<(Vec<(String, T)>, bool)>
    where
        T: Send,
        F: Fn(&str, &Ranking<'_>) -> Result<T> + Sync,
    {
        let contents = self.contents(&from.into(), judge)?;
        Ok((contents.rankings.into_iter().collect(), contents.single))
    }

    /// As [`map_rankings`](Self::map_rankings).
    pub fn map_source<T, F>(&self, source: &Source<'_>, judge: F) -> Result<Vec<(String, T)>>
    where
        T: Send,
        F: Fn(&str, &Ranking<'_>) -> Result<T> + Sync,
    {
        Ok(self.contents(source, judge)?.rankings.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(reader: RunReader, text: &str) -> Vec<(String, Vec<String>)> {
        let run = reader.parse("a.run", text.as_bytes()).unwrap();
        let ids = |hits: &[Hit]| hits.iter().map(|hit| hit.id.clone()).collect();
        run.iter().map(|(query, hits)| (query.to_owned(), ids(hits))).collect()
    }

    fn error(reader: RunReader, text: &str) -> String {
        reader.parse("a.run", text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn the_lines_of_a_query_need_not_stand_together() {
        let together = "q1 Q0 a 1 2 t\nq1 Q0 b 2 1 t\nq2 Q0 c 1 9 t\n";
        let scattered = "q1 Q0 b 2 1 t\nq2 Q0 c 1 9 t\nq1 Q0 a 1 2 t\n";
        for order in [Order::Score, Order::Rank] {
            let reader = RunReader::new().order(order);
            assert_eq!(ids(reader.clone(), scattered), ids(reader, together));
        }
    }

    #[test]
    fn a_document_is_found_twice_in_scattered_lines_too() {
        let text = "q1 Q0 a 1 2 t\nq2 Q0 c 1 9 t\nq1 Q0 a 2 1 t\n";
        let message = "a.run:3: document of query `q1` again (first in line 1): `a`";
        assert_eq!(error(RunReader::new(), text), message);
    }

    #[test]
    fn malformed_lines_are_errors_with_file_line_and_text() {
        let cases = [
            (
                "q1 Q0 d1 1 0.5",
                "a.run:1: expected 6 columns, found 5; a run is `query Q0 document rank score tag`, and the tag \
                 may be any word: `q1 Q0 d1 1 0.5`",
            ),
            (
                "\nq1 Q0 d1 1 0.5 my tag",
                "a.run:2: expected 6 columns, found 7; neither ids nor the tag may hold spaces, unless tabs separate all columns: \
                 `q1 Q0 d1 1 0.5 my tag`",
            ),
            (
                "q1 0 d1 2",
                "a.run:1: expected 6 columns, found 4; so few columns are judgments: are judgments and run in \
                 each other's place?: `q1 0 d1 2`",
            ),
            ("q1 Q0 d1 1 high t", "a.run:1: score `high` is not a number: `q1 Q0 d1 1 high t`"),
            (
                "q1 Q0 d1 1 nan t",
                "a.run:1: the score of document `d1` for query `q1` is NaN: `q1 Q0 d1 1 nan t`",
            ),
        ];
        for (text, message) in cases {
            assert_eq!(error(RunReader::new(), text), message);
        }
        assert_eq!(
            error(RunReader::new().order(Order::Rank), "q1 Q0 d1 1.5 0.5 t"),
            "a.run:1: rank `1.5` is not a whole number: `q1 Q0 d1 1.5 0.5 t`"
        );
    }

    #[test]
    fn a_golden_run_is_read_by_rank_and_never_by_score() {
        let rows = "q%201 Q0 a 2 9 t\nq%201 Q0 b 1 1 t\n";
        let golden = format!("# rankgate golden run, version 2\n{rows}");
        let by_rank = [("q 1".to_owned(), vec!["b".to_owned(), "a".to_owned()])];
        assert_eq!(ids(RunReader::new(), &golden), by_rank);
        assert_eq!(ids(RunReader::new().order(Order::Rank), &golden), by_rank);
        assert_eq!(ids(RunReader::new(), rows), [("q%201".to_owned(), vec!["a".to_owned(), "b".to_owned()])]);
        let error = error(RunReader::new().order(Order::Score), &golden);
        assert!(error.starts_with("a.run: a golden run has the order of its ranks"), "{error}");
    }

    #[test]
    fn a_golden_run_of_an_unknown_version_is_not_read_by_its_scores() {
        let message = "a.run: a golden run of version `9`, and this reads 2, 3, 4, 5";
        assert_eq!(error(RunReader::new(), "# rankgate golden run, version 9\nq Q0 a 1 1 t\n"), message);
    }

    #[test]
    fn percent_encoding_is_read_where_it_is_asked_for() {
        let text = "q%201 Q0 50%25 1 1 t\n";
        assert_eq!(ids(RunReader::new(), text), [("q%201".into(), vec!["50%25".into()])]);
        let encoded = RunReader::new().percent_encoded_ids(true);
        assert_eq!(ids(encoded.clone(), text), [("q 1".into(), vec!["50%".into()])]);
        assert_eq!(
            error(encoded, "q%2 Q0 d 1 1 t"),
            "a.run:1: `q%2` is not a percent-encoded id: `q%2 Q0 d 1 1 t`"
        );
    }

    #[test]
    fn rankings_are_cut_in_the_order_of_ranks() {
        let text = "q1 Q0 a 3 1 t\nq1 Q0 b 1 2 t\nq2 Q0 c 1 9 t\nq1 Q0 d 2 3 t\n";
        for (order, first) in [(Order::Score, ["d", "b"]), (Order::Rank, ["b", "d"])] {
            let reader = RunReader::new().order(order);
            let expected =
                [("q1".into(), first.map(str::to_owned).to_vec()), ("q2".into(), vec!["c".into()])];
            assert_eq!(ids(reader.clone().depth(2), text), expected);
            assert_eq!(
                error(reader.depth(1), &format!("{text}q1 Q0 a 4 0 t\n")),
                error(RunReader::new(), &format!("{text}q1 Q0 a 4 0 t\n"))
            );
        }
    }

    #[test]
    fn rankings_are_handed_over_one_query_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.run");
        std::fs::write(&path, "q2 Q0 a 1 1 t\nq1 Q0 b 2 1 t\nq1 Q0 c 1 9 t\n").unwrap();
        let best = RunReader::new().map(&path, |query, hits| Ok(format!("{query}:{}", hits[0].id))).unwrap();
        assert_eq!(best, [("q1".into(), "q1:c".into()), ("q2".into(), "q2:a".to_owned())]);
    }

    #[test]
    fn json_is_told_from_trec_by_name_or_contents() {
        let cases = [
            ("a.json", "{}", true),
            ("a.JSON.gz", "q1 Q0 d 1 1 t", true),
            ("a", "\u{feff} {\n\"q1\": {}}", true),
            ("a", "{ }\n", true),
            ("a.run", "{q1} Q0 d 1 1 t", false),
            ("a.run", "{} Q0 d 1 1 t", false),
            ("a.gz", "", false),
            ("a.json.zst", "q1 Q0 d 1 1 t", true),
        ];
        for (name, text, expected) in cases {
            let mut input = Source::bytes(name, text.as_bytes()).open().unwrap();
            assert_eq!(crate::run::json::is(&mut input).unwrap(), expected, "{name}: {text}");
        }
    }
}
