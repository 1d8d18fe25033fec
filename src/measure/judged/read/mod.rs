//! Reading the committed files of judgments and of people's grades.

mod description;
mod files;

use crate::analysis::Corrected;
use crate::rag::Answers;

use super::{Cache, Reading};

pub(in crate::measure) use self::files::{changed, drawn_queries, humans};

pub(super) const READING: Option<Reading> = Some(Reading {
    judgments: Cache::read_judged,
    contexts: |path| Answers::read(&path.resolve()?)?.run(),
    judge: |plan| Ok(plan.description()?.id()),
    unjudged: Cache::read_unjudged_gates,
    beside_report: Cache::count_beside_report,
    correct: |judges, sides, metric, stream| {
        let corrected = Corrected::new(judges, sides, metric)?;
        match stream {
            Some(stream) => corrected.calibrated(judges, sides, metric, stream),
            None => Ok(corrected),
        }
    },
});
