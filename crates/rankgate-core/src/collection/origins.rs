//! Whose grades they are: people's, or a model's where people gave none.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use crate::Result;
use crate::collection::parts::Parts;
use crate::collection::{Collection, Qrels};
use crate::error::Quoted;
use crate::words::{agree, counted};

/// People's judgments, of a collection in which a model judged what they did not.
#[derive(Clone, Debug)]
pub struct Origins {
    people: Qrels,
    /// People's judgments of the sampled queries in which they graded every document that the model graded.
    sampled: Qrels,
}

impl Origins {
    /// Returns true if a judgment of the collection is a model's.
    pub fn is_of_model(&self, query: &str, document: &str) -> bool {
        self.people.grade(query, document).is_none()
    }
}

impl Parts {
    /// Adds a model's judgments of what people did not judge, and people's of a sample of queries.
    pub(super) fn judge_by_model(&mut self, model: &Path, sample: Option<&Path>) -> Result<()> {
        let people = self.qrels.clone();
        let (mut sampled, mut queries) = (people.clone(), Vec::new());
        if let Some(path) = sample {
            let qrels = self.known_queries(path, Qrels::read(path)?, "the collection")?;
            queries = qrels.queries().map(str::to_owned).collect();
            sampled.merge(qrels)?;
        }
        self.qrels.add_unjudged(self.known_queries(model, Qrels::read(model)?, "the collection")?)?;
        let is_whole = |query: &String| {
            let judged = self.qrels.judgments(query).into_iter().flat_map(|judged| judged.unordered());
            judged.into_iter().all(|(document, _)| sampled.grade(query, document).is_some())
        };
        let count = queries.len();
        let (whole, left_out): (HashSet<String>, Vec<String>) = {
            let (whole, left_out): (Vec<String>, Vec<String>) = queries.into_iter().partition(is_whole);
            (whole.into_iter().collect(), left_out)
        };
        if let (Some(first), Some(path)) = (left_out.first(), sample) {
            self.warnings.push(format!(
                "{}: {} of {} {} left out of the sample, such as {}: people did not grade every document of {} that the model graded",
                path.display(),
                left_out.len(),
                counted(count, "query", "queries"),
                agree(left_out.len(), "is", "are"),
                Quoted(first),
                agree(left_out.len(), "it", "them"),
            ));
        }
        sampled.keep_queries(&whole);
        // Grades mean the same on both sides: some metrics divide by the highest.
        sampled.on_scale_of(&self.qrels);
        self.qrels.on_scale_of(&sampled);
        self.origins = Some(Arc::new(Origins { people, sampled }));
        Ok(())
    }
}

#[doc(hidden)]
impl Collection {
    /// Whose its judgments are; `None` if no model gave any.
    pub fn origins(&self) -> Option<&Origins> {
        self.inner.parts.origins.as_deref()
    }

    /// The same with the sampled queries alone, as people judged them; `None` without a sample.
    pub fn by_people(&self) -> Option<Self> {
        let sampled = &self.origins()?.sampled;
        (!sampled.is_empty()).then(|| self.judged_as(sampled.clone()))
    }
}
