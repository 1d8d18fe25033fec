//! Building a retriever: what its factory is given, and the factories by name.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde::de::DeserializeOwned;

use crate::collection::{Collection, Corpus};
use crate::error::Quoted;
use crate::panic;
use crate::yaml::Params;
use crate::{Error, ErrorKind, Result};

use super::{BoxError, FailureCause, Retriever};
use crate::error::chain;

/// What a factory is given: the spec's parameters and the collection.
#[derive(Clone, Debug)]
pub struct Setup<'a> {
    pub(crate) benchmark: &'a str,
    pub(crate) configuration: &'a str,
    pub(crate) folder: &'a Path,
    pub(crate) depth: usize,
    pub(crate) params: &'a Params,
    pub(crate) collection: &'a Collection,
}

impl Setup<'_> {
    /// The `params:` of the configuration, as the retriever's own type. Without `params:` the type
    /// is made from an empty map.
    ///
    /// A parameter that no type given here has a place for makes the configuration an error, whether the type
    /// denies unknown fields or not. Behind `#[serde(flatten)]` serde does not say what it leaves out.
    ///
    /// # Errors
    /// A parameter that the type does not take; the message shows its line in the spec.
    pub fn params<T: DeserializeOwned>(&self) -> Result<T> {
        self.params.deserialize()
    }

    /// The collection: queries, judgments, and the documents to index.
    #[must_use]
    pub fn collection(&self) -> &Collection {
        self.collection
    }

    /// The documents, read from disk as they are iterated.
    ///
    /// # Errors
    /// A collection without documents.
    pub fn corpus(&self) -> Result<&Corpus> {
        self.collection.corpus()
    }

    /// The number of documents for each query.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The folder of the spec, which relative paths among the parameters are meant against.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder
    }

    /// The benchmark's name.
    #[must_use]
    pub fn benchmark(&self) -> &str {
        self.benchmark
    }

    /// The configuration's name.
    #[must_use]
    pub fn configuration(&self) -> &str {
        self.configuration
    }
}

type Factory = dyn Fn(&Setup<'_>) -> Result<Arc<dyn Retriever>, BoxError> + Send + Sync;

/// Retriever factories by the name that `retriever:` in a spec gives.
///
/// Nothing is built until a gate needs it.
#[derive(Clone, Default)]
pub struct Factories {
    by_name: BTreeMap<String, Maker>,
    /// Whether its programs carry queries to one process, which runs already.
    bridges: bool,
}

/// What makes a retriever.
#[derive(Clone)]
enum Maker {
    Factory(Arc<Factory>),
    /// A program and its arguments.
    Program(Arc<[String]>),
}

impl Factories {
    /// Registers a factory.
    ///
    /// # Errors
    /// A name that is empty or taken.
    pub fn register<R: Retriever + 'static>(
        &mut self,
        name: &str,
        factory: impl Fn(&Setup<'_>) -> Result<R, BoxError> + Send + Sync + 'static,
    ) -> Result<()> {
        let factory = move |setup: &Setup<'_>| Ok(Arc::new(factory(setup)?) as Arc<dyn Retriever>);
        self.insert(name, Maker::Factory(Arc::new(factory)))
    }

    /// Registers a program: it is started and asked as `docs/protocol.md` says of a `command:`, in the folder of this
    /// process. Its hello has the configuration's `params` as well.
    ///
    /// ```
    /// use rankgate::benchmark::Registry;
    ///
    /// let mut registry = Registry::new();
    /// registry.retrievers.register_program("mine", ["python3", "search.py"])?;
    /// assert!(registry.retrievers.register_program("mine", ["search"]).is_err());
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    ///
    /// # Errors
    /// A name that is empty or taken; a command without a program.
    pub fn register_program<S: Into<String>>(
        &mut self,
        name: &str,
        command: impl IntoIterator<Item = S>,
    ) -> Result<()> {
        let command: Arc<[String]> = command.into_iter().map(Into::into).collect();
        if command.first().is_none_or(String::is_empty) {
            let message = format!("the command of the retriever {} has no program", Quoted(name));
            return Err(Error::with_kind(ErrorKind::Setup, message));
        }
        self.insert(name, Maker::Program(command))
    }

    fn insert(&mut self, name: &str, maker: Maker) -> Result<()> {
        if name.is_empty() {
            return Err(Error::with_kind(ErrorKind::Setup, "a retriever needs a name"));
        }
        match self.by_name.insert(name.to_owned(), maker) {
            None => Ok(()),
            Some(_) => {
                Err(Error::with_kind(ErrorKind::Setup, format!("two retrievers are registered as `{name}`")))
            }
        }
    }

    /// The program, with its arguments, that is registered under a name.
    pub(crate) fn program(&self, name: &str) -> Option<&[String]> {
        match self.by_name.get(name)? {
            Maker::Program(command) => Some(command),
            Maker::Factory(_) => None,
        }
    }

    /// Says of each program that is registered that it carries queries to one process, which runs already and builds there.
    #[doc(hidden)]
    pub fn set_bridges(&mut self) -> &mut Self {
        self.bridges = true;
        self
    }

    /// Whether a retriever is asked through such a program.
    pub(crate) fn is_bridge(&self, name: &str) -> bool {
        self.bridges && self.program(name).is_some()
    }

    /// The registered names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// Builds the retriever called `name`.
    pub(crate) fn build(&self, name: &str, setup: &Setup<'_>) -> Result<Arc<dyn Retriever>, FailureCause> {
        let Some(Maker::Factory(factory)) = self.by_name.get(name) else {
            // Specs are checked against the names there are, unless they may name any.
            let message = "it is registered from Rust, which `cargo test` can ask and this command cannot";
            return Err(FailureCause::Setup(message.to_owned()));
        };
        match panic::catch(|| factory(setup)) {
            Ok(Ok(retriever)) => Ok(retriever),
            Ok(Err(error)) => Err(FailureCause::Setup(chain(error.as_ref()))),
            Err(message) => Err(FailureCause::Setup(format!("it panicked: {message}"))),
        }
    }
}

impl std::fmt::Debug for Factories {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.by_name.keys()).finish()
    }
}
