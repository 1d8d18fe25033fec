//! A configuration of which all keys are read, checked.

use super::keys::{ParamsNode, RawConfiguration};
use super::{Configuration, ConfigurationSource};
use crate::ErrorKind;
use crate::error::Quoted;
use crate::mapping::{Field, FieldValue, Reader, Spanned};
use crate::spec::collection::CollectionPlan;
use crate::spec::parents::{ConfigurationParents, ParentsPlan, ParentsSource};
use crate::spec::scalar::Name;
use crate::spec::template::PathTemplate;
use crate::yaml::{Params, Problem, Span, all_of};

impl RawConfiguration {
    /// The configuration; `None` where it cannot be used, which has been reported.
    pub(in crate::spec) fn check(
        self,
        name: Spanned<Name>,
        collection: Option<&CollectionPlan>,
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
        let source = if let Some(builtin) = self.builtin.field_value() {
            check_builtin(builtin, reader)?;
            check_feature("bm25", builtin.at, reader)?;
            ConfigurationSource::Bm25 { params: params(builtin.at, self.params.into_value(), reader) }
        } else if let Some(retriever) = self.retriever.field_value() {
            check_retriever(retriever, reader)?;
            let (at, name) = (retriever.at, retriever.value.clone());
            ConfigurationSource::Retriever { name, params: params(at, self.params.into_value(), reader) }
        } else if let Some(path) = self.run.into_value() {
            ConfigurationSource::Run { path: path.0, order: self.order.into_value() }
        } else if let Some(command) = self.command.field_value() {
            ConfigurationSource::Command {
                command: command.value.0.clone(),
                cwd: PathTemplate::folder_of_spec(reader, command.at),
                env: self.env.into_value().map(|env| env.0).unwrap_or_default(),
            }
        } else {
            check_feature("http", self.http.field_value()?.key, reader)?;
            ConfigurationSource::Http(Box::new(self.http.into_value()?.check(reader)?))
        };
        let mut chunks = None;
        let parents = match self.parents {
            Field::Absent => collection.and_then(|collection| collection.parents.clone()),
            Field::Broken => return None,
            Field::Given(FieldValue { value: ConfigurationParents::None, .. }) => None,
            Field::Given(FieldValue { value: ConfigurationParents::Own(parents), key, .. }) => {
                let parents = parents.check()?;
                if !collection.is_some_and(CollectionPlan::has_passages) {
                    Some(parents)
                } else if let ParentsPlan { source: ParentsSource::File(file), depth: None, .. } = parents {
                    chunks = Some(file);
                    None
                } else {
                    let problem = Problem::new(key, "beside `passages`, `parents` has a `file` alone");
                    reader.report(
                        problem.help("judged spans hold for any chunks: the file says where these lie"),
                    );
                    return None;
                }
            }
        };
        Some(Configuration {
            line: reader.source.position(name.at).0,
            name: name.value.0,
            source,
            parents,
            chunks,
            repeats: self.repeats.into_value().map_or(1, |count| count.0),
            timeout_line: self.timeout.field_value().map(|timeout| reader.source.position(timeout.at).0),
            timeout: self.timeout.into_value(),
            concurrency: self.concurrency.into_value().map(|count| count.0),
        })
    }
}

/// The only retriever that comes with rankgate.
const BUILTIN: &str = "bm25";

fn check_builtin(builtin: &FieldValue<String>, reader: &mut Reader<'_>) -> Option<()> {
    if builtin.value == BUILTIN {
        return Some(());
    }
    let problem = format!("no built-in retriever is called {}", Quoted(&builtin.value));
    reader.report(Problem::new(builtin.at, problem).help(format!("there is `{BUILTIN}`")));
    None
}

/// Whether the feature is compiled that a key or its value, of the same name, needs.
fn check_feature(feature: &str, at: Span, reader: &mut Reader<'_>) -> Option<()> {
    if !reader.registry.missing_features.contains(feature) {
        return Some(());
    }
    let fix = format!(
        "it needs rankgate's feature `{feature}`: run `cargo add --dev rankgate --features {feature}`, or write \
         `features = [\"{feature}\"]` beside rankgate in Cargo.toml"
    );
    let problem = Problem::new(at, format!("`{feature}` cannot be used here")).with_kind(ErrorKind::Setup);
    reader.report(problem.help(fix));
    None
}

fn check_retriever(retriever: &FieldValue<String>, reader: &mut Reader<'_>) -> Option<()> {
    let (name, registry) = (&retriever.value, reader.registry);
    if registry.any_retriever || registry.retrievers.contains(name) {
        return Some(());
    }
    let known = || registry.retrievers.iter().map(String::as_str);
    let problem = Problem::new(retriever.at, format!("no retriever is registered as {}", Quoted(name)));
    let problem = if registry.retrievers.is_empty() {
        problem
            .help("retrievers are registered from Rust, with `.retriever(name, ...)` in `tests/retrieval.rs`")
    } else {
        let problem = reader.suggest(problem, name, known());
        problem.unwrap_or_else(|problem| problem.help(format!("registered are {}", all_of(known()))))
    };
    reader.report(problem);
    None
}
