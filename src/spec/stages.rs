//! `stages:`: the rankings that a pipeline hands on from one stage to the next.

use serde_json::{Value as Json, json};

use super::scalar::Name;
use crate::error::Quoted;
use crate::mapping::{FieldValue, FromNode, Reader, Spanned};
use crate::order::SmallMap;
use crate::yaml::{Node, Problem, Span, Value};

/// More stages are a mistake.
const MOST: usize = 20;

/// The stages of a pipeline in the order in which documents pass them; those that run side by side are one step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stages(Vec<Vec<String>>);

impl Stages {
    /// The steps, each with the names of its stages; none where there are no stages.
    #[must_use]
    pub fn steps(&self) -> &[Vec<String>] {
        &self.0
    }

    /// The names of all stages.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flatten().map(String::as_str)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The list of stages as it is written.
pub(super) struct RawStages(pub(super) Vec<Vec<Spanned<Name>>>);

impl RawStages {
    pub(super) fn names(&self) -> impl Iterator<Item = &Spanned<Name>> {
        self.0.iter().flatten()
    }
}

impl FromNode for RawStages {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let Value::List(items) = &node.value else {
            return reader.expected(node, "a list of stages, such as `[candidates, fused]`");
        };
        if items.is_empty() {
            return reader.refuse(node.span, "no stage: leave `stages` out");
        }
        let name = |node: &Node, reader: &mut Reader<'_>| {
            Some(Spanned { at: node.span, value: Name::from_node(node, reader)? })
        };
        let step = |item: &Node, reader: &mut Reader<'_>| match &item.value {
            Value::List(names) if names.is_empty() => reader.refuse(item.span, "no stage in this step"),
            Value::List(names) => {
                let names: Vec<_> = names.iter().map(|one| name(one, reader)).collect();
                names.into_iter().collect::<Option<Vec<_>>>()
            }
            _ => name(item, reader).map(|one| vec![one]),
        };
        let steps: Vec<_> = items.iter().map(|item| step(item, reader)).collect();
        let stages = Self(steps.into_iter().collect::<Option<_>>()?);
        let mut known: SmallMap<&str, Span> = SmallMap::default();
        for (count, one) in stages.names().enumerate() {
            if count == MOST {
                return reader.refuse(node.span, format!("more than {MOST} stages"));
            }
            if let Some(first) = known.insert(&one.value.0, one.at) {
                let problem =
                    Problem::new(one.at, format!("the stage {} stands here twice", Quoted(&one.value.0)));
                reader.report(problem.related(first, "there already"));
                return None;
            }
        }
        Some(stages)
    }

    #[inline]
    fn schema() -> Json {
        let step =
            json!({"anyOf": [Name::schema(), {"type": "array", "minItems": 1, "items": Name::schema()}]});
        json!({
            "type": "array",
            "minItems": 1,
            "maxItems": MOST,
            "items": step,
            "examples": [["candidates"], [["bm25", "dense"], "fused"]],
        })
    }
}

/// The stages of a configuration; of a service those that it points at, in another order where `given` says one.
pub(super) fn check(
    given: Option<&FieldValue<RawStages>>,
    pointers: Option<&[String]>,
    reader: &mut Reader<'_>,
) -> Option<Stages> {
    let Some(given) = given else {
        return Some(Stages(pointers.unwrap_or_default().iter().map(|name| vec![name.clone()]).collect()));
    };
    if let Some(pointers) = pointers {
        let lacking = given.value.names().find(|one| !pointers.contains(&one.value.0));
        if let Some(Spanned { at, value }) = lacking {
            let problem = Problem::new(*at, format!("nothing says where the stage {} is", Quoted(&value.0)));
            reader.report(
                problem.help(format!(
                    "add it under `http`, as in `stages: {{{}: /debug/{}}}`",
                    value.0, value.0
                )),
            );
            return None;
        }
        let named = |name: &&String| given.value.names().any(|one| one.value.0 == **name);
        if let Some(left) = pointers.iter().find(|name| !named(name)) {
            let problem =
                Problem::new(given.at, format!("the stage {} of `http` is not among these", Quoted(left)));
            reader.report(
                problem.help("`stages` gives all of them, in the order in which documents pass them"),
            );
            return None;
        }
    }
    let step = |names: &Vec<Spanned<Name>>| names.iter().map(|one| one.value.0.clone()).collect();
    Some(Stages(given.value.0.iter().map(step).collect()))
}
