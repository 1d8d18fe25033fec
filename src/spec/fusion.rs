//! `fuse:`: a configuration whose rankings are those of others, fused.

use std::borrow::Cow;
use std::fmt;

use serde_json::{Value as Json, json};

use super::names::Names;
use super::scalar::{Reference, read_words};
use crate::Result;
use crate::error::Quoted;
use crate::fusion::{Fusion, FusionMethod, Norm};
use crate::mapping::{Field, FieldValue, FromNode, OneOrMany, Reader, Spanned};
use crate::run::Run;
use crate::yaml::{Node, Problem, Span, Value};

read_words!(FusionMethod, Norm);

/// A number that a method takes.
#[derive(Clone, Copy)]
pub(super) struct Number(pub(super) f64);

impl FromNode for Number {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        reader.number(node, "a number").map(Self)
    }

    #[inline]
    fn schema() -> Json {
        json!({"type": "number"})
    }
}

/// One value for all sources, or a list with one for each.
pub(super) struct PerSource<T>(Vec<T>);

impl<T: FromNode> FromNode for PerSource<T> {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let nodes = match &node.value {
            Value::List(items) => &items[..],
            _ => std::slice::from_ref(node),
        };
        if nodes.is_empty() {
            return reader.refuse(node.span, "this list is empty");
        }
        let read: Vec<Option<T>> = nodes.iter().map(|node| reader.read(node)).collect();
        read.into_iter().collect::<Option<_>>().map(Self)
    }

    #[inline]
    fn schema() -> Json {
        json!({"anyOf": [T::schema(), {"type": "array", "items": T::schema(), "minItems": 1}]})
    }
}

/// The keys of a configuration that say how others are fused.
pub(super) struct RawFusion {
    pub(super) fuse: FieldValue<OneOrMany<Reference>>,
    pub(super) method: Field<FusionMethod>,
    pub(super) norm: Field<PerSource<Norm>>,
    pub(super) weights: Field<PerSource<Number>>,
    pub(super) depth: Option<usize>,
    /// `k`, `sigma`, `phi` and `gamma`, of which a method has one at most.
    pub(super) parameters: [(&'static str, Field<Number>); 4],
}

/// Rankings of other configurations that are fused.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FusionPlan {
    /// The names of the configurations, at least two and all different.
    pub sources: Vec<String>,
    /// How they are fused.
    pub fusion: Fusion,
    /// How many results of each ranking are fused; `None`: all that were asked for.
    pub depth: Option<usize>,
}

impl FusionPlan {
    /// Fuses the runs of its sources, given in their order with what each answered once or several times. A source that
    /// answered once stands in every pass.
    ///
    /// # Errors
    /// Runs that cannot be fused; sources that answered several times, and not equally often.
    pub fn fuse(&self, answers: &[Vec<Run>]) -> Result<Vec<Run>> {
        self.fuse_passes(answers, 1)
    }

    /// The same where every pass is so many runs, one for each of the texts that stand for a query.
    ///
    /// # Errors
    /// As for [`fuse`](Self::fuse).
    pub(crate) fn fuse_passes(&self, answers: &[Vec<Run>], each: usize) -> Result<Vec<Run>> {
        let most = answers.iter().map(Vec::len).max().unwrap_or(0);
        let odd = answers.iter().position(|runs| runs.len() != most && runs.len() != each);
        if let Some(odd) = odd {
            // What was recorded with other variants is none of these passes.
            let is_whole = |runs: &Vec<Run>| runs.len().is_multiple_of(each);
            let each = if answers.iter().all(is_whole) { each.max(1) } else { 1 };
            let other = answers.iter().position(|runs| runs.len() == most).unwrap_or(odd);
            return Err(crate::Error::invalid(format!(
                "{} answered {} times and {} {} times: give them the same `repeats`, or one of them none",
                Quoted(&self.sources[odd]),
                answers[odd].len() / each,
                Quoted(&self.sources[other]),
                most / each,
            )));
        }
        let of_text = |text: usize| {
            let runs = answers.iter().filter_map(|runs| runs.get(text).or_else(|| runs.get(text % each)));
            let cut: Vec<Cow<'_, Run>> = runs.map(|run| self.cut(run)).collect();
            let named = self.sources.iter().map(String::as_str).zip(cut.iter().map(AsRef::as_ref));
            self.fusion.fuse(&named.collect::<Vec<(&str, &Run)>>())
        };
        (0..most).map(of_text).collect()
    }

    /// What of a source's rankings is fused.
    fn cut<'a>(&self, run: &'a Run) -> Cow<'a, Run> {
        match self.depth {
            None => Cow::Borrowed(run),
            Some(depth) => {
                let mut run = run.clone();
                run.truncate(depth);
                Cow::Owned(run)
            }
        }
    }

    /// The same of the sources under a variant.
    pub(super) fn under(&self, variant: &str) -> Self {
        let sources = self.sources.iter().map(|name| format!("{name}@{variant}")).collect();
        Self { sources, ..self.clone() }
    }

    /// What its rankings depend on beside those of the sources.
    pub(crate) fn to_json(&self) -> Json {
        let Fusion { method, norms, weights, parameter, .. } = &self.fusion;
        json!({
            "fuse": self.sources, "method": method, "norm": norms, "weights": weights, "parameter": parameter, "depth": self.depth,
        })
    }
}

/// In a few words: `rrf (k 60) of bm25, dense`.
impl fmt::Display for FusionPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "fusion {} from {}", self.fusion, self.sources.join(", "))
    }
}

impl RawFusion {
    /// The plan; `None` where something is wrong, which has been reported.
    pub(super) fn check(self, names: &Names<'_>, reader: &mut Reader<'_>) -> Option<FusionPlan> {
        let sources = check_sources(&self.fuse, names, reader);
        let broken = matches!(self.method, Field::Broken)
            || matches!(self.norm, Field::Broken)
            || matches!(self.weights, Field::Broken)
            || self.parameters.iter().any(|(_, field)| matches!(field, Field::Broken));
        if broken {
            return None;
        }
        let method = self.method.value().copied().unwrap_or_default();
        let mut fusion = Fusion::new(method);
        let mut at = self.method.field_value().map_or(self.fuse.at, |given| given.at);
        if let Some(given) = self.norm.field_value() {
            fusion.norms = given.value.0.clone();
            at = given.at;
        }
        let own = method.parameter().map(|parameter| parameter.name);
        for (name, field) in &self.parameters {
            let Some(given) = field.field_value() else { continue };
            if own != Some(name) {
                let problem =
                    Problem::new(given.key, format!("`{name}` does not go with `method: {method}`"));
                let taker = FusionMethod::ALL
                    .into_iter()
                    .find(|one| one.parameter().is_some_and(|it| it.name == *name));
                reader.report(problem.help(format!("it goes with `{}`", taker.unwrap_or_default())));
                return None;
            }
            fusion.parameter = Some(given.value.0);
            at = given.at;
        }
        if let Some(given) = self.weights.field_value() {
            fusion.weights = given.value.0.iter().map(|weight| weight.0).collect();
            at = given.at;
        }
        let sources = sources?;
        if let Err(error) = fusion.check(sources.len()) {
            return reader
                .refuse(self.place_of_fault(&fusion, sources.len()).unwrap_or(at), error.to_string());
        }
        Some(FusionPlan { sources, fusion, depth: self.depth })
    }

    /// Where the key stands without which the fusion would be sound.
    fn place_of_fault(&self, fusion: &Fusion, sources: usize) -> Option<Span> {
        let default = Fusion::new(fusion.method);
        let is_sound_with = |change: &dyn Fn(&mut Fusion)| {
            let mut other = fusion.clone();
            change(&mut other);
            other.check(sources).is_ok()
        };
        let parameter = self.parameters.iter().find_map(|(_, field)| field.field_value());
        let weights = self.weights.field_value().map(|given| given.at);
        let norm = self.norm.field_value().map(|given| given.at);
        weights
            .filter(|_| is_sound_with(&|other| other.weights.clone_from(&default.weights)))
            .or_else(|| norm.filter(|_| is_sound_with(&|other| other.norms.clone_from(&default.norms))))
            .or_else(|| {
                parameter.map(|given| given.at).filter(|_| is_sound_with(&|other| other.parameter = None))
            })
    }
}

/// The names of the configurations that are fused.
fn check_sources(
    fuse: &FieldValue<OneOrMany<Reference>>,
    names: &Names<'_>,
    reader: &mut Reader<'_>,
) -> Option<Vec<String>> {
    let mut known: Vec<String> = Vec::new();
    let mut sound = true;
    for Spanned { at, value } in &fuse.value.0 {
        if value.0.split_once('@').is_some_and(|(_, behind)| names.is_variant(behind)) {
            let problem = Problem::new(*at, "`fuse` names configurations, not their variants");
            reader.report(problem.help(
                "under a variant the fusion of what its configurations answer under it is made by itself",
            ));
            sound = false;
        } else if let Some(name) = names.check(&value.0, *at, reader) {
            known.push(name);
        } else {
            sound = false;
        }
    }
    if sound && known.len() < 2 {
        let problem = Problem::new(fuse.at, "a fusion needs at least two configurations");
        reader.report(problem.help("as in `fuse: [bm25, dense]`"));
        sound = false;
    }
    sound.then_some(known)
}

/// The fusions that a stage is a part of, over all rounds, given what each is made of.
pub(super) fn of_stages(fusions: &[(&str, Span, Vec<&str>)]) -> Vec<String> {
    let mut found: Vec<&str> = Vec::new();
    // Fusions of fusions take a step each.
    loop {
        let is_of_stages = |source: &&str| source.contains('@') || found.contains(source);
        let more = fusions
            .iter()
            .filter(|(name, _, sources)| !found.contains(name) && sources.iter().any(is_of_stages));
        let more: Vec<&str> = more.map(|(name, ..)| *name).collect();
        if more.is_empty() {
            return found.into_iter().map(ToOwned::to_owned).collect();
        }
        found.extend(more);
    }
}

/// Whether no fusion is made of itself, which is reported otherwise; given each fusion's name with its place and what it is
/// made of.
pub(super) fn check_rounds(fusions: &[(&str, Span, Vec<&str>)], reader: &mut Reader<'_>) -> bool {
    // Of a round the first in the file is reported.
    let mut reported: Vec<&str> = Vec::new();
    for (name, at, _) in fusions {
        let mut path = vec![*name];
        if !reported.contains(name) && leads_back(name, name, fusions, &mut path) {
            let message = match path.len() {
                1 => format!("{} is fused with itself", Quoted(name)),
                _ => {
                    let path: Vec<String> =
                        path.iter().chain([name]).map(|one| Quoted(one).to_string()).collect();
                    format!("fusions in a round: {}", path.join(" is made of "))
                }
            };
            reader.report(Problem::new(*at, message));
            reported.extend(path);
        }
    }
    reported.is_empty()
}

/// Whether a fusion is made, over others, of `target`; the path there is left in `path`.
fn leads_back<'a>(
    name: &str,
    target: &str,
    fusions: &[(&'a str, Span, Vec<&'a str>)],
    path: &mut Vec<&'a str>,
) -> bool {
    let sources = fusions.iter().find(|(one, ..)| *one == name).map(|(.., sources)| sources);
    sources.into_iter().flatten().any(|source| {
        if *source == target {
            return true;
        }
        if path.contains(source) || !fusions.iter().any(|(one, ..)| one == source) {
            return false;
        }
        path.push(source);
        let found = leads_back(source, target, fusions, path);
        if !found {
            path.pop();
        }
        found
    })
}
