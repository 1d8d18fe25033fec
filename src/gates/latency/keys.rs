//! `latency:`: limits on the time that answers take.

use std::sync::Arc;
use std::time::Duration;

use crate::gate::{GateKind, Inconclusive, LatencyGate, LatencyLimit, Level, latency_name};
use crate::mapping::{Field, FromNode, OneOrMany, Reader, Rule, mapping};
use crate::spec::Configuration;
use crate::spec::gates::{GateContext, GateEntry, Gates, RawEntry};
use crate::spec::scalar::{Label, Reference};
use crate::stats::Quantile;
use crate::yaml::{Node, Problem, Span};

mapping! {
    /// A limit on answer times: a time on this machine (`max`), or a ratio to another configuration in the same process
    /// (`max-ratio`).
    pub(crate) struct RawLatency as "a latency gate", "{quantile: p95, max: 50ms}" {
        /// The quantile that `max` limits: `p50` is the median, and one answer in twenty takes longer than `p95`.
        "quantile" => quantile: Quantile,
        /// The longest time that passes, such as `50ms`. It depends on the machine, so the gate only advises unless you
        /// add `level: blocking`.
        "max" => max: Duration,
        /// The configurations that `max` applies to. All but frozen runs by default.
        "for" => configurations: OneOrMany<Reference>,
        /// How many times as long as `baseline` the `candidate` may take: 1.1 is a tenth longer, and 0.8 requires it to
        /// be faster.
        "max-ratio" => max_ratio: Ratio,
        /// The configuration that `max-ratio` applies to.
        "candidate" => candidate: Reference,
        /// The configuration that is asked in turns with the candidate.
        "baseline" => baseline: Reference,
        /// What an inconclusive result does: `fail` (default) or `warn`.
        "inconclusive" => inconclusive: Inconclusive,
        /// Whether it can fail the build: `blocking`, the default for a ratio, or `advisory`, the default for `max`.
        "level" => level: Level,
        /// Distinguishes it from another latency gate; part of the test's name.
        "name" => name: Label,
    }
    rules: [
        Rule::ExactlyOne(&["max", "max-ratio"]),
        Rule::Beside { key: "quantile", one_of: &["max"], because: "a ratio compares the times query by query" },
        Rule::Beside { key: "for", one_of: &["max"], because: "a ratio is that of one `candidate` to one `baseline`" },
        Rule::Beside { key: "candidate", one_of: &["max-ratio"], because: "`max` applies to the configurations under `for`" },
        Rule::Beside { key: "baseline", one_of: &["max-ratio"], because: "`max` compares nothing" },
    ]
}

impl RawEntry for RawLatency {
    type Checked = LatencyGate;

    fn check(self, at: Span, context: &GateContext<'_>, reader: &mut Reader<'_>) -> Option<Vec<LatencyGate>> {
        let is_live = |name: &str| {
            let mut all = context.configurations.iter().copied().flatten();
            all.find(|one| one.name == name).is_none_or(Configuration::is_live)
        };
        let check = |name: &str, at: Span, reader: &mut Reader<'_>| {
            let name = context.names.check(name, at, reader)?;
            if is_live(&name) {
                return Some(name);
            }
            let message = format!("`{name}` is a frozen run, and reading a file takes no time to answer");
            let help = "name configurations that are asked: `retriever`, `builtin`, `command` or `http`";
            reader.report(Problem::new(at, message).help(help));
            None
        };
        let is_ratio = !self.max_ratio.is_absent();
        let needed: &[(&str, bool)] = match is_ratio {
            true => &[("candidate", self.candidate.is_absent()), ("baseline", self.baseline.is_absent())],
            false => &[("quantile", self.quantile.is_absent())],
        };
        for (key, _) in needed.iter().filter(|(_, is_absent)| *is_absent) {
            let kind = if is_ratio { "max-ratio" } else { "max" };
            reader.report(Problem::new(at, format!("a `{kind}` needs a `{key}`")));
        }
        let (configurations, limit) = if is_ratio {
            let checked = |field: &Field<Reference>, reader: &mut Reader<'_>| {
                let given = field.field_value()?;
                Some((check(&given.value.0, given.at, reader)?, given.at))
            };
            let candidate = checked(&self.candidate, reader);
            let baseline = checked(&self.baseline, reader);
            let ((candidate, first), (baseline, second)) = (candidate?, baseline?);
            if candidate == baseline {
                let problem = Problem::new(second, format!("`{baseline}` is compared with itself"));
                reader.report(problem.related(first, "the candidate"));
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
                Field::Absent => context.names.all()?.iter().filter(|name| is_live(name)).cloned().collect(),
            };
            if given.is_empty() {
                let message =
                    "every configuration is a frozen run, and reading a file takes no time to answer";
                return reader.refuse(at, message);
            }
            let (quantile, max) = (self.quantile.into_value()?, self.max.into_value()?);
            (given, LatencyLimit::Max { quantile, max })
        };
        let level = if is_ratio { Level::Blocking } else { Level::Advisory };
        Some(vec![LatencyGate {
            limit,
            configurations,
            inconclusive: self.inconclusive.into_value().unwrap_or_default(),
            level: self.level.into_value().unwrap_or(level),
            name: self.name.into_value().map(|name| name.0),
        }])
    }
}

impl GateEntry for LatencyGate {
    /// One gate per configuration.
    fn expand(&self, _: usize, at: Span, benchmark: &str, gates: &mut Gates<'_, '_>) {
        let gate = Arc::new(self.clone());
        for configuration in &self.configurations {
            let (quantile, baseline) = match &self.limit {
                LatencyLimit::Max { quantile, .. } => (Some(*quantile), None),
                LatencyLimit::MaxRatio { baseline, .. } => (None, Some(baseline.as_str())),
            };
            let name = latency_name(benchmark, configuration, quantile, baseline, self.name.as_deref());
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
        reader.report(problem.help("quantiles are written `p50`, `p95` or `p99.9`"));
        None
    }
}

/// How many times as long.
pub(crate) struct Ratio(f64);

impl FromNode for Ratio {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let ratio = reader.number(node, "a ratio such as 1.1")?;
        if (0.1..=10.0).contains(&ratio) && !(0.99..1.01).contains(&ratio) {
            return Some(Self(ratio));
        }
        let message =
            format!("a `max-ratio` is from 0.1 to 10 and differs from 1 by a hundredth, not {ratio}");
        let help =
            "write how much longer may pass, such as 1.1, or how much faster it has to be, such as 0.8";
        reader.report(Problem::new(node.span, message).help(help));
        None
    }
}
