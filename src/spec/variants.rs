//! `variants:`: the same queries in other words.

use std::fmt;

use serde_json::{Value as Json, json};

use super::configuration::{Configuration, ConfigurationSource, VariantOf};
use super::names::Names;
use super::scalar::{Name, Reference, read_words};
use super::stages::Stages;
use super::template::{InputFile, PathTemplate};
use crate::collection::{Keyboard, QueryLanguage, VariantKind, VariantRule};
use crate::mapping::{Count, Field, FieldValue, FromNode, OneOrMany, Reader, Rule, Spanned, mapping};
use crate::yaml::{Node, Problem, Span, Value, any_of};

read_words!(Keyboard, QueryLanguage, VariantKind);

mapping! {
    /// Another text for each query, of the same meaning: judgments are those of the query.
    pub(super) struct RawVariant as "a variant", "{kind: typos, seed: 1}" {
        /// The change to the text, or `file`.
        "kind" => kind: VariantKind,
        /// What random numbers are derived from, of `typos` and `word-order`; 1 by default.
        "seed" => seed: u64,
        /// How many texts are made of each query, of `typos` and `word-order`; 1 by default. A query's score is the
        /// mean over them.
        "per-query" => per_query: Count<100>,
        /// Whose keys are missed by `typos`, and how `diacritics` types umlauts: `us` (default) or `de`.
        "keyboard" => keyboard: Keyboard,
        /// Whose function words `keywords` and `no-stop-words` leave out: `english` (default) or `german`.
        "language" => language: QueryLanguage,
        /// The file of a `file`: JSON lines with `id` and `text`, or id, tab, text; `id` is the query's, which may
        /// have several lines.
        "queries" => queries: InputFile,
        /// The configurations that are asked for the report, besides those that gates name with it; by default
        /// all that are live.
        "for" => configurations: OneOrMany<Reference>,
    }
    rules: [Rule::Required("kind"), Rule::Schema(conditions)]
}

/// The keys that only some kinds take.
const TAKEN_BY: [(&str, &[VariantKind]); 5] = [
    ("seed", &[VariantKind::Typos, VariantKind::WordOrder]),
    ("per-query", &[VariantKind::Typos, VariantKind::WordOrder]),
    ("keyboard", &[VariantKind::Typos, VariantKind::Diacritics]),
    ("language", &[VariantKind::Keywords, VariantKind::NoStopWords]),
    ("queries", &[VariantKind::File]),
];

fn conditions() -> Vec<Json> {
    let taken = TAKEN_BY.iter().map(|(key, kinds)| {
        let words: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
        json!({"if": {"required": [key]}, "then": {"properties": {"kind": {"enum": words}}}})
    });
    let file = json!({"if": {"properties": {"kind": {"const": "file"}}}, "then": {"required": ["queries"]}});
    taken.chain([file]).collect()
}

/// One way of asking the same, checked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Variant {
    /// Its name, unique within the spec: what stands behind the `@`.
    pub name: String,
    /// Where its texts come from.
    pub source: VariantSource,
    /// Names of the configurations that are asked, whatever gates say; `None`: all that are live.
    pub configurations: Option<Vec<String>>,
    /// The line of the spec it stands on, from 1.
    pub line: usize,
}

/// Where the texts of a variant come from.
#[derive(Clone, Debug)]
pub enum VariantSource {
    /// They are made by a rule.
    Made(VariantRule),
    /// They stand in a file.
    File(PathTemplate),
}

/// In a few words: `typos (seed 7)`, `file variants/spoken.jsonl`.
impl fmt::Display for VariantSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rule = match self {
            Self::Made(rule) => rule,
            Self::File(path) => return write!(f, "file {path}"),
        };
        let VariantRule { kind, seed, per_query, keyboard, language, .. } = rule;
        let said = |key: &str| TAKEN_BY.iter().any(|(known, kinds)| *known == key && kinds.contains(kind));
        let all = [
            ("seed", format!("seed {seed}")),
            ("per-query", format!("{per_query} per query")),
            ("keyboard", format!("keyboard {keyboard}")),
            ("language", language.to_string()),
        ];
        let all = all.into_iter().filter(|(key, _)| said(key)).map(|(_, said)| said).collect::<Vec<_>>();
        write!(f, "{kind}")?;
        if all.is_empty() { Ok(()) } else { write!(f, " ({})", all.join(", ")) }
    }
}

/// More variants are a mistake, or an attack.
const MOST: usize = 100;

/// The mapping from names to variants. One that cannot be read still has a name.
pub(super) struct RawVariants(pub(super) Vec<(Spanned<Name>, Option<RawVariant>)>);

impl FromNode for RawVariants {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let Value::Map(entries) = &node.value else {
            return reader.expected(node, "a mapping from names to variants");
        };
        if entries.len() > MOST {
            return reader.refuse(node.span, format!("more than {MOST} variants"));
        }
        let named = |entry: &crate::yaml::Entry, reader: &mut Reader<'_>| {
            let name = Name::check(&entry.key.text, entry.key.span, reader);
            let variant = reader.read(&entry.value);
            Some((Spanned { at: entry.key.span, value: name? }, variant))
        };
        let all: Vec<_> = entries.iter().map(|entry| named(entry, reader)).collect();
        all.into_iter().collect::<Option<_>>().map(Self)
    }

    #[inline]
    fn schema() -> Json {
        json!({
            "type": "object",
            "maxProperties": MOST,
            "propertyNames": Name::schema(),
            "additionalProperties": RawVariant::schema(),
        })
    }
}

impl RawVariants {
    pub(super) fn names(&self) -> Vec<String> {
        self.0.iter().map(|(name, _)| name.value.0.clone()).collect()
    }

    /// The variants, unless something is wrong with one, which has been reported.
    pub(super) fn check(self, names: &Names<'_>, reader: &mut Reader<'_>) -> Option<Vec<Variant>> {
        let checked: Vec<Option<Variant>> =
            self.0.into_iter().map(|(name, raw)| raw?.check(name, names, reader)).collect();
        checked.into_iter().collect()
    }
}

impl RawVariant {
    fn check(self, name: Spanned<Name>, names: &Names<'_>, reader: &mut Reader<'_>) -> Option<Variant> {
        let given = self.kind.field_value()?;
        let (kind, at) = (given.value, given.at);
        self.check_keys(kind, at, reader);
        let configurations = self.configurations.into_value().map(|given| {
            let own = |one: &Spanned<Reference>, reader: &mut Reader<'_>| match one.value.0.contains('@') {
                true => reader.refuse(one.at, "`for` names configurations, not their variants"),
                false => names.check_under_variants(&one.value.0, one.at, reader),
            };
            let all: Vec<Option<String>> = given.0.iter().map(|one| own(one, reader)).collect();
            all.into_iter().collect::<Option<Vec<_>>>()
        });
        let source = match kind {
            VariantKind::File => VariantSource::File(self.queries.into_value()?.0),
            _ => {
                let mut rule = VariantRule::new(kind);
                rule.seed = self.seed.into_value().unwrap_or(1);
                rule.per_query = self.per_query.into_value().map_or(1, |count| count.0);
                rule.keyboard = self.keyboard.into_value().unwrap_or_default();
                rule.language = self.language.into_value().unwrap_or_default();
                VariantSource::Made(rule)
            }
        };
        Some(Variant {
            line: reader.source.position(name.at).0,
            name: name.value.0,
            source,
            configurations: match configurations {
                None => None,
                Some(all) => Some(all?),
            },
        })
    }

    /// Reports keys that do not go with the kind, and the file that one needs.
    fn check_keys(&self, kind: VariantKind, at: Span, reader: &mut Reader<'_>) {
        fn key<T>(field: &Field<T>) -> Option<Span> {
            field.field_value().map(|given: &FieldValue<T>| given.key)
        }
        let places = [
            key(&self.seed),
            key(&self.per_query),
            key(&self.keyboard),
            key(&self.language),
            key(&self.queries),
        ];
        for ((key, takers), place) in TAKEN_BY.iter().zip(places) {
            let Some(place) = place.filter(|_| !takers.contains(&kind)) else { continue };
            let problem = Problem::new(place, format!("`{key}` does not go with `kind: {kind}`"));
            let takers = any_of(takers.iter().map(|kind| kind.as_str()));
            reader.report(problem.related(at, "the kind").help(format!("it goes with {takers}")));
        }
        if kind == VariantKind::File && self.queries.is_absent() {
            let problem = Problem::new(at, "`kind: file` needs `queries`");
            reader.report(problem.help("a file of JSON lines, as in `queries: variants/spoken.jsonl`"));
        }
    }
}

/// The configurations under variants: those that gates name as `mine@typos`, those that are asked for the report, and what
/// fusions among them are made of.
pub(super) fn under_variants(
    configurations: &[Configuration],
    variants: &[Variant],
    named: &[&str],
) -> Vec<Configuration> {
    let mut all = Vec::new();
    let is_asked = |configuration: &Configuration, variant: &Variant| match &variant.configurations {
        Some(asked) => asked.contains(&configuration.name),
        None => sources_of(configuration, configurations).all(is_asked_under_variants),
    };
    let name_of =
        |configuration: &Configuration, variant: &Variant| format!("{}@{}", configuration.name, variant.name);
    for configuration in configurations {
        for variant in variants {
            let fused_there = |other: &&Configuration| {
                is_asked(other, variant) || named.contains(&name_of(other, variant).as_str())
            };
            let is_needed = configurations.iter().filter(fused_there).any(|other| {
                sources_of(other, configurations).any(|source| source.name == configuration.name)
            });
            if is_needed {
                all.push(under_variant(configuration, variant, name_of(configuration, variant)));
            }
        }
    }
    all
}

/// Whether a configuration is asked under variants of itself; what is made of stages has none.
fn is_asked_under_variants(configuration: &Configuration) -> bool {
    configuration
        .fusion()
        .map_or(configuration.is_live(), |plan| plan.sources.iter().all(|name| !name.contains('@')))
}

/// A configuration, and what it is made of where it is a fusion, over all rounds.
fn sources_of<'a>(
    configuration: &'a Configuration,
    all: &'a [Configuration],
) -> Box<dyn Iterator<Item = &'a Configuration> + 'a> {
    let sources = configuration.fusion().into_iter().flat_map(|plan| &plan.sources);
    let named = sources.filter_map(|name| all.iter().find(|one| one.name == *name));
    Box::new(std::iter::once(configuration).chain(named.flat_map(|one| sources_of(one, all))))
}

fn under_variant(configuration: &Configuration, variant: &Variant, name: String) -> Configuration {
    let source = match &configuration.source {
        ConfigurationSource::Fusion(plan) => ConfigurationSource::Fusion(plan.under(&variant.name)),
        other => other.clone(),
    };
    Configuration {
        name,
        source,
        variant: Some(VariantOf { configuration: configuration.name.clone(), variant: variant.name.clone() }),
        // Stages are measured without variants.
        stages: Stages::default(),
        ..configuration.clone()
    }
}
