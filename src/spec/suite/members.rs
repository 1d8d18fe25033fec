//! The benchmarks of a suite: read and weighed.

use std::collections::HashMap;

use super::keys::{RawSuite, RawWeights};
use super::{SuiteMember, SuiteSpec};
use crate::error::Quoted;
use crate::gate::Weights;
use crate::mapping::{Field, Reader, Spanned};
use crate::spec::template::InputFile;
use crate::spec::{Spec, other_file};
use crate::yaml::{Problem, Span, all_of};

/// The benchmarks, each read and checked; `None` where one of them is wrong.
pub(super) fn members(
    given: &[Spanned<InputFile>],
    suite: Option<&str>,
    reader: &mut Reader<'_>,
) -> Option<Vec<SuiteMember>> {
    let mut registry = reader.registry.clone();
    registry.without_gates();
    let mut places: HashMap<String, Span> = HashMap::new();
    let mut members = Vec::with_capacity(given.len());
    let mut sound = true;
    for Spanned { at, value } in given {
        let path = match value.0.resolve() {
            Ok(path) => path,
            Err(error) => {
                reader.report(Problem::new(*at, error.to_string()));
                sound = false;
                continue;
            }
        };
        let read = match SuiteSpec::is_in(&path) {
            true => Err("is a suite itself; a suite is made of benchmarks".to_owned()),
            false => Spec::load(&path, &registry).map_err(|error| other_file::fault(&error)),
        };
        let spec = match read {
            Ok(spec) => spec,
            Err(why) => {
                reader.report(Problem::new(*at, format!("{} {why}", Quoted(&value.to_string()))));
                sound = false;
                continue;
            }
        };
        if suite == Some(spec.benchmark.as_str()) {
            let message = format!("the suite and this benchmark are both called {}", Quoted(&spec.benchmark));
            reader.report(Problem::new(*at, message).help("tests and reports are told apart by these names"));
        }
        if let Some(first) = places.insert(spec.benchmark.clone(), *at) {
            let problem = Problem::new(*at, format!("two benchmarks are called {}", Quoted(&spec.benchmark)));
            reader.report(problem.related(first, "the first"));
        }
        members.push(SuiteMember { path, spec, weight: 1.0 });
    }
    sound.then_some(members)
}

/// Weights, put to the members.
pub(super) fn weigh(
    raw: &RawSuite,
    mut members: Vec<SuiteMember>,
    reader: &mut Reader<'_>,
) -> Option<(Weights, Vec<SuiteMember>)> {
    let weights = match &raw.weights {
        Field::Absent => Weights::default(),
        Field::Broken => return None,
        Field::Given(given) => match &given.value {
            RawWeights::Word(word) => *word,
            RawWeights::Given(by_name) => {
                give(by_name, &mut members, given.at, reader)?;
                Weights::Given
            }
        },
    };
    Some((weights, members))
}

/// Weights by name: one for each benchmark.
fn give(
    by_name: &[(Spanned<String>, f64)],
    members: &mut [SuiteMember],
    at: Span,
    reader: &mut Reader<'_>,
) -> Option<()> {
    let names: Vec<String> = members.iter().map(|one| one.spec.benchmark.clone()).collect();
    for (name, weight) in by_name {
        if !names.contains(&name.value) {
            return unknown(&name.value, name.at, &names, reader);
        }
        for member in members.iter_mut() {
            if member.spec.benchmark == name.value {
                member.weight = *weight;
            }
        }
    }
    let missing: Vec<&str> = names
        .iter()
        .filter(|name| !by_name.iter().any(|(given, _)| given.value == **name))
        .map(String::as_str)
        .collect();
    if !missing.is_empty() {
        return reader.refuse(at, format!("there is no weight for {}", all_of(missing)));
    }
    Some(())
}

fn unknown<T>(name: &str, at: Span, known: &[String], reader: &mut Reader<'_>) -> Option<T> {
    let problem = Problem::new(at, format!("no benchmark of this suite is called {}", Quoted(name)));
    let all = || known.iter().map(String::as_str);
    let problem = reader.suggest(problem, name, all());
    reader.report(problem.unwrap_or_else(|problem| problem.help(format!("there are {}", all_of(all())))));
    None
}
