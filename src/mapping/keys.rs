//! Mappings with known keys: the keys, their documentation, how they are read and, in tests, how the schema
//! describes them come from one declaration.

use super::read::{FromNode, Reader};
use crate::error::Quoted;
use crate::order;
use crate::yaml::{Entry, Node, Problem, Span, Value, all_of, any_of, nearest};

/// The value of a key.
pub(crate) enum Field<T> {
    /// The key is not there.
    Absent,
    /// The key is there and its value cannot be read, which has been reported.
    Broken,
    Given(FieldValue<T>),
}

/// A value with its place and that of its key.
pub(crate) struct FieldValue<T> {
    pub(crate) key: Span,
    pub(crate) at: Span,
    pub(crate) value: T,
}

impl<T> Field<T> {
    pub(crate) fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    pub(crate) fn field_value(&self) -> Option<&FieldValue<T>> {
        match self {
            Self::Given(given) => Some(given),
            Self::Absent | Self::Broken => None,
        }
    }

    pub(crate) fn value(&self) -> Option<&T> {
        self.field_value().map(|given| &given.value)
    }

    /// What it holds, which is then no longer there.
    pub(crate) fn take(&mut self) -> Option<T> {
        std::mem::replace(self, Self::Absent).into_value()
    }

    pub(crate) fn into_value(self) -> Option<T> {
        match self {
            Self::Given(given) => Some(given.value),
            Self::Absent | Self::Broken => None,
        }
    }
}

/// What keys a mapping has.
pub(crate) struct Shape {
    /// What it is, for messages: `a threshold`.
    pub(crate) what: &'static str,
    /// One as it may be written; empty where a message needs none.
    pub(crate) example: &'static str,
    /// Every key, with its other spellings.
    pub(crate) keys: &'static [&'static [&'static str]],
    pub(crate) rules: &'static [Rule],
}

/// What must hold between the keys of a mapping.
pub(crate) enum Rule {
    /// The key is there.
    Required(&'static str),
    /// One of these keys is there, and no more.
    ExactlyOne(&'static [&'static str]),
    /// At least one of these keys is there.
    AtLeastOne(&'static [&'static str]),
    /// The key stands only beside one of the others.
    Beside { key: &'static str, one_of: &'static [&'static str], because: &'static str },
}

/// A mapping whose unknown and missing keys have been reported.
pub(crate) struct Keys<'n>(&'n [Entry]);

impl<'n> Keys<'n> {
    /// `None` where the node is no mapping.
    pub(crate) fn open(node: &'n Node, shape: &Shape, reader: &mut Reader<'_>) -> Option<Self> {
        let Value::Map(entries) = &node.value else {
            return reader.expected_such_as(
                node,
                &format!("{}, which is a mapping", shape.what),
                shape.example,
            );
        };
        let known = || shape.keys.iter().flat_map(|spellings| spellings.iter().copied());
        let mut meant = Vec::new();
        for entry in entries.iter().filter(|entry| !known().any(|key| *key == *entry.key.text)) {
            let message = format!("unknown key {} in {}", Quoted(&entry.key.text), shape.what);
            if reader.found.is_full() {
                reader.report(Problem::new(entry.key.span, message));
                continue;
            }
            let near = nearest(&entry.key.text, known());
            let help = match near {
                Some(key) => format!("did you mean `{key}`?"),
                None => format!("the keys are {}", all_of(shape.keys.iter().map(|spellings| spellings[0]))),
            };
            meant.extend(near);
            reader.report(Problem::new(entry.key.span, message).help(help));
        }
        let keys = Self(entries);
        keys.check_required(shape, node, &meant, reader);
        for rule in shape.rules {
            keys.check(rule, shape, node, &meant, reader);
        }
        Some(keys)
    }

    /// Reports the keys that are missing. A key that was misspelt (`meant`) has been reported already.
    fn check_required(&self, shape: &Shape, node: &Node, meant: &[&str], reader: &mut Reader<'_>) {
        let required = shape.rules.iter().filter_map(|rule| match rule {
            Rule::Required(key) => Some(*key),
            _ => None,
        });
        let missing: Vec<&str> =
            required.filter(|key| self.find(shape, key).is_none() && !meant.contains(key)).collect();
        if !missing.is_empty() {
            reader.report(Problem::new(node.span, format!("{} needs {}", shape.what, all_of(missing))));
        }
    }

    /// The key's entry, in whichever spelling.
    fn find(&self, shape: &Shape, key: &str) -> Option<&'n Entry> {
        let spellings = shape.keys.iter().find(|spellings| spellings[0] == key)?;
        self.0.iter().find(|entry| spellings.iter().any(|spelling| *spelling == &*entry.key.text))
    }

    fn check(&self, rule: &Rule, shape: &Shape, node: &Node, meant: &[&str], reader: &mut Reader<'_>) {
        let what = shape.what;
        let mut needs = |keys: &[&str]| {
            if !keys.iter().any(|key| meant.contains(key)) {
                reader.report(Problem::new(
                    node.span,
                    format!("{what} needs {}", any_of(keys.iter().copied())),
                ));
            }
        };
        match rule {
            Rule::Required(_) => {}
            Rule::AtLeastOne(keys) => {
                if !keys.iter().any(|key| self.find(shape, key).is_some()) {
                    needs(keys);
                }
            }
            Rule::ExactlyOne(keys) => {
                let mut given: Vec<&Entry> = keys.iter().filter_map(|key| self.find(shape, key)).collect();
                order::sort_by_key(&mut given, |entry| entry.key.span);
                let Some((first, others)) = given.split_first() else { return needs(keys) };
                for other in others {
                    let one_of = any_of(keys.iter().copied());
                    let message = format!("`{}` beside `{}`", other.key.text, first.key.text);
                    let problem =
                        Problem::new(other.key.span, message).related(first.key.span, "there already");
                    reader.report(problem.help(format!("{what} has one of {one_of}")));
                }
            }
            Rule::Beside { key, one_of, because } => {
                self.check_beside(key, (one_of, because), shape, meant, reader);
            }
        }
    }

    /// Reports a key that stands beside none of others.
    fn check_beside(
        &self,
        key: &str,
        (one_of, because): (&[&str], &'static str),
        shape: &Shape,
        meant: &[&str],
        reader: &mut Reader<'_>,
    ) {
        let there = |other: &&str| self.find(shape, other).is_some() || meant.contains(other);
        let alone = !one_of.iter().any(there);
        if let Some(entry) = self.find(shape, key).filter(|_| alone) {
            let message = format!("`{key}` goes with {} only", any_of(one_of.iter().copied()));
            reader.report(Problem::new(entry.key.span, message).help(because));
        }
    }

    /// Reads the value of a key that may be spelt in several ways.
    pub(crate) fn field<T: FromNode>(&self, spellings: &[&str], reader: &mut Reader<'_>) -> Field<T> {
        let Some(entry) = self.entry(spellings, reader) else { return Field::Absent };
        match reader.read(&entry.value) {
            Some(value) => Field::Given(FieldValue { key: entry.key.span, at: entry.value.span, value }),
            None => Field::Broken,
        }
    }

    /// The entry of a key, under whichever of its spellings.
    fn entry(&self, spellings: &[&str], reader: &mut Reader<'_>) -> Option<&'n Entry> {
        let mut given = self.0.iter().filter(|entry| spellings.contains(&&*entry.key.text));
        let entry = given.next()?;
        for other in given {
            let message = format!("`{}` and `{}` are the same key", entry.key.text, other.key.text);
            reader.report(Problem::new(other.key.span, message).related(entry.key.span, "there already"));
        }
        Some(entry)
    }
}

/// Declares a mapping of the spec:
///
/// ```text
/// mapping! {
///     /// What it is.
///     pub(crate) struct Threshold as "a threshold", "{metric: nDCG@10, min: 0.4}" {
///         /// What the key is for.
///         "metrics" | "metric" => metrics: OneOrMany<Metric>,
///     }
///     rules: [Rule::Required("metrics")]
/// }
/// ```
macro_rules! mapping {
    (
        $(#[doc = $doc:literal])+
        $vis:vis struct $name:ident as $what:literal $(, $example:literal)? {
            $($(#[doc = $field_doc:literal])+ $key:literal $(| $spelling:literal)* => $field:ident: $type:ty,)+
        }
        rules: [$($rule:expr),* $(,)?]
    ) => {
        $(#[doc = $doc])+
        $vis struct $name {
            $($(#[doc = $field_doc])+ $vis $field: $crate::mapping::Field<$type>,)+
        }

        impl $name {
            $vis const SHAPE: $crate::mapping::Shape = $crate::mapping::Shape {
                what: $what,
                example: <$name as $crate::mapping::FromNode>::EXAMPLE,
                keys: &[$(&[$key $(, $spelling)*]),+],
                rules: &[$($rule),*],
            };
        }

        impl $crate::mapping::FromNode for $name {
            $(const EXAMPLE: &'static str = $example;)?

            fn from_node(
                node: &$crate::yaml::Node,
                reader: &mut $crate::mapping::Reader<'_>,
            ) -> Option<Self> {
                let keys = $crate::mapping::Keys::open(node, &Self::SHAPE, reader)?;
                Some(Self {
                    $($field: keys.field(&[$key $(, $spelling)*], reader),)+
                })
            }
        }

        #[cfg(test)]
        impl $crate::spec::schema_tests::Described for $name {
            fn schema() -> ::serde_json::Value {
                use $crate::spec::schema_tests::{Described, object_schema, paragraph};
                let properties = vec![$((
                    &[$key $(, $spelling)*] as &'static [&'static str],
                    paragraph(&[$($field_doc),+]),
                    <$type as Described>::schema(),
                )),+];
                object_schema(&paragraph(&[$($doc),+]), properties, Self::SHAPE.rules)
            }
        }
    };
}
pub(crate) use mapping;
