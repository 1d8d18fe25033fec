//! `latency:`: limits on the time that answers take.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::gate::{GateKind, Inconclusive, LatencyGate, LatencyLimit, Level, latency_name};
use crate::mapping::{Count, Field, FromNode, OneOrMany, Reader, Rule, mapping};
use crate::spec::Configuration;
use crate::spec::gates::{GateContext, GateEntry, Gates, RawEntry};
use crate::spec::names::Names;
use crate::spec::scalar::{Label, Reference, duration};
use crate::stats::Quantile;
use crate::yaml::{Node, Problem, Span};

mapping! {
    /// A limit on the time that answers take, in the machine's own terms (`max`) or against another configuration in the
    /// same process (`max-ratio`): one test per configuration.
    pub(crate) struct RawLatency as "a latency gate", "{quantile: p50, max: 50ms}" {
        /// Which of the times is held to the limit: `p50` is the typical one, `p95` what one of twenty exceeds.
        "quantile" => quantile: Quantile,
        /// The longest time that passes, such as `50ms`. It depends on the machine, so that it only advises unless it says
        /// `level: blocking`.
        "max" => max: MaxTime,
        /// The configurations that are held to `max`; by default all but frozen runs.
        "for" => configurations: OneOrMany<Reference>,
        /// How many times as long as `baseline` the `candidate` may take: 1.1 is a tenth longer, 0.8 asks it to be
        /// faster.
        "max-ratio" => max_ratio: Ratio,
        /// The configuration that is held to `max-ratio`.
        "candidate" => candidate: Reference,
        /// The configuration that it is compared with, asked in turns with it.
        "baseline" => baseline: Reference,
        /// How often every query is asked: 12 times by default for a ratio, and at least 6; once for `max`.
        "blocks" => blocks: Count<1000>,
        /// How often it is asked before that, for nothing: 2 times by default for a ratio, once for `max`.
        "warm-up" => warm_up: WarmUp,
        /// Decide a ratio of retrievers in this process even where they were built without optimization; false by
        /// default.
        "unoptimized" => unoptimized: bool,
        /// What happens where the times do not decide: `fail` (default) or `warn`.
        "inconclusive" => inconclusive: Inconclusive,
        /// Whether it can fail the build: `blocking`, the default for a ratio, or `advisory`, the default for `max`.
        "level" => level: Level,
        /// What sets it apart from another latency gate on the same quantile; part of the test's name.
        "name" => name: Label,
    }
    rules: [
        Rule::Required("quantile"),
        Rule::ExactlyOne(&["max", "max-ratio"]),
        Rule::Beside { key: "for", one_of: &["max"], because: "a ratio is that of one `candidate` to one `baseline`" },
        Rule::Beside { key: "candidate", one_of: &["max-ratio"], because: "a time of its own is held to `max`, with `for`" },
        Rule::Beside { key: "baseline", one_of: &["max-ratio"], because: "a time of its own is held to `max`" },
        Rule::Beside { key: "unoptimized", one_of: &["max-ratio"], because: "`max` is held against any build" },
        Rule::Schema(of_ratios),
    ]
}

/// Fewer blocks than these show no ratio: their signs could all agree by chance.
const FEWEST: usize = 6;
/// Blocks, and warm-up, of a ratio and of a time, where the spec does not say.
const OF_RATIO: [usize; 2] = [12, 2];
const OF_TIME: [usize; 2] = [1, 1];

/// What the schema says of ratios beyond their keys.
fn of_ratios() -> Vec<Json> {
    let then = json!({"required": ["candidate", "baseline"], "properties": {"blocks": {"minimum": FEWEST}}});
    vec![json!({"if": {"required": ["max-ratio"]}, "then": then})]
}

impl RawLatency {
    /// How many gates it makes, as far as it could be read.
    fn gates(&self, names: &Names<'_>) -> usize {
        let all = names.all().map_or(0, <[String]>::len);
        let given = self.configurations.value().map(|names| names.0.len());
        given.unwrap_or(if self.max_ratio.is_absent() { all } else { 1 })
    }

    /// The gate of the entry that stands at `at`; `None` where it cannot be decided, which has been reported.
    fn check(
        self,
        at: Span,
        names: &Names<'_>,
        configurations: Option<&[Configuration]>,
        reader: &mut Reader<'_>,
    ) -> Option<LatencyGate> {
        let is_ratio = !self.max_ratio.is_absent();
        let defaults = if is_ratio { OF_RATIO } else { OF_TIME };
        let [blocks, warm_up] = [
            self.blocks.value().map_or(defaults[0], |count| count.0),
            self.warm_up.value().map_or(defaults[1], |count| count.0),
        ];
        if let Some(few) = self.blocks.field_value().filter(|_| is_ratio && blocks < FEWEST) {
            let problem = Problem::new(few.at, format!("{blocks} blocks are too few to decide a ratio"));
            reader.report(problem.help(format!(
                "write {FEWEST} or more: fewer could all agree by chance more often than one time in forty"
            )));
        }
        let find = |name: &str| configurations.and_then(|all| all.iter().find(|one| one.name == name));
        let check = |name: &str, at: Span, reader: &mut Reader<'_>| {
            let name = names.check(name, at, reader)?;
            if find(&name).is_none_or(Configuration::is_live) {
                return Some(name);
            }
            let message = format!("`{name}` is a frozen run, and reading a file takes no time to answer");
            reader.report(
                Problem::new(at, message)
                    .help("name configurations that are asked: `retriever`, `builtin`, `command` or `http`"),
            );
            None
        };
        let level = self.level.value().copied();
        let (configurations, limit) =
            if is_ratio {
                for (key, field) in [("candidate", &self.candidate), ("baseline", &self.baseline)] {
                    if field.is_absent() {
                        reader.report(Problem::new(at, format!("a `max-ratio` needs a `{key}`")));
                    }
                }
                let checked = |field: &Field<Reference>, reader: &mut Reader<'_>| {
                    let given = field.field_value()?;
                    Some((check(&given.value.0, given.at, reader)?, given.at))
                };
                let candidate = checked(&self.candidate, reader);
                let baseline = checked(&self.baseline, reader);
                let ((candidate, first), (baseline, second)) = (candidate?, baseline?);
                if candidate == baseline {
                    let problem = Problem::new(second, format!("`{baseline}` is compared with itself"));
                    let problem = problem.related(first, "the candidate");
                    reader.report(problem.help(
                        "that is measured beside every ratio anyway: it shows the noise of the machine",
                    ));
                    return None;
                }
                (vec![candidate], LatencyLimit::MaxRatio { ratio: self.max_ratio.into_value()?.0, baseline })
            } else {
                let given = match &self.configurations {
                    Field::Given(given) => {
                        let all = given.value.0.iter().map(|one| check(&one.value.0, one.at, reader));
                        all.collect::<Vec<_>>().into_iter().collect::<Option<Vec<String>>>()?
                    }
                    Field::Broken => return None,
                    Field::Absent => names
                        .all()?
                        .iter()
                        .filter(|name| find(name).is_none_or(Configuration::is_live))
                        .cloned()
                        .collect(),
                };
                if given.is_empty() {
                    let message =
                        "every configuration is a frozen run, and reading a file takes no time to answer";
                    return reader.refuse(at, message);
                }
                (given, LatencyLimit::Max(self.max.into_value()?.0))
            };
        Some(LatencyGate {
            quantile: self.quantile.into_value()?,
            limit,
            configurations,
            blocks,
            warm_up,
            unoptimized: self.unoptimized.into_value().unwrap_or_default(),
            inconclusive: self.inconclusive.into_value().unwrap_or_default(),
            level: level.unwrap_or(if is_ratio { Level::Blocking } else { Level::Advisory }),
            name: self.name.into_value().map(|name| name.0),
        })
    }
}

impl RawEntry for RawLatency {
    type Checked = LatencyGate;

    fn gates(&self, names: &Names<'_>) -> usize {
        self.gates(names)
    }

    fn check(self, at: Span, context: &GateContext<'_>, reader: &mut Reader<'_>) -> Option<Vec<LatencyGate>> {
        Some(vec![self.check(at, context.names, context.configurations, reader)?])
    }
}

impl GateEntry for LatencyGate {
    /// One gate per configuration.
    fn expand(&self, _: usize, at: Span, benchmark: &str, gates: &mut Gates<'_, '_>) {
        let gate = Arc::new(self.clone());
        for configuration in &self.configurations {
            let (baseline, label) = (self.limit.baseline(), self.name.as_deref());
            let name = latency_name(benchmark, configuration, baseline, self.quantile, label);
            gates.add(name, configuration, self.level, GateKind::Latency(Arc::clone(&gate)), at);
        }
    }
}

impl FromNode for Quantile {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let text = reader.text(node, "a quantile such as `p95`")?;
        if let Ok(quantile) = text.parse::<Self>() {
            return Some(quantile);
        }
        let problem = Problem::new(node.span, format!("expected a quantile, found `{text}`"));
        // 95, 95% and 0.95 mean one thing.
        let number = text.trim_end_matches('%').parse::<f64>().ok();
        let percent = number.map(|number| if number < 1.0 { number * 100.0 } else { number });
        let meant =
            percent.map(|percent| format!("p{percent}")).filter(|meant| meant.parse::<Self>().is_ok());
        let meant = meant.or_else(|| matches!(text, "median" | "typical").then(|| "p50".to_owned()));
        reader.report(match meant {
            Some(meant) => problem.help(format!("did you mean `{meant}`?")),
            None => problem.help("quantiles are written `p50`, `p95` or `p99.9`"),
        });
        None
    }

    #[inline]
    fn schema() -> Json {
        json!({"type": "string", "pattern": r"^p[0-9]{1,2}(\.[0-9]{1,3})?$", "examples": ["p50", "p95", "p99"]})
    }
}

/// The longest time that an answer may take.
pub(crate) struct MaxTime(Duration);

impl FromNode for MaxTime {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        duration(node, "50ms", ("1us", Duration::from_micros(1)), reader).map(Self)
    }

    #[inline]
    fn schema() -> Json {
        json!({"type": "string", "pattern": r"^[0-9]*\.?[0-9]*(us|ms|s|m|min|h)$", "examples": ["50ms", "1.5s", "200us"]})
    }
}

/// How many times as long.
pub(crate) struct Ratio(f64);

impl FromNode for Ratio {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let ratio = reader.number(node, "a ratio such as 1.1")?;
        let problem = |message: String| Problem::new(node.span, message);
        if !(0.1..=10.0).contains(&ratio) {
            let problem = problem(format!("a `max-ratio` is from 0.1 to 10, not {ratio}"));
            let percent = (100.0..=1000.0).contains(&ratio);
            reader.report(if percent {
                problem.help(format!("did you mean `{}`?", ratio / 100.0))
            } else {
                problem
            });
        } else if (0.99..1.01).contains(&ratio) {
            let problem =
                problem(format!("a `max-ratio` of {ratio} is smaller than timing noise on any machine"));
            reader.report(problem.help(
                "write how much longer may pass, such as 1.1, or how much faster it has to be, such as 0.8",
            ));
        } else {
            return Some(Self(ratio));
        }
        None
    }

    #[inline]
    fn schema() -> Json {
        let (slower, faster) =
            (json!({"minimum": 1.01, "maximum": 10}), json!({"minimum": 0.1, "exclusiveMaximum": 0.99}));
        json!({"type": "number", "anyOf": [slower, faster], "examples": [1.1, 1.25]})
    }
}

/// How often to ask for nothing.
pub(crate) struct WarmUp(usize);

impl FromNode for WarmUp {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        reader.integer(node, 0, 1000).and_then(|number| usize::try_from(number).ok()).map(Self)
    }

    #[inline]
    fn schema() -> Json {
        json!({"type": "integer", "minimum": 0, "maximum": 1000})
    }
}
