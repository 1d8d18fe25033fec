//! `sweep:`: the settings of a configuration that `rankgate tune` tries.

use serde_json::{Value as Json, json};

use super::body::Body;
use super::command::check_variable;
use super::fusion::FusionPlan;
use super::template::Template;
use crate::error::Quoted;
use crate::fusion::{Fusion, FusionMethod, Norm};
use crate::mapping::{Field, FromNode, Reader, Rule, mapping};
use crate::order;
use crate::yaml::{Key, Kind, Node, Params, Problem, Scalar, Span, Value, all_of, nearest};
use crate::{Error, Result};

/// What can be swept of a fusion.
const OF_FUSIONS: [&str; 7] = ["weights", "method", "norm", "k", "sigma", "phi", "gamma"];
/// More values of one key are a mistake.
const MOST_VALUES: u64 = 1_000_000;
/// As many settings are looked at when the spec is read; the others once they are tried.
const CHECKED: u64 = 10_000;

mapping! {
    /// Numbers in equal steps.
    pub(super) struct RawRange as "a range" {
        /// The first number; 0 by default.
        "from" => from: RangeNumber,
        /// The last number; 1 by default.
        "to" => to: RangeNumber,
        /// The distance of two numbers, above 0.
        "step" => step: RangeNumber,
    }
    rules: [Rule::Required("step")]
}

/// A number of a range.
pub(super) struct RangeNumber(f64);

impl FromNode for RangeNumber {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        reader.number(node, "a number").map(Self)
    }

    #[inline]
    fn schema() -> Json {
        json!({"type": "number"})
    }
}

/// The values of one key, as they are written.
struct RawValues {
    key: Key,
    at: Span,
    values: Written,
}

enum Written {
    List(Vec<Node>),
    Range { numbers: Vec<f64>, step: f64 },
}

/// Keys with the values that are tried of each.
pub(super) struct RawSweep(Vec<RawValues>);

impl FromNode for RawSweep {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let Value::Map(entries) = &node.value else {
            return reader.expected(node, "a mapping from keys to the values that are tried");
        };
        if entries.is_empty() {
            return reader.refuse(node.span, "this sweep tries nothing");
        }
        let read: Vec<Option<RawValues>> = entries
            .iter()
            .map(|entry| {
                let values = written(&entry.value, reader)?;
                Some(RawValues { key: entry.key.clone(), at: entry.value.span, values })
            })
            .collect();
        read.into_iter().collect::<Option<_>>().map(Self)
    }

    #[inline]
    fn schema() -> Json {
        json!({
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {"anyOf": [RawRange::schema(), {"type": "array", "minItems": 1}]},
            "examples": [{"alpha": {"from": 0, "to": 1, "step": 0.1}}, {"k": [10, 60, 100]}],
        })
    }
}

fn written(node: &Node, reader: &mut Reader<'_>) -> Option<Written> {
    match &node.value {
        Value::List(items) if items.is_empty() => reader.refuse(node.span, "this list is empty"),
        Value::List(items) => Some(Written::List(items.to_vec())),
        Value::Map(_) => {
            let range = RawRange::from_node(node, reader)?;
            let number = |field: &Field<RangeNumber>, default: f64| match field {
                Field::Absent => Some(default),
                field => field.value().map(|number| number.0),
            };
            let (from, to) = (number(&range.from, 0.0)?, number(&range.to, 1.0)?);
            let step = range.step.value()?.0;
            numbers(from, to, step).map_or_else(
                |why| reader.refuse(node.span, why),
                |numbers| Some(Written::Range { numbers, step }),
            )
        }
        _ => reader.expected(node, "a list of values, or a range such as `{from: 0, to: 1, step: 0.1}`"),
    }
}

/// The numbers from one to another, each as it would be written.
fn numbers(from: f64, to: f64, step: f64) -> Result<Vec<f64>, String> {
    if step <= 0.0 {
        return Err(format!("a step is above 0, not {step}"));
    }
    if from > to {
        return Err(format!("`from` is {from}, and `to` is less, {to}"));
    }
    let steps = ((to - from) / step + 1e-9).floor();
    if steps >= MOST_VALUES as f64 {
        return Err(format!("more than {MOST_VALUES} values"));
    }
    // Without what 3 × 0.1 is more than 0.3 by.
    let rounded = |number: f64| {
        let scale = 10f64.powi(12 - number.abs().max(step).log10().ceil() as i32);
        (number * scale).round() / scale
    };
    Ok((0..=steps as u64).map(|at| rounded(from + at as f64 * step)).collect())
}

/// The settings of a configuration that are tried: all combinations of some values of some keys.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sweep {
    /// Keys with their values, in the order of the file.
    pub dimensions: Vec<SweepDimension>,
    /// The line of the spec it stands on, from 1.
    pub line: usize,
}

impl Sweep {
    /// More settings are tried on request only.
    pub const MOST_SETTINGS: u64 = 1_000;
    /// So are settings that take more questions to retrievers.
    pub const MOST_QUESTIONS: u64 = 100_000;
}

/// One key, and the values that are tried of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SweepDimension {
    /// The key.
    pub key: String,
    /// What the values are, as they would be written; at least one.
    pub labels: Vec<String>,
    values: Vec<SweepValue>,
}

#[derive(Clone, Debug)]
enum SweepValue {
    Param(Key, Node),
    Weights(Vec<f64>),
    Method(FusionMethod),
    Norms(Vec<Norm>),
    Parameter(f64),
    /// Of the environment of a program.
    Variable(Template),
    /// Of the request to a service.
    Part(Body),
}

impl Sweep {
    /// How many settings there are; the largest number where there are more.
    #[must_use]
    pub fn settings(&self) -> u64 {
        self.dimensions.iter().fold(1, |all: u64, one| all.saturating_mul(one.labels.len() as u64))
    }

    /// The positions of a setting's values, of which the last key's change first.
    fn positions(&self, mut number: u64) -> Vec<usize> {
        let mut positions = vec![0; self.dimensions.len()];
        for (position, dimension) in positions.iter_mut().zip(&self.dimensions).rev() {
            let values = dimension.labels.len() as u64;
            *position = (number % values) as usize;
            number /= values;
        }
        positions
    }

    /// The values of a setting as they would be written, in the order of the keys.
    #[must_use]
    pub fn labels(&self, number: u64) -> Vec<&str> {
        let chosen = self.positions(number).into_iter().zip(&self.dimensions);
        chosen.map(|(position, dimension)| dimension.labels[position].as_str()).collect()
    }
}

impl Sweep {
    /// A fusion in one of the settings, by number from 0.
    ///
    /// # Errors
    /// A setting that a fusion cannot have.
    pub(super) fn fusion(&self, plan: &FusionPlan, number: u64) -> Result<FusionPlan> {
        let mut setting = plan.clone();
        for value in self.values(number) {
            set(&mut setting.fusion, value);
        }
        setting.fusion.check(plan.sources.len()).map_err(|error| {
            let labels = self.dimensions.iter().zip(self.labels(number));
            let said: Vec<String> = labels.map(|(one, label)| format!("{} {label}", one.key)).collect();
            Error::invalid(format!("{}: {error}", said.join(", ")))
        })?;
        Ok(setting)
    }

    /// Parameters in one of the settings.
    pub(super) fn params(&self, params: &Params, number: u64) -> Params {
        self.values(number).fold(params.clone(), |params, value| match value {
            SweepValue::Param(key, node) => params.with(key, node),
            _ => params,
        })
    }

    /// The environment of a program in one of the settings.
    pub(super) fn environment(&self, env: &[(String, Template)], number: u64) -> Vec<(String, Template)> {
        let mut env = env.to_vec();
        for (key, value) in self.keys().zip(self.values(number)) {
            let SweepValue::Variable(value) = value else { continue };
            match env.iter_mut().find(|(name, _)| name == key) {
                Some((_, known)) => *known = value.clone(),
                None => env.push((key.to_owned(), value.clone())),
            }
        }
        env
    }

    /// The request to a service in one of the settings.
    pub(super) fn body(&self, body: &Body, number: u64) -> Body {
        let mut body = body.clone();
        for (key, value) in self.keys().zip(self.values(number)) {
            if let SweepValue::Part(part) = value {
                body.set(key, part);
            }
        }
        body
    }

    fn keys(&self) -> impl Iterator<Item = &str> {
        self.dimensions.iter().map(|one| one.key.as_str())
    }

    fn values(&self, number: u64) -> impl Iterator<Item = &SweepValue> {
        let chosen = self.positions(number).into_iter().zip(&self.dimensions);
        chosen.map(|(position, dimension)| &dimension.values[position])
    }

    /// What a fusion has for each key today; `None` for a key that is not written.
    pub(super) fn labels_of_fusion(&self, fusion: &Fusion) -> Vec<Option<String>> {
        let label = |dimension: &SweepDimension| match dimension.key.as_str() {
            "weights" if fusion.weights.is_empty() => None,
            "weights" => Some(label_of_numbers(&fusion.weights)),
            "method" => Some(fusion.method.to_string()),
            "norm" if fusion.norms.is_empty() => None,
            "norm" => Some(label_of_norms(&fusion.norms)),
            _ => fusion.parameter.or(fusion.method.parameter()?.default).map(|number| number.to_string()),
        };
        self.dimensions.iter().map(label).collect()
    }

    /// What the environment of a program has for each key today.
    pub(super) fn labels_of_environment(&self, env: &[(String, Template)]) -> Vec<Option<String>> {
        let label = |key| env.iter().find(|(name, _)| name == key).map(|(_, value)| value.to_string());
        self.keys().map(label).collect()
    }

    /// What the request to a service has for each key today; `None` for what depends on the query or the environment.
    pub(super) fn labels_of_body(&self, body: &Body) -> Vec<Option<String>> {
        self.keys().map(|key| body.fixed(key).map(label_of_json)).collect()
    }

    /// What parameters have for each key today.
    pub(super) fn labels_of_params(&self, params: &Params) -> Vec<Option<String>> {
        let params = params.to_json();
        self.dimensions.iter().map(|dimension| params.get(&dimension.key).map(label_of_json)).collect()
    }
}

fn set(fusion: &mut Fusion, value: &SweepValue) {
    match value {
        SweepValue::Weights(weights) => fusion.weights.clone_from(weights),
        SweepValue::Norms(norms) => fusion.norms.clone_from(norms),
        SweepValue::Parameter(parameter) => fusion.parameter = Some(*parameter),
        SweepValue::Method(method) => {
            // Who looks at ranks alone has no normalisation, and the others have one.
            if method.is_by_rank() || fusion.norms.is_empty() {
                fusion.norms = Fusion::new(*method).norms;
            }
            fusion.method = *method;
        }
        SweepValue::Param(..) | SweepValue::Variable(_) | SweepValue::Part(_) => {}
    }
}

/// What can be swept of a configuration.
pub(super) enum Sweepable<'a> {
    Params,
    Fusion(&'a FusionPlan),
    Environment(&'a [(String, Template)]),
    Body(&'a Body),
    Nothing,
}

impl RawSweep {
    /// The settings; `None` where something is wrong, which has been reported.
    pub(super) fn check(self, key: Span, of: &Sweepable<'_>, reader: &mut Reader<'_>) -> Option<Sweep> {
        let line = reader.source.position(key).0;
        let mut dimensions = Vec::with_capacity(self.0.len());
        for values in self.0 {
            dimensions.push(match of {
                Sweepable::Params => values.of_params(),
                Sweepable::Fusion(plan) => values.of_fusion(plan, reader)?,
                Sweepable::Environment(env) => values.of_environment(env, reader)?,
                Sweepable::Body(body) => values.of_body(body, reader)?,
                Sweepable::Nothing => {
                    let problem = Problem::new(key, "a run that is there already has no settings to try");
                    reader.report(problem.help(
                        "`sweep` goes with `builtin`, `retriever`, `command`, `http` and `fuse`, which are asked or computed",
                    ));
                    return None;
                }
            });
        }
        // A method is set before what it takes.
        order::sort_by_key(&mut dimensions, |dimension: &SweepDimension| dimension.key != "method");
        for dimension in &dimensions {
            let mut sorted: Vec<&String> = dimension.labels.iter().collect();
            sorted.sort_unstable();
            if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                return reader.refuse(key, format!("`{}` tries {} twice", dimension.key, twice[0]));
            }
        }
        let sweep = Sweep { dimensions, line };
        if let Sweepable::Fusion(plan) = of {
            let settings = sweep.settings().min(CHECKED);
            let fault = (0..settings).find_map(|number| sweep.fusion(plan, number).err());
            fault.map_or(Some(()), |error| reader.refuse(key, error.to_string()))?;
        }
        Some(sweep)
    }
}

impl RawValues {
    /// The values as they would be written.
    fn nodes(&self) -> Vec<Node> {
        let node = |number: &f64| {
            let scalar = Scalar { text: number.to_string().into(), kind: Kind::Plain };
            Node { span: self.at, value: Value::Scalar(scalar) }
        };
        match &self.values {
            Written::List(nodes) => nodes.clone(),
            Written::Range { numbers, .. } => numbers.iter().map(node).collect(),
        }
    }

    /// The values of a variable.
    fn of_environment(self, env: &[(String, Template)], reader: &mut Reader<'_>) -> Option<SweepDimension> {
        let key = self.key.text.to_string();
        check_variable(&key, self.key.span, reader)?;
        let names = || env.iter().map(|(name, _)| name.as_str());
        if !names().any(|name| name == key) {
            let problem = Problem::new(self.key.span, format!("`env` has no variable {}", Quoted(&key)));
            reader.report(problem.help(match nearest(&key, names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "what is tried stands in `env` with its value of today".to_owned(),
            }));
            return None;
        }
        let read = |node: &Node, reader: &mut Reader<'_>| {
            let value = reader.read::<Template>(node)?;
            Some((value.to_string(), SweepValue::Variable(value)))
        };
        let (labels, values) = read_all(&self.nodes(), reader, read)?.into_iter().unzip();
        Some(SweepDimension { key, labels, values })
    }

    /// The values of a part of the request to a service.
    fn of_body(self, body: &Body, reader: &mut Reader<'_>) -> Option<SweepDimension> {
        let key = self.key.text.to_string();
        if !body.has(&key) {
            let problem = Problem::new(self.key.span, format!("`body` has nothing at {}", Quoted(&key)));
            reader.report(
                problem.help("a key is a JSON pointer to what the body has today, such as `/ranker/alpha`"),
            );
            return None;
        }
        let read = |node: &Node, reader: &mut Reader<'_>| {
            let part = reader.read::<Body>(node)?;
            Some((label_of_json(&node.to_json()), SweepValue::Part(part)))
        };
        let (labels, values) = read_all(&self.nodes(), reader, read)?.into_iter().unzip();
        Some(SweepDimension { key, labels, values })
    }

    fn of_params(self) -> SweepDimension {
        let nodes = self.nodes();
        let labels = nodes.iter().map(|node| label_of_json(&node.to_json())).collect();
        let values = nodes.into_iter().map(|node| SweepValue::Param(self.key.clone(), node)).collect();
        SweepDimension { key: self.key.text.to_string(), labels, values }
    }

    fn of_fusion(self, plan: &FusionPlan, reader: &mut Reader<'_>) -> Option<SweepDimension> {
        let key = self.key.text.to_string();
        let sources = plan.sources.len();
        let (labels, values): (Vec<String>, Vec<SweepValue>) = match (key.as_str(), self.values) {
            ("weights", Written::Range { numbers, step }) => {
                weights(sources, &numbers, step).map_or_else(|why| reader.refuse(self.at, why), Some)?
            }
            ("weights", Written::List(nodes)) => {
                let read = |node: &Node, reader: &mut Reader<'_>| {
                    let Value::List(items) = &node.value else {
                        return reader.expected(node, "a list of weights, one for each ranking");
                    };
                    let weights: Option<Vec<f64>> =
                        items.iter().map(|item| reader.number(item, "a weight")).collect();
                    weights.map(|weights| (label_of_numbers(&weights), SweepValue::Weights(weights)))
                };
                read_all(&nodes, reader, read)?.into_iter().unzip()
            }
            ("method", Written::List(nodes)) => {
                let read = |node: &Node, reader: &mut Reader<'_>| {
                    let method = reader.read::<FusionMethod>(node)?;
                    Some((method.to_string(), SweepValue::Method(method)))
                };
                read_all(&nodes, reader, read)?.into_iter().unzip()
            }
            ("norm", Written::List(nodes)) => {
                let read = |node: &Node, reader: &mut Reader<'_>| {
                    let norms: Option<Vec<Norm>> = match &node.value {
                        Value::List(items) => items.iter().map(|item| reader.read(item)).collect(),
                        _ => reader.read(node).map(|norm| vec![norm]),
                    };
                    norms.map(|norms| (label_of_norms(&norms), SweepValue::Norms(norms)))
                };
                read_all(&nodes, reader, read)?.into_iter().unzip()
            }
            ("k" | "sigma" | "phi" | "gamma", Written::Range { numbers, .. }) => {
                numbers.into_iter().map(|number| (number.to_string(), SweepValue::Parameter(number))).unzip()
            }
            ("k" | "sigma" | "phi" | "gamma", Written::List(nodes)) => {
                let read = |node: &Node, reader: &mut Reader<'_>| {
                    let number = reader.number(node, "a number")?;
                    Some((number.to_string(), SweepValue::Parameter(number)))
                };
                read_all(&nodes, reader, read)?.into_iter().unzip()
            }
            ("method" | "norm", Written::Range { .. }) => {
                return reader.refuse(self.at, format!("`{key}` takes a list of words"));
            }
            _ => {
                let problem = Problem::new(self.key.span, format!("a fusion has no {} to try", Quoted(&key)));
                reader.report(problem.help(format!("there is {}", all_of(OF_FUSIONS))));
                return None;
            }
        };
        Some(SweepDimension { key, labels, values })
    }
}

fn read_all<T>(
    nodes: &[Node],
    reader: &mut Reader<'_>,
    read: impl Fn(&Node, &mut Reader<'_>) -> Option<T>,
) -> Option<Vec<T>> {
    let all: Vec<Option<T>> = nodes.iter().map(|node| read(node, reader)).collect();
    all.into_iter().collect()
}

/// All weights that sum to 1; of two rankings the second has the numbers of the range, of more each has multiples of the step.
fn weights(sources: usize, numbers: &[f64], step: f64) -> Result<(Vec<String>, Vec<SweepValue>), String> {
    let out_of_range = numbers.iter().find(|number| !(0.0..=1.0).contains(*number));
    if let Some(number) = out_of_range {
        return Err(format!("weights in a range are shares from 0 to 1, not {number}"));
    }
    let all: Vec<Vec<f64>> = if sources == 2 {
        numbers.iter().map(|number| vec![((1.0 - number) * 1e12).round() / 1e12, *number]).collect()
    } else {
        let parts = (1.0 / step).round();
        if (parts * step - 1.0).abs() > 1e-9 || numbers.first() != Some(&0.0) || numbers.last() != Some(&1.0)
        {
            return Err(format!(
                "the weights of {sources} rankings go from 0 to 1 in steps that divide 1, such as `{{step: 0.1}}`"
            ));
        }
        let mut all = Vec::new();
        compositions(parts as u64, sources, &mut Vec::new(), &mut all)?;
        all.into_iter().map(|shares| shares.into_iter().map(|share| share as f64 / parts).collect()).collect()
    };
    Ok(all.into_iter().map(|weights| (label_of_numbers(&weights), SweepValue::Weights(weights))).unzip())
}

/// All ways to write a number as an ordered sum of so many numbers from 0.
fn compositions(
    left: u64,
    parts: usize,
    chosen: &mut Vec<u64>,
    all: &mut Vec<Vec<u64>>,
) -> Result<(), String> {
    if all.len() as u64 >= MOST_VALUES {
        return Err(format!("more than {MOST_VALUES} weights"));
    }
    if parts == 1 {
        all.push(chosen.iter().copied().chain([left]).collect());
        return Ok(());
    }
    for share in (0..=left).rev() {
        chosen.push(share);
        compositions(left - share, parts - 1, chosen, all)?;
        chosen.pop();
    }
    Ok(())
}

fn label_of_numbers(numbers: &[f64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    format!("[{}]", numbers.join(", "))
}

fn label_of_norms(norms: &[Norm]) -> String {
    match norms {
        [norm] => norm.to_string(),
        norms => format!("[{}]", norms.iter().map(|norm| norm.as_str()).collect::<Vec<_>>().join(", ")),
    }
}

fn label_of_json(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_range_are_those_that_one_would_write() {
        assert_eq!(numbers(0.0, 1.0, 0.1).unwrap(), [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]);
        assert_eq!(numbers(10.0, 25.0, 10.0).unwrap(), [10.0, 20.0]);
        assert_eq!(numbers(-0.3, 0.3, 0.3).unwrap(), [-0.3, 0.0, 0.3]);
        assert_eq!(numbers(5.0, 5.0, 1.0).unwrap(), [5.0]);
        for (from, to, step, expected) in [
            (0.0, 1.0, 0.0, "a step is above 0, not 0"),
            (0.0, 1.0, -0.1, "a step is above 0, not -0.1"),
            (1.0, 0.0, 0.1, "`from` is 1, and `to` is less, 0"),
            (0.0, 1e9, 1e-3, "more than 1000000 values"),
        ] {
            assert_eq!(numbers(from, to, step).unwrap_err(), expected);
        }
    }

    /// Three rankings in tenths: 12 choose 2 settings.
    #[test]
    fn weights_of_three_rankings_are_all_that_sum_to_one() {
        let (labels, values) = weights(3, &numbers(0.0, 1.0, 0.1).unwrap(), 0.1).unwrap();
        assert_eq!(labels.len(), 66);
        assert_eq!((labels[0].as_str(), labels[65].as_str()), ("[1, 0, 0]", "[0, 0, 1]"));
        for value in values {
            let SweepValue::Weights(weights) = value else { panic!() };
            assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
        assert!(weights(3, &numbers(0.0, 1.0, 0.3).unwrap(), 0.3).is_err());
        assert_eq!(weights(2, &[0.3], 0.1).unwrap().0, ["[0.7, 0.3]"]);
        assert!(weights(2, &[1.5], 0.5).is_err());
    }
}
