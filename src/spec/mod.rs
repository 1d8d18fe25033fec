//! Specs: what a team writes, as YAML, and the plan that is made of it.
//!
//! [`Spec::load`] reads a file and either gives a plan that holds no string that could still be
//! wrong, or everything that is wrong with the file at once, each with its line and a caret.
//! [`SPEC_SCHEMA`] describes the file for editors; a test makes it from the declarations that read it.

mod body;
mod check;
mod collection;
mod command;
mod configuration;
pub(crate) mod coverage;
mod depth;
pub(crate) mod gates;
mod http;
mod inline;
mod load;
pub(crate) mod names;
mod other_file;
mod parents;
mod passages;
mod raw;
pub(crate) mod scalar;
#[cfg(test)]
pub(crate) mod schema_tests;
pub(crate) mod scores;
mod segment;
#[expect(clippy::module_inception, reason = "it holds the type `Spec`")]
mod spec;
mod statistics;
mod suite;
mod template;

pub use self::body::Body;
pub use self::collection::CollectionPlan;
pub use self::configuration::{Configuration, ConfigurationSource};
pub use self::http::{Http, Pointer};
pub use self::parents::{ParentsPlan, ParentsSource};
pub use self::scores::ScorePlan;
pub use self::spec::Spec;
pub use self::suite::{SuiteMember, SuiteSpec};
pub use self::template::{PathTemplate, Template};
#[doc(inline)]
pub use crate::mapping::Registry;
#[doc(inline)]
pub use rankgate_core::spec::{Params, Problem, Problems};

/// The JSON Schema (draft 2020-12) of a spec, for editors that complete and check YAML.
///
/// It accepts what [`Spec::load`] accepts. What needs other files, other parts of the spec or
/// arithmetic is left to the parser, as are the names of metrics and retrievers.
pub const SPEC_SCHEMA: &str = include_str!("../../schemas/spec.json");

/// The JSON Schema of a suite.
pub const SUITE_SCHEMA: &str = include_str!("../../schemas/suite.json");
