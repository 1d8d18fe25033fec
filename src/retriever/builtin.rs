//! Retrievers that come with rankgate, by the name that `builtin:` gives.

use std::sync::Arc;

use crate::metric::Distances;
use crate::neighbours::Base;
use crate::yaml::Params;

use super::{BoxError, Retriever, Setup};

type BuildResult<T> = Result<Arc<T>, BoxError>;
type Build = fn(setup: &Setup<'_>, timed: bool) -> BuildResult<dyn Retriever>;
type FindDistances = fn(setup: &Setup<'_>) -> BuildResult<dyn Distances>;
type FindBase = fn(setup: &Setup<'_>) -> BuildResult<dyn Base>;

/// One of them.
struct Builtin {
    name: &'static str,
    /// Whether it can be made with these parameters, files and documents aside.
    check: fn(&Params) -> crate::Result<()>,
    /// Makes it; `timed` where single answers are timed.
    build: Build,
    /// The distances that it searches by, where it searches exactly.
    distances: Option<FindDistances>,
    /// The documents that have a vector, likewise.
    base: Option<FindBase>,
}

static BUILTINS: &[Builtin] = &[
    #[cfg(feature = "bm25")]
    Builtin {
        name: "bm25",
        check: |params| params.deserialize::<super::Bm25Params>().map(drop),
        build: |setup, _| Ok(Arc::new(super::Bm25::build(setup.corpus()?.documents()?, &setup.params()?)?)),
        distances: None,
        base: None,
    },
    #[cfg(feature = "exact")]
    Builtin {
        name: "exact",
        check: |params| params.deserialize::<super::exact::ExactParams>().map(drop),
        build: |setup, timed| {
            let batch = super::exact::ExactSource::batch(timed);
            Ok(Arc::new(super::exact::ExactSource::new(setup)?.open(batch)?))
        },
        distances: Some(|setup| {
            Ok(Arc::new(super::exact::ExactDistances::new(super::exact::ExactSource::new(setup)?)))
        }),
        base: Some(|setup| Ok(Arc::new(super::exact::ExactSource::new(setup)?.base()?))),
    },
];

fn find(name: &str) -> Result<&'static Builtin, BoxError> {
    let missing = || format!("`builtin: {name}` needs rankgate's feature `{name}`").into();
    BUILTINS.iter().find(|builtin| builtin.name == name).ok_or_else(missing)
}

/// Checks the parameters of the retriever of this name, before anything is read or asked.
///
/// # Errors
/// A parameter that it does not take, with its line in the spec.
pub(crate) fn check(name: &str, params: &Params) -> crate::Result<()> {
    BUILTINS.iter().find(|builtin| builtin.name == name).map_or(Ok(()), |builtin| (builtin.check)(params))
}

/// Makes the retriever of this name; `timed` where single answers are timed.
pub(crate) fn build(name: &str, setup: &Setup<'_>, timed: bool) -> BuildResult<dyn Retriever> {
    (find(name)?.build)(setup, timed)
}

/// The distances that the retriever of this name searches by; `None` where it does not search exactly.
pub(crate) fn distances(name: &str, setup: &Setup<'_>) -> Result<Option<Arc<dyn Distances>>, BoxError> {
    find(name)?.distances.map(|distances| distances(setup)).transpose()
}

/// The documents that have a vector where the retriever of this name searches; `None` where it does not search exactly.
pub(crate) fn base(name: &str, setup: &Setup<'_>) -> Result<Option<Arc<dyn Base>>, BoxError> {
    find(name)?.base.map(|base| base(setup)).transpose()
}
