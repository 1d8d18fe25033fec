//! Configurations under variants: what they are asked, and which queries their answers belong to.

use std::sync::OnceLock;

use crate::collection::{Collection, VariantQueries};
use crate::evaluation::{Evaluation, runs, variant_runs, variant_runs_in};
use crate::order::SmallMap;
use crate::run::{Hit, Run};
use crate::spec::{Configuration, Spec, VariantSource};
use crate::{Error, ErrorKind, Result};

use super::Cache;

/// The queries of each variant of a spec, by its name, as far as somebody needed them.
pub(super) struct Variants(SmallMap<String, OnceLock<Result<VariantQueries>>>);

impl Variants {
    pub(super) fn new(spec: &Spec) -> Self {
        Self(SmallMap::new(spec.variants.iter().map(|one| (one.name.clone(), OnceLock::new()))))
    }
}

impl Cache {
    /// The queries of the variant of this name; after the spec was checked there is one.
    pub(crate) fn variant(&self, name: &str) -> Result<&VariantQueries> {
        let missing = || Error::with_kind(ErrorKind::Internal, format!("the spec has no variant `{name}`"));
        let variant = self.spec.variants.iter().find(|one| one.name == name).ok_or_else(missing)?;
        let make = || {
            let collection = self.collection()?;
            match &variant.source {
                VariantSource::Made(rule) => VariantQueries::generate(name, collection, rule),
                VariantSource::File(path) => VariantQueries::read(name, collection, &path.resolve()?),
            }
        };
        self.variants.0[name].get_or_init(make).as_ref().map_err(Clone::clone)
    }

    /// The queries of the variant that a configuration is asked under, if it is.
    pub(crate) fn variant_of(&self, configuration: &Configuration) -> Result<Option<&VariantQueries>> {
        configuration.variant.as_ref().map(|of| self.variant(&of.variant)).transpose()
    }

    /// Whether somebody wrote the texts that a configuration is asked, in a file that can lose lines.
    pub(crate) fn is_variant_of_file(&self, configuration: &Configuration) -> bool {
        let Some(of) = &configuration.variant else { return false };
        let mut variants = self.spec.variants.iter().filter(|one| one.name == of.variant);
        variants.any(|one| matches!(one.source, VariantSource::File(_)))
    }

    /// The collection whose judgments hold for what a configuration answers.
    pub(crate) fn collection_of(&self, configuration: &Configuration) -> Result<&Collection> {
        Ok(self.variant_of(configuration)?.map_or(self.collection()?, VariantQueries::judged))
    }

    /// The collection with the texts that a configuration is asked.
    pub(super) fn asked_of(&self, configuration: &Configuration) -> Result<&Collection> {
        Ok(self.variant_of(configuration)?.map_or(self.collection()?, VariantQueries::asking))
    }

    /// A configuration's run from a file, by the queries that are judged.
    pub(super) fn runs_of(&self, configuration: &Configuration, run: Run) -> Result<Vec<Run>> {
        match self.variant_of(configuration)? {
            None => Ok(vec![run]),
            Some(variant) => variant_runs_in(variant, &run),
        }
    }

    /// What a configuration answered in each pass, by the queries that are judged.
    pub(super) fn runs_of_passes(
        &self,
        configuration: &Configuration,
        passes: Vec<Vec<Vec<Hit>>>,
    ) -> Result<Vec<Run>> {
        match self.variant_of(configuration)? {
            None => runs(self.collection()?.queries_to_ask(), passes),
            Some(variant) => {
                let given = |pass: Vec<Vec<Hit>>| pass.into_iter().map(Some).collect();
                variant_runs(variant, passes.into_iter().map(given).collect())
            }
        }
    }

    /// How many runs a pass is.
    pub(super) fn runs_each(&self, configuration: &Configuration) -> Result<usize> {
        Ok(self.variant_of(configuration)?.map_or(1, VariantQueries::most))
    }

    /// Under a variant the evaluation of those queries that have one.
    pub(super) fn narrowed(
        &self,
        configuration: &Configuration,
        evaluation: Evaluation,
    ) -> Result<Evaluation> {
        match self.variant_of(configuration)? {
            None => Ok(evaluation),
            Some(variant) => evaluation.of_variants(variant),
        }
    }
}
