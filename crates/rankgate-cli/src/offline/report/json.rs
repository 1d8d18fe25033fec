//! Models for programs.

use serde::Serialize;

use rankgate_report::report::internal::json::document;

/// A model of [this crate](crate) as JSON: two blanks of indentation, numbers with all their digits,
/// a newline at the end. `rankgate schema --of ...` prints its schema.
///
/// ```
/// # use rankgate::{Qrels, Source};
/// # use rankgate_cli::offline::Scoring;
/// # let qrels = Qrels::parse("mine.qrels", b"q1 0 d1 1\n")?;
/// # let run = Source::stream("mine.run", &b"q1 Q0 d1 1 2.0 t\n"[..]);
/// let scores = Scoring::new(["RR".parse()?]).source(&qrels, "mine.run", run)?;
/// assert!(rankgate_cli::offline::report::to_json(&scores).starts_with("{\n  \"schema\": 1,\n"));
/// # Ok::<(), rankgate::Error>(())
/// ```
#[expect(clippy::expect_used, reason = "the models' maps have strings as keys, and a String takes any text")]
pub fn to_json<T: Serialize + ?Sized>(model: &T) -> String {
    document(model).expect("the model is JSON")
}
