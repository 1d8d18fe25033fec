//! Message of a limit on answer times.

use crate::model::{GateReport, Latency, LatencyFinding, Warning};
use crate::report::clean::{clean, shorten_name};
use crate::report::number::{count, counted, fixed, interval, percent, queries, time};
use crate::report::page::{Block, Part, Table, whole};
use crate::stats::LatencyReason;

use crate::findings::Kind;
use crate::report::message::{About, Context, NAME, REMARK, warnings};

/// Decimals of a ratio, and of its interval.
const RATIO: usize = 2;
const LIMITS: usize = 3;

impl Kind for LatencyFinding {
    fn headline(&self, context: &Context) -> String {
        let (name, limit) = (context.name(), self.limit());
        let limit = match &self.baseline {
            Some(baseline) => format!("{limit} times as long as {}", clean(baseline)),
            None => format!("{limit} at {}", self.what()),
        };
        match self.reason {
            LatencyReason::Within => format!("PASSED: {name} takes at most {limit}"),
            LatencyReason::Beyond => format!("FAILED: {name} takes more than {limit}"),
            LatencyReason::NotShown => format!("INCONCLUSIVE: {name} may take more than {limit}"),
            LatencyReason::FewAnswers => {
                format!("INCONCLUSIVE: too few answers to decide if {name} takes at most {limit}")
            }
        }
    }

    fn short(&self, _: usize) -> String {
        let what = self.what();
        let sign = match (self.reason, self.interval) {
            (LatencyReason::Within, _) => "<=",
            (LatencyReason::Beyond, _) => ">",
            (LatencyReason::NotShown, Some(limits)) => {
                return format!("{what}: the limit {} is in {}", self.limit(), self.limits(limits));
            }
            (LatencyReason::NotShown | LatencyReason::FewAnswers, _) => {
                return format!("{what}: too few answers");
            }
        };
        let compared = format!("{} {sign} {}", self.shown(self.value), self.limit());
        format!("{what} {}", whole(&compared))
    }

    fn about(&self, gate: &GateReport) -> About {
        let candidate = gate.configuration.clone();
        About { baseline: self.baseline.as_deref().unwrap_or("golden").to_owned(), candidate, metric: None }
    }

    fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    fn body(&self, context: &Context) -> Vec<Part> {
        vec![
            self.numbers(context),
            warnings::part(&self.warnings),
            vec![Block::Table(self.times())],
            vec![Block::paragraph(self.how_timed())],
        ]
    }

    fn grounds(&self, context: &Context) -> Part {
        self.numbers(context)
    }
}

impl LatencyFinding {
    fn what(&self) -> String {
        self.quantile.clone().unwrap_or_else(|| "time ratio".to_owned())
    }

    fn shown(&self, value: f64) -> String {
        if self.baseline.is_some() { fixed(value, RATIO) } else { time(value) }
    }

    fn limit(&self) -> String {
        if self.baseline.is_some() { self.limit.to_string() } else { time(self.limit) }
    }

    fn limits(&self, limits: [f64; 2]) -> String {
        match self.baseline {
            Some(_) => interval(limits, LIMITS),
            None => format!("[{}, {}]", time(limits[0]), time(limits[1])),
        }
    }

    /// The value and its limit, one per line.
    fn numbers(&self, context: &Context) -> Part {
        let mut table = Table::default().right([1]).rest(30, REMARK);
        let name = shorten_name(&context.gate.configuration, NAME);
        let what = match &self.baseline {
            Some(other) => format!("{name} / {}", shorten_name(other, NAME)),
            None => format!("{} of {name}", self.what()),
        };
        let sure = match self.interval {
            Some(limits) => format!("{} CI {}", percent(context.report.confidence), self.limits(limits)),
            None => "no interval: too few answers".to_owned(),
        };
        table.row([what, self.shown(self.value), sure]);
        let why = match (self.reason, &self.quantile) {
            (LatencyReason::NotShown, _) => "the limit is inside the interval; add queries",
            (LatencyReason::FewAnswers, Some(_)) => "add queries, or limit a lower quantile",
            (LatencyReason::FewAnswers, None) => "add queries",
            (LatencyReason::Within, _) => "the whole interval is within the limit",
            (LatencyReason::Beyond, _) => "the whole interval is beyond the limit",
        };
        table.row(["limit", &self.limit(), why]);
        vec![Block::Table(table)]
    }

    /// Times of each side, and how much it returns.
    fn times(&self) -> Table {
        let titles = ["", "p50", "p95", "max", "results per query"];
        let mut table = Table::default().right(1..titles.len());
        table.row(titles);
        for ((name, Latency { p50, p95, max }), results) in self.sides.iter().zip(&self.results) {
            let times = [p50, p95, max].map(|&took| time(took));
            let cells = std::iter::once(shorten_name(name, NAME)).chain(times).chain([fixed(*results, 1)]);
            table.row(cells);
        }
        table
    }

    fn how_timed(&self) -> String {
        let blocks = counted(self.blocks, "block", "blocks");
        let batches = self.batch.map_or(String::new(), |batch| {
            format!(" in batches of {}, so times are of batches", count(batch))
        });
        let turns = if self.baseline.is_some() { "; both sides answered in turns" } else { "" };
        format!("Measured in {blocks} of {}{batches}, one after the other{turns}.", queries(self.queries))
    }
}
