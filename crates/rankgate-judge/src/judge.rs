//! Who grades, where it is not a model behind a server.

use rankgate::BoxError;
use rankgate::judge::Answer;

use crate::collection::{Document, Query};

/// A judge of documents: a cross-encoder, a rule, a person's own model.
///
/// It is asked from several threads at once. Equal texts are to get equal grades: its grade is kept in the judgments
/// file, and is not requested again until query, document, or the spec's description of the judge changes.
///
/// ```
/// use rankgate::judge::Answer;
/// use rankgate::retriever::BoxError;
/// use rankgate::{Document, Query};
/// use rankgate_judge::Judge;
///
/// # struct Model;
/// # impl Model { fn score(&self, pairs: &[(&str, &str)]) -> Result<Vec<f32>, BoxError> { Ok(vec![0.8; pairs.len()]) } }
/// /// A model that reads query and document together and says how well they fit.
/// struct CrossEncoder(Model);
///
/// impl Judge for CrossEncoder {
///     fn grade(&self, query: &Query, document: &Document) -> Result<Answer, BoxError> {
///         let score = self.0.score(&[(&query.text, &document.text)])?[0];
///         let grade = [0.3, 0.5, 0.75].iter().filter(|cut| score >= **cut).count();
///         Ok(Answer::graded(grade as u8).because(format!("score {score:.3}")))
///     }
/// }
/// # let answer = CrossEncoder(Model).grade(&Query::new("q1", "fees"), &Document::new("d1", "Fees are ..."))?;
/// # assert_eq!(answer.grade, Some(3));
/// # Ok::<(), BoxError>(())
/// ```
pub trait Judge: Send + Sync {
    /// Grades a document for a query; the document's `text` is what the spec says that a judge is shown of it.
    ///
    /// # Errors
    ///
    /// Any reason that keeps it from answering: the pair stays unjudged, and no error becomes a grade.
    fn grade(&self, query: &Query, document: &Document) -> Result<Answer, BoxError>;
}

impl<F: Fn(&Query, &Document) -> Result<Answer, BoxError> + Send + Sync> Judge for F {
    fn grade(&self, query: &Query, document: &Document) -> Result<Answer, BoxError> {
        self(query, document)
    }
}
