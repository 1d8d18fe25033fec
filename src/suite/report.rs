//! Everything that is known of a suite, put into the report's model and written down.

use crate::Result;
use crate::analysis::macro_mean;
use crate::benchmark::never_failing;
use crate::benchmark::write_files;
use crate::error::chain;
use crate::evaluation::Evaluation;
use crate::model::{CollectionValue, MetricReport, Report, SuiteReport, Warning};

use super::Suite;

impl Suite {
    /// Everything that is known by now.
    pub fn report(&self) -> Report {
        let spec = &self.spec;
        let member = |(place, member): (usize, &crate::spec::SuiteMember)| CollectionValue {
            benchmark: member.spec.benchmark.clone(),
            spec: Some(self.context.shown(&member.path)),
            queries: self.members[place].judged_queries(),
            ..CollectionValue::default()
        };
        let left_out = |(name, lacking): &(String, Vec<String>)| {
            let lacking = lacking.join(", ");
            format!(
                "thresholds without `for` leave {name} out, which {lacking} lacks: a suite never takes a mean over fewer"
            )
        };
        let mut warnings: Vec<String> = spec.left_out.iter().map(left_out).collect();
        warnings.extend(never_failing(self.gates(), &spec.thresholds));
        let means = self.means(&mut warnings);
        let suite = SuiteReport { collections: spec.members.iter().enumerate().map(member).collect(), means };
        Report {
            spec: self.context.shown(&spec.path),
            spec_sha256: Some(spec.sha256.clone()),
            rerun: self.context.rerun(&spec.path),
            confidence: spec.statistics.confidence.level(),
            suite: Some(suite),
            metrics: spec.metrics.iter().map(ToString::to_string).collect(),
            gates: self.verdicts(),
            gates_in_spec: self.gates().len(),
            warnings: warnings.into_iter().map(|text| Warning::new("spec", text)).collect(),
            ..Report::blank(self.name())
        }
    }

    /// The means of every configuration that was measured in all benchmarks.
    fn means(&self, warnings: &mut Vec<String>) -> Vec<(String, MetricReport)> {
        let mut means = Vec::new();
        for name in &self.spec.configurations {
            let measured: Option<Vec<Evaluation>> =
                self.members.iter().map(|member| member.evaluation_so_far(name)).collect();
            let Some(evaluations) = measured else { continue };
            let parts = self.parts_of_mean(&evaluations);
            for metric in &self.spec.metrics {
                match macro_mean(&parts, metric, &self.spec.statistics) {
                    Ok(mean) => means.push((name.clone(), mean)),
                    Err(error) => warnings.push(format!("no mean of {name}: {}", chain(&error))),
                }
            }
        }
        means
    }

    /// Writes the renderings of the report.
    pub(crate) fn write_reports(&self) -> Result<()> {
        // The processes of one test run take turns, and each renders what is known when it comes on.
        let lock = |shared: &crate::cache::Cache| shared.lock(&self.key("report"));
        let _turn = self.context.cache.as_ref().map(lock).transpose()?;
        write_files(&self.context.output, &self.report())
    }
}
