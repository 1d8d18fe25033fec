//! The benchmarks of a suite, read.

use std::collections::HashMap;

use super::{SuiteMember, SuiteSpec};
use crate::error::Quoted;
use crate::mapping::{Reader, Spanned};
use crate::spec::template::InputFile;
use crate::spec::{Spec, other_file};
use crate::yaml::{Problem, Span};

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
        members.push(SuiteMember { path, spec });
    }
    sound.then_some(members)
}
