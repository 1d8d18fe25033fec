//! Nuggets in a file of their own: lines that cannot be read, proposals that nobody reviewed.

use std::path::Path;

use crate::Result;
use crate::collection::Collection;
use crate::error::chain;
use crate::model::{Example, Finding, Severity, choose};
use rankgate::judge::NuggetsFile;

use super::Linting;

impl Linting<'_> {
    /// What to know of the file of nuggets that the spec names.
    pub(super) fn nugget_findings(&self, collection: &Collection) -> Option<Finding> {
        let path = self.spec().judge.as_ref()?.nuggets.as_ref()?;
        let file = match path.resolve().and_then(|path| read(&path, collection)) {
            Ok(file) => file,
            Err(error) => {
                return Some(Finding {
                    severity: Severity::Problem,
                    code: "nuggets-unreadable".into(),
                    message: "the file of nuggets cannot be used".into(),
                    count: 1,
                    examples: vec![Example::new(chain(&error), "", "")],
                    advice: "mend the line that is named; gates on nuggets are errored".into(),
                });
            }
        };
        let text = |query: &str| collection.query(query).map_or("", |query| &query.text).to_owned();
        let unreviewed: Vec<Example> =
            file.unreviewed().map(|query| Example::new(query, &text(query), "")).collect();
        (!unreviewed.is_empty()).then(|| Finding {
            severity: Severity::Caution,
            code: "nuggets-unreviewed".into(),
            message: format!(
                "{} {} nuggets as a model proposed them",
                unreviewed.len(),
                choose(unreviewed.len(), "query has", "queries have")
            ),
            count: unreviewed.len(),
            examples: unreviewed.into_iter().take(Example::MOST).collect(),
            advice: "read them, edit what is wrong, and write `\"reviewed\": true` into the line of the query: a nugget that is none \
                     counts against every answer"
                .into(),
        })
    }
}

fn read(path: &Path, collection: &Collection) -> Result<NuggetsFile> {
    let file = NuggetsFile::read(path)?;
    file.check(collection).map(|()| file)
}
