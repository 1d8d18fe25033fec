//! What answers the queries of a configuration.

use std::fmt;

use crate::run::Order;
use crate::spec::http::Http;
use crate::spec::template::{PathTemplate, Template};
use crate::yaml::Params;

/// What answers the queries of a configuration.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ConfigurationSource {
    /// The BM25 that comes with rankgate.
    Bm25 {
        /// What it is made with.
        params: Params,
    },
    /// A retriever registered from Rust.
    Retriever {
        /// Its name, one that the registry has.
        name: String,
        /// What it is made with.
        params: Params,
    },
    /// A frozen run in TREC format.
    Run {
        /// The file.
        path: PathTemplate,
        /// What says the order, where the spec says it; else the ranks of a golden run and the scores of any
        /// other.
        order: Option<Order>,
    },
    /// A program that answers over its standard input and output.
    Command {
        /// The program and its arguments; at least the program.
        command: Vec<Template>,
        /// The folder of the spec, in which it runs.
        cwd: PathTemplate,
        /// Variables added to its environment, by name.
        env: Vec<(String, Template)>,
    },
    /// A service that answers over HTTP.
    Http(Box<Http>),
}

/// In a few words, variables as they are written: `builtin bm25`, `run legacy.run`.
impl fmt::Display for ConfigurationSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bm25 { .. } => f.write_str("builtin bm25"),
            Self::Retriever { name, .. } => write!(f, "retriever {name}"),
            Self::Run { path, .. } => write!(f, "run {path}"),
            Self::Command { command, .. } => {
                f.write_str("command")?;
                command.iter().try_for_each(|part| write!(f, " {part}"))
            }
            Self::Http(http) => write!(f, "http {}", http.url),
        }
    }
}

impl ConfigurationSource {
    /// All that the spec says of it, variables as they are written: to see whether a model is named in it.
    pub fn words(&self) -> String {
        match self {
            Self::Bm25 { params } | Self::Retriever { params, .. } => format!("{self} {params:?}"),
            Self::Run { .. } => self.to_string(),
            Self::Command { env, .. } => format!("{self} {env:?}"),
            Self::Http(http) => format!("{self} {:?} {:?}", http.headers, http.body),
        }
    }
}
