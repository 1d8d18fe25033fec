//! Attributes that count nothing, and documents and queries of which they and other metrics know nothing.

use std::collections::BTreeSet;

use crate::health::collection::{Collection, DocumentFields, Query};
use crate::health::metric::{Attribute, Condition, Metric, Missing, Operand};
use crate::health::model::{Example, Finding, Severity};
use crate::health::words::{agree, counted};
use serde_json::Value;

use super::Linting;

impl Linting<'_> {
    /// What to tell about the spec's attributes.
    pub(super) fn attributes(&self, collection: &Collection) -> Vec<Finding> {
        let attributes = &self.spec().attributes;
        let mut findings = Vec::from_iter(uncounted(attributes, &self.spec().metrics));
        // What documents do not say the hits of whatever is asked may.
        let may_hits = self.spec().configurations.iter().any(|one| one.is_live());
        findings.extend(uncomputable(&self.spec().metrics, collection, may_hits));
        findings.extend(relevant_without(&self.spec().metrics, collection));
        // Without documents hits say what these are.
        if collection.corpus().is_err() {
            return findings;
        }
        let mut unknown = Vec::new();
        let mut without = Vec::new();
        let mut unmatched = Vec::new();
        for attribute in attributes {
            let checked = collection.check_queries(attribute);
            let fields = || match may_hits {
                true => collection.known_document_fields(attribute.keys()),
                false => collection.document_fields(attribute.keys()),
            };
            match checked.and_then(|()| fields()) {
                Err(error) => unknown.push(Example::new(attribute.name(), "", error.to_string())),
                Ok(fields) => {
                    without.extend(documents_without(attribute, &fields));
                    unmatched.extend(unknown_values(attribute, &fields, collection.queries()));
                }
            }
        }
        findings.extend(finding(
            (Severity::Problem, "attribute-unknown"),
            unknown,
            ["attribute cannot be tested", "attributes cannot be tested"],
            "every gate on them is errored: mend the key, or the documents and queries",
        ));
        findings.extend(finding(
            (Severity::Caution, "documents-without-key"),
            without,
            ["document lacks a key that an attribute tests", "documents lack a key that an attribute tests"],
            "a gate is errored where one is returned: add the key, or say `missing: match` or `missing: other`",
        ));
        findings.extend(finding(
            (Severity::Caution, "query-values-unknown"),
            unmatched,
            ["query has a value that no document has", "queries have a value that no document has"],
            "a misspelt tenant makes every document a leak, or none: compare the values of queries and documents",
        ));
        findings
    }
}

/// Metrics of documents' texts or of keys of metadata that the collection does not have.
fn uncomputable(metrics: &[Metric], collection: &Collection, may_hits: bool) -> Option<Finding> {
    let fault = |metric: &Metric| {
        let needed = metric.requirements();
        let of_hits = (collection.corpus().is_err() || may_hits) && !needed.relevant_metadata;
        if needed.texts {
            return collection.corpus().map(drop).err();
        }
        let of_keys = !needed.metadata.is_empty() && !of_hits;
        of_keys.then(|| collection.document_fields(needed.metadata).err()).flatten()
    };
    let example = |metric: &Metric| Some(Example::new(metric.to_string(), "", fault(metric)?.to_string()));
    finding(
        (Severity::Problem, "metric-without-documents"),
        metrics.iter().filter_map(example).collect(),
        ["metric cannot be computed", "metrics cannot be computed"],
        "every gate on them is errored: mend the key, or add the documents",
    )
}

/// Relevant documents without the key of a metric that compares the returned documents with them.
fn relevant_without(metrics: &[Metric], collection: &Collection) -> Option<Finding> {
    let mut examples = Vec::new();
    for metric in metrics.iter().filter(|metric| metric.requirements().relevant_metadata) {
        let needed = metric.requirements();
        let Ok(fields) = collection.document_fields(needed.metadata) else { continue };
        let is_known = |id: &str, key: &str| {
            fields.get(id).and_then(|metadata| metadata.get(key)).is_some_and(|value| !value.is_null())
        };
        let relevant: BTreeSet<&str> = collection
            .qrels()
            .iter()
            .flat_map(|(_, judgments)| judgments.iter())
            .filter(|(_, grade)| *grade > 0)
            .map(|(document, _)| document)
            .collect();
        for id in relevant {
            let lacking = needed.metadata.iter().find(|key| !is_known(id, key));
            examples.extend(lacking.map(|key| Example::new(id, "", format!("no {key}, for {metric}"))));
        }
    }
    finding(
        (Severity::Problem, "relevant-without-key"),
        examples,
        [
            "relevant document lacks a key that a metric compares",
            "relevant documents lack a key that a metric compares",
        ],
        "every gate on it is errored: add the key to these documents",
    )
}

fn finding(
    (severity, code): (Severity, &str),
    examples: Vec<Example>,
    [one, several]: [&str; 2],
    advice: &str,
) -> Option<Finding> {
    (!examples.is_empty()).then(|| Finding {
        severity,
        code: code.into(),
        message: counted(examples.len(), one, several),
        count: examples.len(),
        examples: examples.into_iter().take(Example::MOST).collect(),
        advice: advice.into(),
    })
}

/// Attributes that no metric names: they can fail nothing.
fn uncounted(attributes: &[Attribute], metrics: &[Metric]) -> Option<Finding> {
    let counted: BTreeSet<&str> =
        metrics.iter().filter_map(|metric| metric.requirements().attribute).collect();
    let unused: Vec<Example> = attributes
        .iter()
        .filter(|attribute| !counted.contains(attribute.name()))
        .map(|attribute| Example::new(attribute.name(), "", ""))
        .collect();
    let advice =
        unused.first().map(|first| format!("name them in a metric, such as `Count({})@10`", first.id));
    (!unused.is_empty()).then(|| Finding {
        severity: Severity::Caution,
        code: "attributes-uncounted".into(),
        message: format!(
            "{} of {} attributes {} counted by no metric",
            unused.len(),
            attributes.len(),
            agree(unused.len(), "is", "are")
        ),
        count: unused.len(),
        examples: unused.into_iter().take(Example::MOST).collect(),
        advice: advice.unwrap_or_default(),
    })
}

/// Documents of which a condition does not say what they are taken for.
fn documents_without(attribute: &Attribute, fields: &DocumentFields) -> Vec<Example> {
    let strict = attribute.conditions().iter().filter(|one| one.missing() == Missing::Error);
    let keys: BTreeSet<&str> = strict.map(Condition::key).collect();
    let lacking = |metadata: &crate::health::collection::Metadata| {
        keys.iter().copied().find(|key| metadata.get(*key).is_none_or(Value::is_null))
    };
    let example = |(id, metadata)| {
        Some(Example::new(id, "", format!("no {}, for {}", lacking(metadata)?, attribute.name())))
    };
    fields.iter().filter_map(|(id, metadata): (&String, _)| example((id.as_str(), metadata))).collect()
}

/// Queries whose value no document has under the key that it is compared with.
fn unknown_values(attribute: &Attribute, fields: &DocumentFields, queries: &[Query]) -> Vec<Example> {
    let mut examples = Vec::new();
    for condition in attribute.conditions() {
        let Operand::OfQuery(key) = condition.test().operand() else { continue };
        let known: BTreeSet<String> = fields
            .values()
            .filter_map(|metadata| metadata.get(condition.key()))
            .flat_map(values)
            .map(ToString::to_string)
            .collect();
        for query in queries {
            let own = query.metadata.get(key).into_iter().flat_map(values);
            if let Some(value) = own.into_iter().find(|value| !known.contains(&value.to_string())) {
                let note = format!("{key} {value}, and no document has it as {}", condition.key());
                examples.push(Example::new(&query.id, &query.text, note));
            }
        }
    }
    examples
}

/// The value, or those of a list.
fn values(value: &Value) -> Vec<&Value> {
    value.as_array().map_or_else(|| vec![value], |items| items.iter().collect())
}
