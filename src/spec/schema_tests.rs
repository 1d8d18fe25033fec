//! What editors are told of specs and suites: the JSON Schemas under `schemas/`, made from the declarations that read
//! the files. A test, for nobody else needs to make them.

use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value as Json, json};

use super::body::Body;
use super::collection::{Judgments, RawOrigins, Split};
use super::command::{Command, RawEnvironment};
use super::configuration::{ParamsNode, RawConfiguration, RawConfigurations};
use super::coverage::Share;
use super::http::{Headers, Pointer, ScorePointers, Url};
use super::inline::Inline;
use super::parents::{ConfigurationParents, ParentsPattern, RawParents};
use super::raw::{RawSpec, Version};
use super::scalar::{Label, Name, Reference};
use super::scores::{RawRange, RawScore, RawScores};
use super::suite::RawSuite;
use super::template::{Existing, InputFile, PathTemplate, RunFile, Template};
use crate::gate::{LONGEST_NAME, Repetition, Segment};
use crate::gates::deterministic::keys::RawDeterministic;
use crate::gates::latency::keys::Ratio;
use crate::mapping::{Count, List, OneOrMany, Rule};
use crate::metric::{Metric, catalogue};
use crate::stats::{Confidence, Quantile};
use crate::words::Keyword;
use crate::yaml::Node;

/// A value of the spec as the JSON Schema describes it.
pub(crate) trait Described {
    /// The schema of what is read.
    fn schema() -> Json;
}

/// With `RANKGATE_WRITE_SCHEMAS` set in the environment it writes the files.
#[test]
fn schemas_of_specs_are_what_the_keys_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    for (name, made) in [("spec", json_schema()), ("suite", suite_schema())] {
        let path = folder.join(format!("{name}.json"));
        let made = format!("{made:#}\n");
        if std::env::var_os("RANKGATE_WRITE_SCHEMAS").is_some() {
            std::fs::write(&path, &made).unwrap();
        }
        assert!(std::fs::read_to_string(&path).unwrap() == made, "{} is out of date", path.display());
    }
}

/// The schema of the whole file.
fn json_schema() -> Json {
    titled(RawSpec::schema(), "rankgate benchmark", "spec")
}

/// The schema of a file that is one of its kind, under the address that it is published at.
fn titled(mut schema: Json, title: &str, file: &str) -> Json {
    if let Json::Object(object) = &mut schema {
        object.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
        let address = format!("{}/schemas/{file}.json", env!("CARGO_PKG_HOMEPAGE"));
        object.insert("$id".to_owned(), json!(address));
        object.insert("title".to_owned(), json!(title));
    }
    schema
}

/// Takes keys out that are for other files.
fn without(schema: &mut Json, place: &str, keys: &[&str]) {
    if let Some(Json::Object(properties)) = schema.pointer_mut(place) {
        properties.retain(|key, _| !keys.contains(&key.as_str()));
    }
}

/// Keys of entries that are about one collection.
const OF_ONE_THRESHOLD: &[&str] = &["score", "scores", "segment", "inconclusive"];
const OF_ONE_COMPARISON: &[&str] = &["score", "scores", "segment", "cutoff", "min"];
const OF_ONE_STATISTICS: &[&str] = &["group-by"];

/// The schema of a suite.
fn suite_schema() -> Json {
    let mut schema = titled(RawSuite::schema(), "rankgate suite", "suite");
    without(&mut schema, "/properties/thresholds/items/properties", OF_ONE_THRESHOLD);
    without(&mut schema, "/properties/comparisons/items/properties", OF_ONE_COMPARISON);
    without(&mut schema, "/properties/statistics/properties", OF_ONE_STATISTICS);
    schema
}

/// One key for the schema: its spellings, documentation and the schema of its value.
pub(crate) type Property = (&'static [&'static str], String, Json);

/// The schema of a mapping.
pub(crate) fn object_schema(description: &str, properties: Vec<Property>, rules: &[Rule]) -> Json {
    let spellings = |key: &str| -> Vec<&'static str> {
        properties
            .iter()
            .find(|(keys, ..)| keys[0] == key)
            .map(|(keys, ..)| keys.to_vec())
            .unwrap_or_default()
    };
    let any_spelling = |key: &str| -> Vec<Json> {
        spellings(key).iter().map(|spelling| json!({"required": [spelling]})).collect()
    };
    let any_key = |keys: &[&str]| -> Vec<Json> { keys.iter().flat_map(|key| any_spelling(key)).collect() };

    let (mut required, mut all, mut dependent) = (Vec::new(), Vec::new(), Map::new());
    for rule in rules {
        match rule {
            Rule::Required(key) if spellings(key).len() == 1 => required.push(json!(key)),
            Rule::Required(key) => all.push(json!({"anyOf": any_spelling(key)})),
            Rule::AtLeastOne(keys) => all.push(json!({"anyOf": any_key(keys)})),
            Rule::ExactlyOne(keys) => all.push(json!({"oneOf": any_key(keys)})),
            Rule::Beside { key, one_of, .. } => {
                dependent.insert((*key).to_owned(), json!({"anyOf": any_key(one_of)}));
            }
        }
    }
    all.extend(properties.iter().filter(|(keys, ..)| keys.len() > 1).map(|(keys, ..)| {
        json!({"not": {"required": keys}}) // two spellings of one key
    }));

    let mut described = Map::new();
    for (keys, documentation, value) in &properties {
        for key in *keys {
            described.insert((*key).to_owned(), with_description(value.clone(), documentation));
        }
    }
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("description".to_owned(), json!(description));
    schema.insert("properties".to_owned(), Json::Object(described));
    schema.insert("additionalProperties".to_owned(), json!(false));
    for (key, list) in [("required", required), ("allOf", all)] {
        if !list.is_empty() {
            schema.insert(key.to_owned(), Json::Array(list));
        }
    }
    if !dependent.is_empty() {
        schema.insert("dependentSchemas".to_owned(), Json::Object(dependent));
    }
    Json::Object(schema)
}

fn with_description(schema: Json, description: &str) -> Json {
    match schema {
        Json::Object(mut object) => {
            object.insert("description".to_owned(), json!(description));
            Json::Object(object)
        }
        _ => json!({"description": description}),
    }
}

/// Documentation lines as one paragraph.
pub(crate) fn paragraph(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}

pub(crate) fn words_schema<K: Keyword>() -> Json {
    let words: Vec<Json> =
        K::ALL.iter().map(|word| json!({"const": word.as_str(), "description": word.meaning()})).collect();
    json!({"oneOf": words})
}

/// What names look like.
const NAME: &str = "^[a-z0-9][a-z0-9._-]*$";

impl Described for RawDeterministic {
    fn schema() -> Json {
        json!({"anyOf": [bool::schema(), Repetition::schema()]})
    }
}

impl Described for Quantile {
    fn schema() -> Json {
        json!({"type": "string", "pattern": r"^p[0-9]{1,2}(\.[0-9]{1,3})?$", "examples": ["p50", "p95", "p99"]})
    }
}

impl Described for Ratio {
    fn schema() -> Json {
        let (slower, faster) =
            (json!({"minimum": 1.01, "maximum": 10}), json!({"minimum": 0.1, "exclusiveMaximum": 0.99}));
        json!({"type": "number", "anyOf": [slower, faster], "examples": [1.1, 1.25]})
    }
}

impl<T: Described> Described for List<T> {
    fn schema() -> Json {
        json!({"type": "array", "items": T::schema()})
    }
}

impl<T: Described> Described for OneOrMany<T> {
    fn schema() -> Json {
        json!({"anyOf": [
            T::schema(),
            {"type": "array", "items": T::schema(), "minItems": 1, "uniqueItems": true},
        ]})
    }
}

impl Described for Node {
    fn schema() -> Json {
        json!(true)
    }
}

impl Described for bool {
    fn schema() -> Json {
        json!({"type": "boolean"})
    }
}

impl Described for String {
    /// Scalars are taken as they are written: `01` and `no` stay text.
    fn schema() -> Json {
        json!({"type": ["string", "number", "boolean"], "minLength": 1})
    }
}

impl Described for f64 {
    fn schema() -> Json {
        json!({"type": "number"})
    }
}

impl Described for u64 {
    fn schema() -> Json {
        json!({"type": "integer", "minimum": 0})
    }
}

impl<const MOST: u64> Described for Count<MOST> {
    fn schema() -> Json {
        json!({"type": "integer", "minimum": 1, "maximum": MOST})
    }
}

impl Described for Body {
    fn schema() -> Json {
        json!({
            "type": ["object", "array", "string"],
            "examples": [{"q": "{text}", "limit": "{depth}"}],
        })
    }
}

impl Described for Judgments {
    fn schema() -> Json {
        json!({"anyOf": [OneOrMany::<InputFile>::schema(), RawOrigins::schema()]})
    }
}

impl Described for Split {
    fn schema() -> Json {
        json!({"type": ["string", "number", "boolean"], "minLength": 1, "pattern": r"^[^/\\]+$", "examples": ["test", "dev"]})
    }
}

impl Described for Command {
    fn schema() -> Json {
        json!({
            "type": "array",
            "items": Template::schema(),
            "minItems": 1,
            "examples": [["python3", "search.py", "--hybrid"]],
        })
    }
}

impl Described for RawEnvironment {
    fn schema() -> Json {
        json!({"type": "object", "additionalProperties": Template::schema()})
    }
}

impl Described for RawConfigurations {
    fn schema() -> Json {
        json!({
            "type": "object",
            "minProperties": 1,
            "propertyNames": Name::schema(),
            "additionalProperties": RawConfiguration::schema(),
        })
    }
}

impl Described for ParamsNode {
    fn schema() -> Json {
        json!({"type": ["object", "null"]})
    }
}

impl Described for Share {
    fn schema() -> Json {
        json!({"type": "number", "minimum": 0, "maximum": 1})
    }
}

impl Described for Url {
    fn schema() -> Json {
        json!({"type": "string", "pattern": r"^(https?://|\$\{)\S*$"})
    }
}

impl Described for Headers {
    fn schema() -> Json {
        json!({
            "type": "object",
            "propertyNames": {"pattern": "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$"},
            "additionalProperties": Template::schema(),
            "examples": [{"Authorization": "Bearer ${TOKEN}"}],
        })
    }
}

impl Described for ScorePointers {
    fn schema() -> Json {
        json!({
            "type": "object",
            "propertyNames": Name::schema(),
            "additionalProperties": Pointer::schema(),
            "examples": [{"tokens": "/usage/total_tokens"}],
        })
    }
}

impl Described for Pointer {
    fn schema() -> Json {
        json!({"type": "string", "pattern": "^(/([^~]|~[01])*)?$", "examples": ["/hits", "/id"]})
    }
}

impl Described for Inline {
    fn schema() -> Json {
        let id = json!({"type": ["string", "number", "boolean"], "minLength": 1});
        json!({
            "type": "object",
            "properties": {
                "documents": {
                    "type": "object",
                    "description": "The documents' texts by id; left out where no retriever needs them.",
                    "additionalProperties": {"type": ["string", "number", "boolean"]},
                },
                "queries": {
                    "description": "The queries; at least one.",
                    "type": "array",
                    "minItems": 1,
                    "items": {
                        "type": "object",
                        "description": "A query; keys other than these three are its metadata.",
                        "properties": {
                            "id": {"type": id["type"], "minLength": 1, "description": "Its id, unique among the queries."},
                            "text": {"type": ["string", "number", "boolean"], "description": "The text of the query."},
                            "relevant": {
                                "description": "The ids of relevant documents, or judged documents with their grades.",
                                "anyOf": [
                                    {"type": "object", "additionalProperties": {"type": "integer"}},
                                    {"type": "array", "items": id},
                                ],
                            },
                            "unanswerable": {"type": "boolean", "description": "True where no document answers it: `FalseAnswer` alone measures it."},
                        },
                        "required": ["id", "text"],
                    },
                },
            },
            "required": ["queries"],
            "additionalProperties": false,
        })
    }
}

impl Described for ParentsPattern {
    fn schema() -> Json {
        json!({"type": "string", "examples": ["^(.+)#\\d+$"]})
    }
}

impl Described for ConfigurationParents {
    fn schema() -> Json {
        json!({"oneOf": [{"const": "none", "description": "Its results are documents."}, RawParents::schema()]})
    }
}

impl Described for Version {
    fn schema() -> Json {
        json!({"enum": [Self::KNOWN, Self::KNOWN.to_string()]})
    }
}

impl Described for Name {
    fn schema() -> Json {
        json!({"type": ["string", "number", "boolean"], "pattern": NAME, "maxLength": LONGEST_NAME})
    }
}

impl Described for Reference {
    fn schema() -> Json {
        let types = ["string", "number", "boolean"];
        json!({"type": types, "pattern": NAME, "maxLength": LONGEST_NAME})
    }
}

impl Described for Metric {
    fn schema() -> Json {
        let patterns: Vec<_> = catalogue().iter().flat_map(|definition| definition.patterns()).collect();
        let list = patterns.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        json!({
            "type": "string",
            "minLength": 1,
            "description": format!("A metric: {list}, other tools' names for them, or one registered from Rust."),
            "examples": ["nDCG@10", "R@100", "RR@10", "AP", "P@5", "Success@5", "Judged@10"],
        })
    }
}

impl Described for Duration {
    fn schema() -> Json {
        let examples = ["2s", "500ms", "1m", "200us"];
        json!({"type": "string", "pattern": r"^[0-9]*\.?[0-9]*(us|ms|s|m|min|h)$", "examples": examples})
    }
}

impl Described for Confidence {
    fn schema() -> Json {
        json!({"type": "number", "minimum": 0.5, "exclusiveMaximum": 1})
    }
}

impl Described for Label {
    fn schema() -> Json {
        json!({"type": ["string", "number", "boolean"], "minLength": 1, "maxLength": 100})
    }
}

impl Described for RawRange {
    fn schema() -> Json {
        json!({"type": "array", "items": {"type": ["number", "string"]}, "minItems": 2, "maxItems": 2})
    }
}

impl Described for RawScores {
    fn schema() -> Json {
        json!({"type": "object", "propertyNames": Name::schema(), "additionalProperties": RawScore::schema()})
    }
}

impl Described for Segment {
    fn schema() -> Json {
        json!({
            "type": "object",
            "minProperties": 1,
            "maxProperties": 1,
            "additionalProperties": {"type": ["string", "number", "boolean"]},
            "examples": [{"category": "billing"}],
        })
    }
}

impl Described for Template {
    fn schema() -> Json {
        json!({"type": ["string", "number", "boolean"]})
    }
}

impl Described for PathTemplate {
    fn schema() -> Json {
        json!({"type": ["string", "number", "boolean"], "minLength": 1, "pattern": r"^[^\\]*$"})
    }
}

impl Described for RunFile {
    fn schema() -> Json {
        InputFile::schema()
    }
}

impl<const FOLDER: bool> Described for Existing<FOLDER> {
    fn schema() -> Json {
        PathTemplate::schema()
    }
}
