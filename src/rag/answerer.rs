//! Who answers with what was retrieved, in Rust.

use std::sync::Arc;

use crate::collection::{Document, Query};
use crate::error::{Quoted, chain};
use crate::order::SmallMap;
use crate::panic;
use crate::retriever::BoxError;
use crate::retriever::said::Answer;
use crate::{Error, ErrorKind, Result};

/// Answers a query with retrieved contexts: the second half of a pipeline.
///
/// It stands beside a [`Retriever`](crate::Retriever), and is asked a second time with the contexts that were blessed, which
/// tells whether retrieval or generation has changed an answer. Equal contexts are to get equal answers.
///
/// ```
/// use rankgate::rag::{Answer, Answerer};
/// use rankgate::retriever::BoxError;
/// use rankgate::{Document, Query};
///
/// /// Answers with the first sentence of the first context.
/// struct First;
///
/// impl Answerer for First {
///     fn answer(&self, _: &Query, contexts: &[Document]) -> Result<Answer, BoxError> {
///         let Some(first) = contexts.first() else { return Ok(Answer::new("I do not know.").declined()) };
///         Ok(Answer::new(first.text.split_inclusive(". ").next().unwrap_or_default()))
///     }
/// }
/// # let answer = First.answer(&Query::new("q1", "fees"), &[Document::new("d1", "Five. And more.")])?;
/// # assert_eq!(answer.text, "Five. ");
/// # Ok::<(), BoxError>(())
/// ```
pub trait Answerer: Send + Sync {
    /// Answers a query with these contexts, the best one first.
    ///
    /// # Errors
    ///
    /// Any reason that keeps it from answering: gates on its answers are errored, and no error becomes an answer.
    fn answer(&self, query: &Query, contexts: &[Document]) -> Result<Answer, BoxError>;
}

impl<F: Fn(&Query, &[Document]) -> Result<Answer, BoxError> + Send + Sync> Answerer for F {
    fn answer(&self, query: &Query, contexts: &[Document]) -> Result<Answer, BoxError> {
        self(query, contexts)
    }
}

type Factory = dyn Fn(Option<&str>) -> Result<Arc<dyn Answerer>, BoxError> + Send + Sync;

/// Answerers by the name that `answerer: {name: ...}` in a spec gives.
///
/// Nothing is built until a gate needs it.
///
/// ```
/// use rankgate::benchmark::Registry;
/// use rankgate::rag::Answer;
/// use rankgate::{BoxError, Document, Query};
///
/// let mut registry = Registry::new();
/// registry.answerers.register("first", |prompt: Option<&str>| {
///     let prompt = prompt.unwrap_or("Be short.").to_owned();
///     Ok(move |query: &Query, contexts: &[Document]| -> Result<Answer, BoxError> {
///         let first = contexts.first().map_or("", |context| context.text.as_str());
///         Ok(Answer::new(format!("{prompt} {}: {first}", query.text)))
///     })
/// })?;
/// assert_eq!(registry.answerers.names().collect::<Vec<_>>(), ["first"]);
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Answerers {
    by_name: SmallMap<String, Arc<Factory>>,
}

impl Answerers {
    /// Registers a factory, which is given the text of the spec's `prompt:`.
    ///
    /// # Errors
    ///
    /// A name that is empty or taken.
    pub fn register<A: Answerer + 'static>(
        &mut self,
        name: &str,
        factory: impl Fn(Option<&str>) -> Result<A, BoxError> + Send + Sync + 'static,
    ) -> Result<()> {
        if name.is_empty() {
            return Err(Error::with_kind(ErrorKind::Setup, "an answerer needs a name"));
        }
        let factory = move |prompt: Option<&str>| Ok(Arc::new(factory(prompt)?) as Arc<dyn Answerer>);
        match self.by_name.insert(name.to_owned(), Arc::new(factory)) {
            None => Ok(()),
            Some(_) => {
                Err(Error::with_kind(ErrorKind::Setup, format!("two answerers are registered as `{name}`")))
            }
        }
    }

    /// The registered names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// Builds the answerer called `name`.
    ///
    /// # Errors
    /// What keeps it from being built.
    pub fn build(&self, name: &str, prompt: Option<&str>) -> Result<Arc<dyn Answerer>> {
        let built = self.by_name.get(name).map(|factory| panic::catch(|| factory(prompt)));
        let why = match built {
            Some(Ok(Ok(answerer))) => return Ok(answerer),
            Some(Ok(Err(error))) => chain(error.as_ref()),
            Some(Err(message)) => format!("its factory panicked: {message}"),
            // Specs are checked against the names there are, unless they may name any.
            None => {
                "it is registered from Rust, which `cargo test` can ask and this command cannot".to_owned()
            }
        };
        let message = format!("the answerer {} could not be set up: {why}", Quoted(name));
        Err(Error::with_kind(ErrorKind::Setup, message))
    }
}

impl std::fmt::Debug for Answerers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.by_name.keys()).finish()
    }
}
