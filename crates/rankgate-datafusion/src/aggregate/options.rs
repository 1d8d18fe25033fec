//! What `rank_eval` is told besides its rows: its last two arguments, as text.

use datafusion::common::{Result, exec_datafusion_err, exec_err};
use rankgate_cli::offline::Kernel;
use rankgate_core::metric::{Metric, parse_list};
use rankgate_core::run::Order;
use rankgate_report::Judging;

/// What is reported unless metrics are named: what `rankgate eval` reports.
pub const DEFAULT_METRICS: &str = "nDCG@10,AP,RR@10,P@10,R@100,Judged@10";

/// How a query's rows become its scores. It travels in the plan, as two strings, so that every process of a cluster
/// knows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// What is computed of each query.
    pub metrics: Vec<Metric>,
    /// Which grades are relevant.
    pub judging: Judging,
    /// Whether the third column holds scores or ranks.
    pub order: Order,
    /// The highest grade of all judgments, which one query's rows do not tell.
    pub max_grade: Option<i32>,
    /// What becomes of a query that cannot be scored.
    pub unscorable: Unscorable,
}

/// What becomes of a query whose rows cannot be scored, as it has a document twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unscorable {
    /// All fails, with a message that names the query.
    #[default]
    Fails,
    /// Its result says why, and has no scores. Of an error that comes from another process its text alone arrives, and
    /// which of several queries fails first is chance: as results, all of them arrive.
    Told,
}

impl Options {
    /// Reads what [`metrics_text`](Self::metrics_text) and [`text`](Self::text) wrote, or a user.
    ///
    /// # Errors
    ///
    /// A metric or a word that nobody knows; ERR without `max_grade`.
    pub fn parse(metrics: &str, options: &str) -> Result<Self> {
        let metrics = if metrics.trim().is_empty() { DEFAULT_METRICS } else { metrics };
        let named = parse_list(metrics).map_err(|error| exec_datafusion_err!("rank_eval: {error}"))?;
        let mut parsed = Self {
            metrics: unique(named.into_iter().map(|one| one.metric)),
            judging: Judging::default(),
            order: Order::Score,
            max_grade: None,
            unscorable: Unscorable::Fails,
        };
        for option in options.split([';', ',']).map(str::trim).filter(|option| !option.is_empty()) {
            let (key, value) = option.split_once('=').unwrap_or((option, ""));
            match (key.trim(), value.trim()) {
                ("relevant_from", value) => parsed.judging.relevant_from = grade(key, value)?,
                ("max_grade", value) => parsed.max_grade = Some(grade(key, value)?),
                ("order", "score") => parsed.order = Order::Score,
                ("order", "rank") => parsed.order = Order::Rank,
                ("exclude_identical_ids", "") => parsed.judging.exclude_identical_ids = true,
                ("tell_errors", "") => parsed.unscorable = Unscorable::Told,
                _ => {
                    return exec_err!(
                        "rank_eval: option `{option}` is none of relevant_from=GRADE, max_grade=GRADE, order=score, \
                         order=rank, exclude_identical_ids, tell_errors"
                    );
                }
            }
        }
        if let (None, Some(metric)) =
            (parsed.max_grade, parsed.metrics.iter().find(|one| looks_at_max_grade(one)))
        {
            return exec_err!(
                "rank_eval: {metric} depends on the highest grade of all judgments: give it as the option `max_grade=GRADE`"
            );
        }
        Ok(parsed)
    }

    /// The metrics, as the fifth argument.
    pub fn metrics_text(&self) -> String {
        let names: Vec<String> = self.metrics.iter().map(ToString::to_string).collect();
        names.join(",")
    }

    /// The rest, as the sixth argument.
    pub fn text(&self) -> String {
        let mut options = vec![format!("relevant_from={}", self.judging.relevant_from)];
        options.push(match self.order {
            Order::Score => "order=score".to_owned(),
            Order::Rank => "order=rank".to_owned(),
        });
        options.extend(self.max_grade.map(|grade| format!("max_grade={grade}")));
        if self.judging.exclude_identical_ids {
            options.push("exclude_identical_ids".to_owned());
        }
        if self.unscorable == Unscorable::Told {
            options.push("tell_errors".to_owned());
        }
        options.join(";")
    }

    /// What scores a query's rows.
    pub fn kernel(&self) -> Kernel {
        let kernel = Kernel::new(self.metrics.clone()).judging(self.judging).order(self.order);
        match self.max_grade {
            Some(grade) => kernel.max_grade(grade),
            None => kernel,
        }
    }
}

/// ERR's chance that a document satisfies is relative to the highest grade there is.
fn looks_at_max_grade(metric: &Metric) -> bool {
    metric.to_string().starts_with("ERR")
}

/// Each metric once, as [`Scoring`](rankgate_cli::offline::Scoring) takes them.
fn unique(metrics: impl IntoIterator<Item = Metric>) -> Vec<Metric> {
    let mut unique = Vec::new();
    for metric in metrics {
        if !unique.contains(&metric) {
            unique.push(metric);
        }
    }
    unique
}

fn grade(key: &str, value: &str) -> Result<i32> {
    value.parse().map_err(|_| exec_datafusion_err!("rank_eval: `{key}={value}` is no whole number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_come_back_as_they_were() {
        let options = Options {
            metrics: parse_list("nDCG@10,ERR@5").unwrap().into_iter().map(|one| one.metric).collect(),
            judging: Judging { relevant_from: 2, exclude_identical_ids: true, ..Judging::default() },
            order: Order::Rank,
            max_grade: Some(4),
            unscorable: Unscorable::Told,
        };
        assert_eq!(Options::parse(&options.metrics_text(), &options.text()).unwrap(), options);
    }

    #[test]
    fn what_is_no_option_is_an_error() {
        let message = |metrics, options| Options::parse(metrics, options).unwrap_err().to_string();
        assert!(message("", "relevant=2").contains("option `relevant=2` is none of relevant_from=GRADE"));
        assert!(message("", "relevant_from=two").contains("`relevant_from=two` is no whole number"));
        assert!(message("nDGC@10", "").contains("nDGC@10"));
        assert!(message("ERR@10", "").contains("ERR@10 depends on the highest grade of all judgments"));
    }
}
