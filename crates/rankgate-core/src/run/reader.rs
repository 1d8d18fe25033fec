//! How run files are to be read, and what they hold.

use crate::input::Input;
use crate::parents::Parents;
use crate::run::answer::Answer;
use crate::run::golden_form::{GoldenForm, number};
use crate::run::{Order, Ranking};
use crate::{Error, Result};
use std::collections::{BTreeMap, BTreeSet};

/// Reads run files: TREC or JSON, plain or gzipped, told apart by what they hold.
///
/// **TREC**: `query Q0 document rank score tag`, columns between white space. The second column
/// and the tag say nothing; [`Order`] says which of rank and score does. Lines may come in any
/// order. Carriage returns, blank lines, a missing last newline, a byte-order mark and comments
/// (`#` at the beginning of a line) are accepted. Scores are read as
/// f64, exactly; infinite ones order normally.
///
/// A run that rankgate blessed or recorded says so in its first line: its order is that of its ranks, and its
/// ids are percent-encoded, without being asked for. To ask for the order of its scores is an error, and so is a file
/// that does not have the digest in its head: it was changed since it was written.
///
/// **JSON**: `{query: {document: score}}`, ordered by score as above; a name in `.json` or
/// `.json.gz`, or a text that begins as a JSON object does.
///
/// An error names file, line and text: a score that is no number or NaN, a
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
    pub(super) repeat: Option<usize>,
    /// What the head of a golden run says of its lines.
    pub(super) form: Option<GoldenForm>,
    pub(super) depth: Option<usize>,
    /// Whether a document that has its query's id is taken out.
    pub(super) excluding: bool,
    /// The documents that chunks belong to, where rankings are of chunks.
    pub(super) parents: Option<Parents>,
}

/// What is made of a ranking.
pub(super) type Judge<'a, T> = dyn Fn(&str, &Ranking<'_>) -> Result<T> + Sync + 'a;

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

    /// Whether a line is read whose last column, or first, is this: of a golden run of several rankings one may be meant.
    pub(super) fn takes(&self, tag: &str) -> bool {
        !self.several() || self.repeat.is_none_or(|repeat| number(tag) == Some(repeat))
    }

    /// A query without lines yet.
    pub(super) fn answer(&self) -> Answer {
        Answer { excluding: self.excluding, ..Answer::default() }
    }

    /// The order that was asked for, or else that of the scores.
    pub(super) fn chosen(&self) -> Order {
        self.order.unwrap_or_default()
    }

    /// Whether what is read has several rankings of a query.
    pub(super) fn several(&self) -> bool {
        self.form.is_some_and(|form| form.several)
    }

    /// How many queries a golden run answers, by what was read of it; `None` where that was one of several rankings.
    pub(super) fn count_queries<T>(&self, rankings: &BTreeMap<String, T>) -> Option<usize> {
        match (self.several(), self.by_tag) {
            (false, _) => Some(rankings.len()),
            (true, true) => {
                let queries = rankings.keys().filter_map(|key| key.split_once(' '));
                Some(queries.map(|(_, query)| query).collect::<BTreeSet<_>>().len())
            }
            (true, false) => None,
        }
    }

    /// The reader of a golden run.
    ///
    /// # Errors
    /// What was asked for and a golden run cannot give.
    pub(super) fn of_golden(&self, input: &mut Input<'_>) -> Result<Self> {
        let form = GoldenForm::peek(input)?;
        if form.is_some_and(|form| form.several) && !self.by_tag && self.repeat.is_none() {
            let message = "a golden run of several repeats, each a ranking of every query, which is not read \
                           as one: `rankgate export FILE --repeat 1` writes the first";
            return Err(Error::in_file(input.path(), message));
        }
        if self.order == Some(Order::Score) {
            let message = "a golden run has the order of its ranks, which its scores may contradict: leave out what \
                           asks for the order of scores";
            return Err(Error::in_file(input.path(), message));
        }
        Ok(Self { order: Some(Order::Rank), encoded_ids: true, form, ..self.clone() })
    }
}

#[doc(hidden)]
impl RunReader {
    /// Whether the several rankings of a query in a golden run are told apart by their tags.
    pub fn by_tag(mut self) -> Self {
        self.by_tag = true;
        self
    }
}
