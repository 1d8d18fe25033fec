//! The keys of a configuration.

use std::time::Duration;

use crate::mapping::{Count, FromNode, Reader, Rule, mapping};
use crate::run::Order;
use crate::spec::command::{Command, RawEnvironment};
use crate::spec::http::RawHttp;
use crate::spec::parents::ConfigurationParents;
use crate::spec::template::RunFile;
use crate::yaml::{Node, Value};

mapping! {
    /// The measured system: exactly one of `builtin`, `retriever`, `run`, `command` and `http`.
    pub(in crate::spec) struct RawConfiguration as "a configuration", "{run: runs/mine.run}" {
        /// The retriever that comes with rankgate: `bm25`.
        "builtin" => builtin: String,
        /// A retriever that was registered under this name, from Rust or Python.
        "retriever" => retriever: String,
        /// A frozen run in TREC format, which may be gzipped.
        "run" => run: RunFile,
        /// What says the order in the run's file; by default `rank` for a golden run, `score` for any other.
        "order" => order: Order,
        /// A program that answers queries as JSON lines: the program and its arguments. It runs in the folder of the spec.
        "command" => command: Command,
        /// Variables of the command's environment, besides those of this process.
        "env" => env: RawEnvironment,
        /// A service that answers queries as JSON over HTTP.
        "http" => http: RawHttp,
        /// What the retriever is made with: its own type, in its own words.
        "params" => params: ParamsNode,
        /// The judged documents that its chunks belong to, in place of the collection's `parents`; `none` where it returns
        /// documents. Beside `passages` the file says where chunks lie: JSON lines with `_id`, `text` and, unless the text is in
        /// one document alone, `document`, or `document`, `start` and `end`. What is built in is built of these chunks.
        "parents" => parents: ConfigurationParents,
        /// How often every query is asked; its score is the mean. 1 by default.
        "repeats" => repeats: Count<1000>,
        /// How long a query may take, such as `2s`; where this is left out 5 minutes for a program, 30 s
        /// for a service, as long as it takes for anything else.
        "timeout" => timeout: Duration,
        /// How many queries are asked at once; by default 1 of a command, 4 of a service, and as many
        /// as there are processors of anything else.
        "concurrency" => concurrency: Count<1024>,
    }
    rules: [
        Rule::ExactlyOne(&["builtin", "retriever", "run", "command", "http"]),
        Rule::Beside { key: "order", one_of: &["run"], because: "a live retriever's order is its answer" },
        Rule::Beside { key: "env", one_of: &["command"], because: "it is a command's environment" },
        Rule::Beside {
            key: "params",
            one_of: &["builtin", "retriever"],
            because: "a retriever that has a name is made with it; a `command` has its arguments and `env`",
        },
        Rule::Beside {
            key: "repeats",
            one_of: &["builtin", "retriever", "command", "http"],
            because: "a frozen run says the same every time it is read",
        },
        Rule::Beside {
            key: "timeout",
            one_of: &["builtin", "retriever", "command", "http"],
            because: "a frozen run is read, not asked",
        },
        Rule::Beside {
            key: "concurrency",
            one_of: &["builtin", "retriever", "command", "http"],
            because: "a frozen run is read, not asked",
        },
    ]
}

/// A mapping that somebody else reads, or nothing.
pub(in crate::spec) struct ParamsNode(pub(super) Node);

impl FromNode for ParamsNode {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match &node.value {
            Value::Map(_) => Some(Self(node.clone())),
            _ if node.is_null() => Some(Self(node.clone())),
            _ => reader.expected(node, "a mapping"),
        }
    }
}
