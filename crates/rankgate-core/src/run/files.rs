//! A run as a file.

use std::path::Path;

use crate::Result;
use crate::input::Source;
use crate::run::{Order, Run, RunReader, RunWriter};

impl Run {
    /// Reads a run file: TREC or a JSON object of objects, plain or gzipped. [`RunReader`] has the
    /// conventions and more choices.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or is no run; the message names file, line and text.
    ///
    /// ```no_run
    /// # fn main() -> rankgate::Result<()> {
    /// use rankgate::{Order, Run};
    ///
    /// let run = Run::read("runs/bm25.run.gz", Order::Score)?;
    /// println!("{} queries answered by {}", run.len(), run.tag());
    /// # Ok(())
    /// # }
    /// ```
    pub fn read<'a>(from: impl Into<Source<'a>>, order: Order) -> Result<Self> {
        RunReader::new().order(order).read(from)
    }

    /// Writes a TREC run file whose last column is `tag`; a path that ends in `.gz` is compressed.
    /// [`RunWriter`] has more choices.
    ///
    /// The lines are in the order of the ranking, with its ranks: [`Order::Rank`] reads it back. [`Order::Score`], which
    /// `trec_eval` takes, sorts by score, and by id where scores tie. A query that was answered with nothing has no line,
    /// and does not come back.
    ///
    /// ```
    /// use rankgate::{Hit, Order, Run};
    ///
    /// let rising = vec![Hit::new("a", 1.0), Hit::new("b", 2.0)];
    /// let run = Run::from_rankings([("q1", rising), ("q2", vec![])])?;
    /// let folder = tempfile::tempdir().unwrap();
    /// let path = folder.path().join("rising.run");
    /// run.write_trec(&path, "mine")?;
    ///
    /// let first = |order| Ok::<_, rankgate::Error>(Run::read(&*path, order)?.ranking("q1").unwrap()[0].id.clone());
    /// assert_eq!((first(Order::Rank)?, first(Order::Score)?), ("a".to_owned(), "b".to_owned()));
    /// assert!(Run::read(&*path, Order::Rank)?.ranking("q2").is_none());
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A file that cannot be written, a tag or an id that does not fit into a column.
    pub fn write_trec(&self, path: impl AsRef<Path>, tag: &str) -> Result<()> {
        RunWriter::new(tag).write(self, path)
    }

    /// Writes `{query: {document: score}}`; a path that ends in `.gz` is compressed.
    ///
    /// # Errors
    ///
    /// A file that cannot be written, or an infinite score, which JSON cannot say. A reader orders
    /// the documents by score again: rankings in another order do not come back as they were.
    pub fn write_json(&self, path: impl AsRef<Path>) -> Result<()> {
        crate::run::json::write(self, path.as_ref())
    }
}
