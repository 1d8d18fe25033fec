//! Answers to the variants of queries: judged by what each stands for, and a mean over them where it has several.

use std::collections::BTreeMap;

use super::Evaluation;
use super::several::Several;
use crate::collection::{Query, VariantQueries};
use crate::error::Quoted;
use crate::run::{Hit, Run};
use crate::{Error, Result, order};

#[doc(hidden)]
impl Evaluation {
    /// The queries that have variants, whose answers the passes are: a query's score is the mean over its own.
    ///
    /// # Errors
    /// When no query is left.
    pub fn of_variants(&self, variants: &VariantQueries) -> Result<Self> {
        let has = |query: &Query| variants.count(&query.id) > 0;
        let nothing = || Error::invalid("no query that is evaluated has a variant");
        let mut evaluation = self.keeping(has).ok_or_else(nothing)?;
        let counts = evaluation.queries.iter().map(|query| variants.count(&query.id)).collect();
        // What was blessed with other variants has other passes, which are then repeats of one.
        let each = variants.most();
        let several = evaluation.passes().is_multiple_of(each);
        evaluation.variants = several.then_some(Several { each, counts }.into());
        Ok(evaluation)
    }
}

/// One run for each of the variants of each pass, by the ids of the queries that they stand for. A query with fewer
/// variants than others has its first ones again. A text without an answer, not even an empty one, is in no run.
pub fn variant_runs(variants: &VariantQueries, passes: Vec<Vec<Option<Vec<Hit>>>>) -> Result<Vec<Run>> {
    by_variant(variants, passes).into_iter().map(Run::from_rankings).collect()
}

/// The same of anything that is known of each text, in the order of the texts.
fn by_variant<T: Clone>(variants: &VariantQueries, passes: Vec<Vec<Option<T>>>) -> Vec<BTreeMap<String, T>> {
    let places = places(variants);
    let mut all = Vec::with_capacity(passes.len() * variants.most());
    for answers in passes {
        for places in &places {
            let answer =
                |(query, place): &(String, usize)| Some((query.clone(), answers.get(*place)?.clone()?));
            all.push(order::map(places.iter().filter_map(answer)));
        }
    }
    all
}

/// For each of the texts that a query has at most: every query with the place of that text among all. A query with fewer
/// begins anew.
fn places(variants: &VariantQueries) -> Vec<Vec<(String, usize)>> {
    let mut texts: Vec<(usize, (&str, usize))> = variants.stand_for().enumerate().collect();
    order::sort_by_key(&mut texts, |(_, text)| *text);
    let of_text = |text: usize| {
        let place = |texts: &[(usize, (&str, usize))]| {
            let (place, (query, _)) = texts[text % texts.len()];
            (query.to_owned(), place)
        };
        texts.chunk_by(|(_, (one, _)), (_, (other, _))| one == other).map(place).collect()
    };
    (0..variants.most()).map(of_text).collect()
}

/// The same of a run that answers variants by their own ids.
///
/// # Errors
/// A run that answers none of them.
pub fn variant_runs_in(variants: &VariantQueries, run: &Run) -> Result<Vec<Run>> {
    let queries = variants.asking().queries();
    if !queries.iter().any(|query| run.ranking(&query.id).is_some()) {
        let name = Quoted(variants.name());
        let [there, wanted] = [run.queries().next(), queries.first().map(|query| query.id.as_str())]
            .map(Option::unwrap_or_default);
        let (there, wanted) = (Quoted(there), Quoted(wanted));
        return Err(Error::invalid(format!(
            "the run has no answer to the variant {name}, whose queries have ids such as {wanted}, and it has ids such \
             as {there}; `rankgate variants` prints ids and texts to answer"
        )));
    }
    let hits = |query: &Query| run.ranking(&query.id).map(<[Hit]>::to_vec);
    variant_runs(variants, vec![queries.iter().map(hits).collect()])
}
