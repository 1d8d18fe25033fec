//! Nuggets that stand in a file of their own.

use crate::error::Quoted;
use crate::judge::{NuggetsFile, Task};
use crate::measure::Cache;
use crate::measure::answers::AnswerMetric;
use crate::metric::Metric;
use crate::{Error, ErrorKind, Result};

impl Cache {
    /// The file of nuggets that the spec names, where a metric counts nuggets.
    pub(super) fn nuggets_for(&self, metric: &Metric) -> Result<Option<NuggetsFile>> {
        let counts_nuggets = AnswerMetric::from_metric(metric).is_some_and(|one| one.task() == Task::Nuggets);
        let Some(path) = self.judge_plan()?.nuggets.as_ref().filter(|_| counts_nuggets) else {
            return Ok(None);
        };
        let path = path.resolve()?;
        if !path.exists() {
            let name = path.display().to_string();
            let spec = self.context.shown(&self.spec.path);
            let message = format!(
                "there is no file {} of nuggets: `rankgate nuggets {spec}` proposes them",
                Quoted(&name)
            );
            return Err(Error::with_kind(ErrorKind::Missing, message));
        }
        let file = NuggetsFile::read(&path)?;
        file.check(self.collection()?)?;
        Ok(Some(file))
    }
}
