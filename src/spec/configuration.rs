//! `configurations:`: the systems that are measured.

use std::fmt;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::answerer::{AnswererPlan, RawAnswerer};
use super::collection::{CollectionPlan, EVIDENCE};
use super::command::{Command, RawEnvironment};
use super::fusion::{FusionPlan, Number, PerSource, RawFusion};
use super::http::{Http, RawHttp};
use super::names::Names;
use super::scalar::{Name, Reference, Score, Sha256};
use super::stages::{self, RawStages, Stages};
use super::sweep::{RawSweep, Sweep, Sweepable};
use super::template::{InputFile, InputFolder, PathTemplate, RunFile, Template};
use super::units::{ConfigurationUnits, UnitsPlan};
use crate::error::Quoted;
use crate::fusion::{FusionMethod, Norm};
use crate::mapping::{
    Availability, Count, Field, FieldValue, FromNode, OneOrMany, Reader, Rule, Spanned, mapping,
};
use crate::run::Order;
use crate::yaml::{Node, Params, Problem, Span, Value, all_of};
use crate::{Error, ErrorKind, Result};

const FUSES: &str = "it says how rankings are fused";

mapping! {
    /// The measured system: exactly one of `builtin`, `retriever`, `run`, `command`, `http` and `fuse`; or `answers` alone.
    pub(super) struct RawConfiguration as "a configuration", "{run: runs/mine.run}" {
        /// A retriever that comes with rankgate: `bm25`, or `exact`, which searches vectors.
        "builtin" => builtin: String,
        /// A retriever that was registered from Rust under this name.
        "retriever" => retriever: String,
        /// A frozen run in TREC format, which may be gzipped.
        "run" => run: RunFile,
        /// What says the order in the run's file; by default `rank` for a golden run, `score` for any other.
        "order" => order: Order,
        /// The SHA-256 of the run's file, as `sha256sum` prints it: with other bytes its gates are errored.
        "sha256" => sha256: Sha256,
        /// A program that answers queries as JSON lines: the program and its arguments.
        "command" => command: Command,
        /// The folder that the command runs in; that of the spec by default.
        "cwd" => cwd: InputFolder,
        /// Variables of the command's environment, besides those of this process.
        "env" => env: RawEnvironment,
        /// A service that answers queries as JSON over HTTP.
        "http" => http: RawHttp,
        /// The configurations whose rankings are fused into one; each is asked once.
        "fuse" => fuse: OneOrMany<Reference>,
        /// How they are fused; `rrf` by default.
        "method" => method: FusionMethod,
        /// How scores become comparable: one word, or one for each ranking; `min-max` by default.
        "norm" => norm: PerSource<Norm>,
        /// A weight of at least 0 for each ranking; `weighted` needs them, `rrf`, `borda`, `combmnz` and `mixed` take them.
        "weights" => weights: PerSource<Number>,
        /// How many results of each ranking are fused; by default as many as are asked for. `depth` of the spec is at least
        /// this.
        "depth" => depth: Count<1_000_000>,
        /// Of `rrf`: what is added to ranks; 60 by default.
        "k" => k: Number,
        /// Of `logn-isr`, from 0 to 1; 0.01 by default.
        "sigma" => sigma: Number,
        /// Of `rbc`, above 0 and below 1: how likely a reader goes on to the next result.
        "phi" => phi: Number,
        /// Of `combgmnz`: the power of the number of rankings with the document.
        "gamma" => gamma: Number,
        /// The answers that a model gave with these results, as JSON lines of `query`, `answer` and `contexts`; alone, the
        /// contexts are the results.
        "answers" => answers: AnswersFile,
        /// Who answers with the retrieved documents, in place of a file of answers.
        "answerer" => answerer: RawAnswerer,
        /// The stages whose rankings its answers carry, in the order in which documents pass them: `[candidates, fused]`; those that
        /// run side by side in a list of their own, `[[bm25, dense], fused]`. Each is a configuration: `mine@candidates`.
        "stages" => stages: RawStages,
        /// What the retriever is made with: its own type, in its own words.
        "params" => params: ParamsNode,
        /// The judged documents that its chunks belong to, in place of the collection's `units`; `none` where it returns
        /// documents.
        "units" => units: ConfigurationUnits,
        /// Where its chunks lie in the documents of `evidence`: JSON lines with `_id`, `text` and, unless the text is in one
        /// document alone, `document`, or `document`, `start` and `end`. What is built in is built of these chunks.
        "chunks" => chunks: InputFile,
        /// The score that a result needs at least: others are cut before anything is scored. `rankgate floor` chooses one.
        "floor" => floor: Score,
        /// How often every query is asked; its score is the mean. 1 by default.
        "repeats" => repeats: Count<1000>,
        /// How often the retriever is rebuilt, where building it goes by chance; each build is asked once,
        /// and its score is the mean. 1 by default.
        "rebuilds" => rebuilds: Count<100>,
        /// How long a query may take, such as `2s`; where this is left out 5 minutes for a program, 30 s
        /// for a service, as long as it takes for anything else.
        "timeout" => timeout: Duration,
        /// How many queries are asked at once; by default 1 of a command, 4 of a service, and as many
        /// as there are processors of anything else.
        "concurrency" => concurrency: Count<1024>,
        /// The settings that `rankgate tune` tries: keys of `params` or of a fusion, variables of a command's `env`, JSON pointers
        /// into the `body` of a service, each with a list of values or a range.
        "sweep" => sweep: RawSweep,
        /// Why its gates run only on request (`--include-ignored`).
        "ignore" => ignore: Reason,
    }
    rules: [
        Rule::OneOrAlone { keys: &["builtin", "retriever", "run", "command", "http", "fuse"], alone: "answers" },
        Rule::AllBeside {
            keys: &["method", "norm", "weights", "depth", "k", "sigma", "phi", "gamma"],
            other: "fuse",
            because: FUSES,
        },
        Rule::Beside {
            key: "units",
            one_of: &["builtin", "retriever", "run", "command", "http", "answers"],
            because: "what is fused are documents already",
        },
        Rule::Beside {
            key: "chunks",
            one_of: &["builtin", "retriever", "run", "command", "http", "answers"],
            because: "its configurations say where their chunks lie",
        },
        Rule::Beside {
            key: "answerer",
            one_of: &["builtin", "retriever", "run", "command", "http", "fuse"],
            because: "it answers with what these retrieve",
        },
        Rule::Beside {
            key: "floor",
            one_of: &["builtin", "retriever", "run", "command", "http", "fuse"],
            because: "the contexts of a file of answers have no scores",
        },
        Rule::Beside {
            key: "stages",
            one_of: &["retriever", "command", "http"],
            because: "the answers of these may carry the rankings of their stages",
        },
        Rule::Beside { key: "order", one_of: &["run"], because: "a live retriever's order is its answer" },
        Rule::Beside { key: "sha256", one_of: &["run"], because: "it pins a run's file" },
        Rule::Beside { key: "cwd", one_of: &["command"], because: "it is the folder that a command runs in" },
        Rule::Beside { key: "env", one_of: &["command"], because: "it is a command's environment" },
        Rule::Beside {
            key: "params",
            one_of: &["builtin", "retriever"],
            because: "a retriever that has a name is made with it; a `command` has its arguments and `env`",
        },
        Rule::Beside {
            key: "repeats",
            one_of: &["builtin", "retriever", "command", "http"],
            because: "a frozen run is read and a fusion computed: they say the same every time",
        },
        Rule::Beside {
            key: "rebuilds",
            one_of: &["builtin", "retriever", "command"],
            because: "nothing is built of a frozen run, or of a service that runs elsewhere",
        },
        Rule::Beside {
            key: "timeout",
            one_of: &["builtin", "retriever", "command", "http"],
            because: "a frozen run is read and a fusion computed: neither is asked",
        },
        Rule::Beside {
            key: "concurrency",
            one_of: &["builtin", "retriever", "command", "http"],
            because: "a frozen run is read and a fusion computed: neither is asked",
        },
    ]
}

/// One way of retrieving that is measured.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Configuration {
    /// Its name, unique within the spec.
    pub name: String,
    /// What answers.
    pub source: ConfigurationSource,
    /// The answers that a model gave with its results.
    pub answers: Option<PathTemplate>,
    /// Who answers with its results.
    pub answerer: Option<AnswererPlan>,
    /// The judged documents that its chunks belong to; `None` where it returns documents.
    pub units: Option<UnitsPlan>,
    /// Where its chunks lie in the documents that spans are of; `None` where its hits say so.
    pub chunks: Option<PathTemplate>,
    /// The score that a result needs at least; `None` where all results count.
    pub floor: Option<f64>,
    /// The line of the spec that says so, from 1.
    pub floor_line: Option<usize>,
    /// How often every query is asked, 1 or more; 1 for a frozen run.
    pub repeats: usize,
    /// How often the retriever is rebuilt, 1 or more; where it is more, `repeats` is 1.
    pub rebuilds: usize,
    /// How long a query may take; `None` where the spec does not say.
    pub timeout: Option<Duration>,
    /// The line of the spec that says so, from 1.
    pub timeout_line: Option<usize>,
    /// How many queries are asked at once; `None` where the spec does not say.
    pub concurrency: Option<usize>,
    /// Why its gates run only on request; `None` when they always run.
    pub ignore: Option<String>,
    /// The settings that are tried of it, where it is tuned.
    pub sweep: Option<Sweep>,
    /// The stages whose rankings its answers carry.
    pub stages: Stages,
    /// Of which configuration it is and under which variant, where it is asked under one.
    pub variant: Option<VariantOf>,
    /// Of which configuration it is and which stage, where it is one.
    pub stage: Option<StageOf>,
    /// The line of the spec it stands on, from 1.
    pub line: usize,
}

/// Of which configuration one with an `@` in its name is, and under which variant.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct VariantOf {
    /// The configuration that is asked.
    pub configuration: String,
    /// The name of the variant.
    pub variant: String,
}

/// Of which configuration one with an `@` in its name is, and which of its stages.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StageOf {
    /// The configuration that is asked.
    pub configuration: String,
    /// The name of the stage.
    pub stage: String,
}

impl Configuration {
    /// Whether it is made of another one: under a variant, or one of its stages.
    #[must_use]
    pub fn is_derived(&self) -> bool {
        self.variant.is_some() || self.stage.is_some()
    }

    /// Its stages as configurations: `mine@candidates`.
    pub(super) fn at_stages(&self) -> impl Iterator<Item = Self> + '_ {
        self.stages.names().map(|name| Self {
            name: format!("{}@{name}", self.name),
            stage: Some(StageOf { configuration: self.name.clone(), stage: name.to_owned() }),
            stages: Stages::default(),
            // All of these are of what the last stage returns.
            answers: None,
            answerer: None,
            floor: None,
            floor_line: None,
            ..self.clone()
        })
    }

    /// What the names of its files begin with: no name of a configuration has a `+`, and what stands behind an `@`
    /// is what a golden run was tagged with.
    pub(crate) fn file_stem(&self) -> String {
        self.name.replace('@', "+")
    }

    /// Whether it may have answers, and not rankings alone: of a program or a retriever from Rust its replies say so.
    /// Under a variant there are none: answers are to queries as they are typed. A stage has none either.
    #[must_use]
    pub fn answers_queries(&self) -> bool {
        let in_replies = match &self.source {
            ConfigurationSource::Command { .. } | ConfigurationSource::Retriever { .. } => true,
            ConfigurationSource::Http(http) => http.answer.is_some(),
            ConfigurationSource::Builtin { .. }
            | ConfigurationSource::Run { .. }
            | ConfigurationSource::Fusion(_)
            | ConfigurationSource::Contexts { .. } => false,
        };
        !self.is_derived() && (in_replies || self.answers.is_some() || self.answerer.is_some())
    }

    /// How often all queries are asked: once for each repeat, or once for each build.
    #[doc(hidden)]
    #[must_use]
    pub fn passes(&self) -> usize {
        self.repeats.max(self.rebuilds).max(1)
    }

    /// Whether something answers now, in contrast to a frozen run and to a fusion of what others answer.
    #[must_use]
    pub fn is_live(&self) -> bool {
        !matches!(
            self.source,
            ConfigurationSource::Run { .. }
                | ConfigurationSource::Contexts { .. }
                | ConfigurationSource::Fusion(_)
        )
    }

    /// The configuration in one of the settings of its sweep, by number from 0.
    ///
    /// # Errors
    /// No sweep; a setting that a fusion cannot have.
    pub fn in_setting(&self, number: u64) -> Result<Self> {
        let none = || Error::invalid(format!("{} has no `sweep`", Quoted(&self.name)));
        let sweep = self.sweep.as_ref().ok_or_else(none)?;
        let mut setting = Self { sweep: None, ..self.clone() };
        match &mut setting.source {
            ConfigurationSource::Builtin { params, .. } | ConfigurationSource::Retriever { params, .. } => {
                *params = sweep.params(params, number);
            }
            ConfigurationSource::Fusion(plan) => *plan = sweep.fusion(plan, number)?,
            ConfigurationSource::Command { env, .. } => *env = sweep.environment(env, number),
            ConfigurationSource::Http(http) => http.body = sweep.body(&http.body, number),
            ConfigurationSource::Run { .. } | ConfigurationSource::Contexts { .. } => {}
        }
        Ok(setting)
    }

    /// What its setting is today, in the order of the keys of its sweep; `None` for a key that is not written.
    #[must_use]
    pub fn labels_today(&self) -> Vec<Option<String>> {
        let Some(sweep) = &self.sweep else { return Vec::new() };
        match &self.source {
            ConfigurationSource::Builtin { params, .. } | ConfigurationSource::Retriever { params, .. } => {
                sweep.labels_of_params(params)
            }
            ConfigurationSource::Fusion(plan) => sweep.labels_of_fusion(&plan.fusion),
            ConfigurationSource::Command { env, .. } => sweep.labels_of_environment(env),
            ConfigurationSource::Http(http) => sweep.labels_of_body(&http.body),
            ConfigurationSource::Run { .. } | ConfigurationSource::Contexts { .. } => Vec::new(),
        }
    }

    /// Whether its retriever is registered from Rust.
    #[must_use]
    pub fn is_from_rust(&self) -> bool {
        matches!(self.source, ConfigurationSource::Retriever { .. })
    }

    /// How it is fused of others, where it is.
    #[must_use]
    pub fn fusion(&self) -> Option<&FusionPlan> {
        match &self.source {
            ConfigurationSource::Fusion(plan) => Some(plan),
            _ => None,
        }
    }
}

/// What answers the queries of a configuration.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ConfigurationSource {
    /// A retriever that comes with rankgate.
    Builtin {
        /// Its name, one that the registry has.
        name: String,
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
        /// What the SHA-256 of the file must be, in hexadecimal, where the spec pins it.
        sha256: Option<String>,
    },
    /// The contexts of a file of answers.
    Contexts {
        /// The file.
        path: PathTemplate,
    },
    /// The rankings of other configurations, fused.
    Fusion(FusionPlan),
    /// A program that answers over its standard input and output.
    Command {
        /// The program and its arguments; at least the program.
        command: Vec<Template>,
        /// The folder it runs in.
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
            Self::Builtin { name, .. } => write!(f, "builtin {name}"),
            Self::Retriever { name, .. } => write!(f, "retriever {name}"),
            Self::Run { path, .. } => write!(f, "run {path}"),
            Self::Contexts { path } => write!(f, "answers {path}"),
            Self::Command { command, .. } => {
                f.write_str("command")?;
                command.iter().try_for_each(|part| write!(f, " {part}"))
            }
            Self::Http(http) => write!(f, "http {}", http.url),
            Self::Fusion(plan) => plan.fmt(f),
        }
    }
}

impl ConfigurationSource {
    /// All that the spec says of it, variables as they are written: to see whether a model is named in it.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Builtin { params, .. } | Self::Retriever { params, .. } => format!("{self} {params:?}"),
            Self::Run { .. } | Self::Contexts { .. } | Self::Fusion(_) => self.to_string(),
            Self::Command { env, .. } => format!("{self} {env:?}"),
            Self::Http(http) => format!("{self} {:?} {:?}", http.headers, http.body),
        }
    }
}

/// More configurations are a mistake, or an attack.
const MOST: usize = 1000;

impl RawConfigurations {
    pub(super) fn names(&self) -> Vec<String> {
        self.0.iter().map(|(name, _)| name.value.0.clone()).collect()
    }

    /// The stages that configurations declare, each with its configuration and its place.
    pub(super) fn stages(&self) -> Vec<(String, String, Span)> {
        let mut stages = Vec::new();
        for (name, raw) in &self.0 {
            let declared = raw.iter().flat_map(RawConfiguration::stage_names);
            stages.extend(declared.map(|(stage, at)| (name.value.0.clone(), stage, at)));
        }
        stages
    }

    /// Each fusion's name with its place and the names of what it is made of.
    pub(super) fn fusions(&self) -> Vec<(&str, Span, Vec<&str>)> {
        let mut fusions = Vec::new();
        for (name, raw) in &self.0 {
            if let Some(fuse) = raw.as_ref().and_then(|raw| raw.fuse.value()) {
                fusions.push((&*name.value.0, name.at, fuse.0.iter().map(|one| &*one.value.0).collect()));
            }
        }
        fusions
    }

    /// How many results of each ranking fusions take, with the places that say so.
    pub(super) fn depths(&self) -> impl Iterator<Item = (usize, Span)> {
        let raw = self.0.iter().filter_map(|(_, raw)| raw.as_ref());
        raw.filter_map(|raw| raw.depth.field_value()).map(|given| (given.value.0, given.at))
    }
}

/// The mapping from names to configurations. A configuration that cannot be read still has a name.
pub(super) struct RawConfigurations(pub(super) Vec<(Spanned<Name>, Option<RawConfiguration>)>);

impl FromNode for RawConfigurations {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let Value::Map(entries) = &node.value else {
            return reader.expected(node, "a mapping from names to configurations");
        };
        if entries.is_empty() {
            return reader.refuse(node.span, "no configuration: nothing would be measured");
        }
        if entries.len() > MOST {
            return reader.refuse(node.span, format!("more than {MOST} configurations"));
        }
        let mut configurations = Vec::with_capacity(entries.len());
        let mut named = true;
        for entry in entries.iter() {
            let name = Name::check(&entry.key.text, entry.key.span, reader);
            let configuration = reader.read(&entry.value);
            match name {
                Some(value) => configurations.push((Spanned { at: entry.key.span, value }, configuration)),
                None => named = false,
            }
        }
        // Whoever names a configuration whose name is refused is not told that it does not exist.
        named.then_some(Self(configurations))
    }

    #[inline]
    fn schema() -> Json {
        json!({
            "type": "object",
            "minProperties": 1,
            "maxProperties": MOST,
            "propertyNames": Name::schema(),
            "additionalProperties": RawConfiguration::schema(),
        })
    }
}

/// Why something is left out: text, not yes or no.
pub(super) struct Reason(String);

impl FromNode for Reason {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match &node.value {
            Value::Scalar(scalar) if scalar.bool().is_some() => {
                let problem =
                    Problem::new(node.span, format!("expected a reason, found {}", node.describe()));
                reader.report(
                    problem.help("say why, as in `ignore: \"needs an 8 GB index\"`, or leave `ignore` out"),
                );
                None
            }
            _ => reader.read(node).map(Self),
        }
    }

    #[inline]
    fn schema() -> Json {
        json!({"type": ["string", "number"], "minLength": 1, "examples": ["needs an 8 GB index"]})
    }
}

/// A mapping that somebody else reads, or nothing.
pub(super) struct ParamsNode(Node);

impl FromNode for ParamsNode {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match &node.value {
            Value::Map(_) => Some(Self(node.clone())),
            _ if node.is_null() => Some(Self(node.clone())),
            _ => reader.expected(node, "a mapping"),
        }
    }

    #[inline]
    fn schema() -> Json {
        json!({"type": ["object", "null"]})
    }
}

/// A file of answers. Whether answers can be used at all is reported before errors in the file.
pub(super) struct AnswersFile(PathTemplate);

impl FromNode for AnswersFile {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        if let Availability::Unavailable(why) = reader.registry.knows_judge() {
            let problem = Problem::new(node.span, "`answers` cannot be used here");
            reader.report(problem.with_kind(ErrorKind::Setup).help(why));
            return None;
        }
        reader.read::<RunFile>(node).map(|file| Self(file.0))
    }

    #[inline]
    fn schema() -> Json {
        InputFile::schema()
    }
}

impl RawConfiguration {
    /// The names of the stages that it declares, with their places, as far as they could be read.
    pub(super) fn stage_names(&self) -> Vec<(String, Span)> {
        let named = self.stages.value().into_iter().flat_map(RawStages::names);
        let named = named.map(|one| (one.value.0.clone(), one.at));
        let pointers = self.http.value().into_iter().flat_map(RawHttp::stage_names);
        named.chain(pointers).collect()
    }

    /// The configuration; `None` where it cannot be used, which has been reported.
    pub(super) fn check(
        self,
        name: Spanned<Name>,
        (collection, names): (Option<&CollectionPlan>, &Names<'_>),
        reader: &mut Reader<'_>,
    ) -> Option<Configuration> {
        let params = |at: Span, params: Option<ParamsNode>, reader: &Reader<'_>| {
            let node = params.map(|params| params.0);
            Params::new(
                std::sync::Arc::clone(reader.source),
                node.as_ref().map_or(at, |node| node.span),
                node,
            )
        };
        if matches!(self.answers, Field::Broken) || matches!(self.answerer, Field::Broken) {
            // Whoever gates its answers is not told that it gives none.
            return None;
        }
        if let (Some(answerer), Some(answers)) = (self.answerer.field_value(), self.answers.field_value()) {
            let problem = Problem::new(answers.key, "`answers` beside `answerer`");
            reader.report(
                problem.related(answerer.key, "there already: a file says what somebody answered once"),
            );
        }
        if let (Some(answerer), Availability::Unavailable(why)) =
            (self.answerer.field_value(), reader.registry.knows_judge())
        {
            let problem = Problem::new(answerer.key, "`answerer` cannot be used here");
            reader.report(problem.with_kind(ErrorKind::Setup).help(why));
            return None;
        }
        let source = if let Some(builtin) = self.builtin.field_value() {
            check_builtin(builtin, reader)?;
            let (at, name) = (builtin.at, builtin.value.clone());
            ConfigurationSource::Builtin { name, params: params(at, self.params.into_value(), reader) }
        } else if let Some(retriever) = self.retriever.field_value() {
            check_retriever(retriever, reader)?;
            let (at, name) = (retriever.at, retriever.value.clone());
            ConfigurationSource::Retriever { name, params: params(at, self.params.into_value(), reader) }
        } else if let Some(path) = self.run.into_value() {
            let sha256 = self.sha256.into_value().map(|pin| pin.0);
            ConfigurationSource::Run { path: path.0, order: self.order.into_value(), sha256 }
        } else if let Some(command) = self.command.field_value() {
            let cwd = self.cwd.into_value();
            ConfigurationSource::Command {
                command: command.value.0.clone(),
                cwd: cwd.map_or_else(|| PathTemplate::folder_of_spec(reader, command.at), |path| path.0),
                env: self.env.into_value().map(|env| env.0).unwrap_or_default(),
            }
        } else if let Field::Given(fuse) = self.fuse {
            let raw = RawFusion {
                fuse,
                method: self.method,
                norm: self.norm,
                weights: self.weights,
                depth: self.depth.into_value().map(|depth| depth.0),
                parameters: [("k", self.k), ("sigma", self.sigma), ("phi", self.phi), ("gamma", self.gamma)],
            };
            ConfigurationSource::Fusion(raw.check(names, reader)?)
        } else if let (Some(answers), true) = (self.answers.value(), self.http.is_absent()) {
            ConfigurationSource::Contexts { path: answers.0.clone() }
        } else {
            let http = self.http.field_value()?;
            if let Availability::Unavailable(why) = reader.registry.knows_http() {
                let problem = Problem::new(http.key, "`http` cannot be used here")
                    .with_kind(ErrorKind::Setup)
                    .help(why);
                reader.report(problem);
                return None;
            }
            ConfigurationSource::Http(Box::new(self.http.into_value()?.check(reader)?))
        };
        if let (Some(repeats), Some(rebuilds)) = (self.repeats.field_value(), self.rebuilds.field_value())
            && repeats.value.0 > 1
            && rebuilds.value.0 > 1
        {
            let problem = Problem::new(rebuilds.key, "`rebuilds` does not go with `repeats`");
            let problem = problem.related(repeats.key, "each build is asked once");
            reader.report(
                problem.help(
                    "leave `repeats` out: what varies from answer to answer varies from build to build",
                ),
            );
            return None;
        }
        if let Some(chunks) =
            self.chunks.field_value().filter(|_| collection.is_some_and(|one| !one.has_evidence()))
        {
            let problem = Problem::new(chunks.key, "`chunks` goes with `evidence` only");
            reader.report(problem.help(EVIDENCE));
            return None;
        }
        if let Field::Given(FieldValue { key, value: ConfigurationUnits::Own(_), .. }) = &self.units
            && collection.is_some_and(CollectionPlan::has_evidence)
        {
            let problem = Problem::new(*key, "`units` does not go with `evidence`");
            reader.report(
                problem.help("judged spans hold for any chunks: `chunks: FILE` says where these lie"),
            );
            return None;
        }
        if let (Some(floor), ConfigurationSource::Http(http)) = (self.floor.field_value(), &source)
            && http.score.is_none()
        {
            let problem = Problem::new(floor.key, "a `floor` needs results with scores");
            reader.report(
                problem.help("`score` under `http` says where a hit has its score, such as `/score`"),
            );
        }
        let pointers = match &source {
            ConfigurationSource::Http(http) => {
                Some(http.stages.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>())
            }
            _ => None,
        };
        let stages = match &self.stages {
            Field::Broken => return None,
            given => stages::check(given.field_value(), pointers.as_deref(), reader)?,
        };
        let units = match self.units {
            Field::Absent if matches!(source, ConfigurationSource::Fusion(_)) => None,
            Field::Absent => collection.and_then(|collection| collection.units.clone()),
            Field::Broken => return None,
            Field::Given(FieldValue { value: ConfigurationUnits::None, .. }) => None,
            Field::Given(FieldValue { value: ConfigurationUnits::Own(units), .. }) => Some(units.check()?),
        };
        let sweep = match self.sweep {
            Field::Absent => None,
            Field::Broken => return None,
            Field::Given(given) => {
                let of = match &source {
                    ConfigurationSource::Builtin { .. } | ConfigurationSource::Retriever { .. } => {
                        Sweepable::Params
                    }
                    ConfigurationSource::Fusion(plan) => Sweepable::Fusion(plan),
                    ConfigurationSource::Command { env, .. } => Sweepable::Environment(env),
                    ConfigurationSource::Http(http) => Sweepable::Body(&http.body),
                    _ => Sweepable::Nothing,
                };
                Some(given.value.check(given.key, &of, reader)?)
            }
        };
        Some(Configuration {
            line: reader.source.position(name.at).0,
            name: name.value.0,
            stages,
            variant: None,
            sweep,
            stage: None,
            source,
            answers: self.answers.into_value().map(|path| path.0),
            answerer: self.answerer.into_value().and_then(|raw| raw.check(reader)),
            units,
            chunks: self.chunks.into_value().map(|path| path.0),
            floor_line: self.floor.field_value().map(|floor| reader.source.position(floor.at).0),
            floor: self.floor.into_value().map(|floor| floor.0),
            repeats: self.repeats.into_value().map_or(1, |count| count.0),
            rebuilds: self.rebuilds.into_value().map_or(1, |count| count.0),
            timeout_line: self.timeout.field_value().map(|timeout| reader.source.position(timeout.at).0),
            timeout: self.timeout.into_value(),
            concurrency: self.concurrency.into_value().map(|count| count.0),
            ignore: self.ignore.into_value().map(|reason| reason.0),
        })
    }
}

fn check_builtin(builtin: &FieldValue<String>, reader: &mut Reader<'_>) -> Option<()> {
    let name = &builtin.value;
    let registry = reader.registry;
    match registry.knows_builtin(name) {
        Availability::Yes => Some(()),
        Availability::Unavailable(why) => {
            let problem =
                Problem::new(builtin.at, format!("the built-in retriever `{name}` cannot be used here"));
            reader.report(problem.with_kind(ErrorKind::Setup).help(why));
            None
        }
        Availability::No => {
            let problem =
                Problem::new(builtin.at, format!("no built-in retriever is called {}", Quoted(name)));
            let problem = reader.suggest(problem, name, registry.builtins());
            reader.report(problem.unwrap_or_else(|problem| match all_of(registry.builtins()) {
                none if none.is_empty() => problem,
                names => problem.help(format!("there is {names}")),
            }));
            None
        }
    }
}

fn check_retriever(retriever: &FieldValue<String>, reader: &mut Reader<'_>) -> Option<()> {
    let name = &retriever.value;
    let registry = reader.registry;
    if let Availability::Yes = registry.knows_retriever(name) {
        return Some(());
    }
    let problem = Problem::new(retriever.at, format!("no retriever is registered as {}", Quoted(name)));
    let problem = if registry.retrievers().next().is_none() {
        problem
            .help("retrievers are registered from Rust, with `.retriever(name, ...)` in `tests/retrieval.rs`")
    } else {
        let problem = reader.suggest(problem, name, registry.retrievers());
        problem.unwrap_or_else(|problem| {
            problem.help(format!("registered are {}", all_of(registry.retrievers())))
        })
    };
    reader.report(problem);
    None
}
