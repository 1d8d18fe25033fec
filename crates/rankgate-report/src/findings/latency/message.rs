//! A limit on the time that answers take.

use crate::model::{GateReport, LatencyFinding, MachineReport, NoiseReport};
use crate::report::clean::{clean, shorten_name};
use crate::report::number::{count, counted, fixed, interval, percent, queries, time};
use crate::report::page::{Block, Part, Row, Table, Text};
use crate::stats::{LatencyReason, Quantile};

use crate::report::message::{About, Context, Message, NAME, REMARK, cautions};
use crate::report::verdict::verdict;

/// Decimals of a ratio, and of its interval.
const RATIO: usize = 2;
const LIMITS: usize = 3;

impl Message for LatencyFinding {
    fn headline(&self, context: &Context) -> String {
        let (name, quantile) = (context.name(), self.quantile);
        let limit = match &self.baseline {
            Some(baseline) => format!("{} times as long as {}", self.limit(), clean(baseline)),
            None => self.limit(),
        };
        let whether = format!("whether {name} takes at most {limit} at {quantile}");
        match (self.reason, &self.baseline) {
            (LatencyReason::Within, _) => format!("{name} takes at most {limit} at {quantile}"),
            (LatencyReason::Beyond, Some(_)) => format!("{name} takes more than {limit} at {quantile}"),
            (LatencyReason::Beyond, None) => format!("{name} takes longer than {limit} at {quantile}"),
            (LatencyReason::NotShown, _) => format!("{whether} is not decided"),
            (LatencyReason::Noise, _) => format!("too much noise to tell {whether}"),
            (LatencyReason::FewAnswers | LatencyReason::FewBlocks, _) => format!("{whether} is undecidable"),
            (LatencyReason::Unoptimized, _) => format!("{whether} was not measured"),
        }
    }

    fn short(&self, _: usize) -> Text {
        let quantile = self.quantile;
        match self.reason {
            LatencyReason::FewAnswers | LatencyReason::FewBlocks => self.too_few().into(),
            LatencyReason::Unoptimized => "not measured: the build is not optimized".into(),
            LatencyReason::Noise => format!("{quantile}: {}", cannot_see(self.noise.as_ref())).into(),
            LatencyReason::NotShown => {
                let limits = self.interval.map_or(String::new(), |limits| self.limits(limits));
                format!("{quantile}: the limit {} is in {limits}", self.limit()).into()
            }
            LatencyReason::Within | LatencyReason::Beyond => {
                let sign = if self.reason == LatencyReason::Beyond { ">" } else { "<=" };
                Text::from(format!("{quantile} ")).and(Text::number(format!(
                    "{} {sign} {}",
                    self.value(),
                    self.limit()
                )))
            }
        }
    }

    fn about(&self, gate: &GateReport) -> About {
        let candidate = gate.configuration.clone();
        About { baseline: self.baseline.as_deref().unwrap_or("golden").to_owned(), candidate, metric: None }
    }

    fn cautions(&self) -> Vec<String> {
        self.cautions.iter().map(ToString::to_string).collect()
    }

    fn body(&self, context: &Context) -> Vec<Part> {
        let mut parts = vec![self.numbers(context), cautions::part(&self.cautions())];
        if !self.sides.is_empty() {
            parts.push(vec![Block::Table(labelled(times(self)))]);
            parts.push(vec![Block::paragraph(how_timed(self))]);
        }
        parts
    }

    fn grounds(&self, context: &Context) -> Part {
        self.numbers(context)
    }
}

impl LatencyFinding {
    fn value(&self) -> String {
        match (self.value, self.max_ratio) {
            (None, _) => "\u{2013}".to_owned(),
            (Some(value), Some(_)) => fixed(value, RATIO),
            (Some(value), None) => time(value),
        }
    }

    fn limit(&self) -> String {
        match (self.max_ratio, self.max_ms) {
            (Some(ratio), _) => format!("{ratio}"),
            (None, Some(max)) => time(max),
            (None, None) => String::new(),
        }
    }

    fn limits(&self, limits: [f64; 2]) -> String {
        match self.max_ratio {
            Some(_) => interval(limits, LIMITS),
            None => format!("[{}, {}]", time(limits[0]), time(limits[1])),
        }
    }

    fn too_few(&self) -> String {
        if self.reason == LatencyReason::FewBlocks {
            let (needed, given) = (count(self.blocks_needed), count(self.blocks));
            return format!("undecidable: {needed} blocks are needed, {given} were given");
        }
        let (needed, given) = (count(self.answers_needed), count(self.answers));
        let what = match (self.batch, self.answers == self.queries) {
            (Some(_), _) => "batches",
            (None, true) if self.max_ratio.is_some() => "queries",
            (None, _) => "answers",
        };
        format!("undecidable: {needed} {what} are needed, {given} were given")
    }

    /// The value, its limit and the noise, one a line.
    fn numbers(&self, context: &Context) -> Part {
        let said = verdict(context.gate.verdict).and(": ");
        if self.reason == LatencyReason::Unoptimized {
            let why = "retrievers in this process were built without optimization, and code that is slow then need not be slow \
                       where it is used. Run `cargo test --release`, or write `unoptimized: true` to compare all the same.";
            return vec![Block::hanging(said, why, REMARK)];
        }
        let mut table = Table::default().right([1]).rest(30, REMARK);
        let name = shorten_name(&context.gate.configuration, NAME);
        let what = match &self.baseline {
            Some(other) => format!("{name} / {}", shorten_name(other, NAME)),
            None => format!("{} of {name}", self.quantile),
        };
        let sure = match self.interval {
            Some(limits) => format!("{} CI {}", percent(context.report.confidence), self.limits(limits)),
            None if self.max_ratio.is_none() => "no interval: so few times may all be below it".to_owned(),
            None => "no interval: so few, or such times, exclude no ratio".to_owned(),
        };
        let of = match self.max_ratio {
            Some(_) if self.quantile == Quantile::MEDIAN => {
                "ratio of typical times, query by query; ".to_owned()
            }
            Some(_) => format!("ratio of their {}; ", self.quantile),
            None => String::new(),
        };
        table.row([what.into(), self.value().into(), Text::from(of + &sure)]);
        let limit = if self.max_ratio.is_some() { "limit" } else { "maximum" };
        table.row([limit.into(), self.limit().into(), said.and(self.why(context))]);
        if let Some(noise) = &self.noise {
            let itself = format!(
                "{} against itself: {}",
                clean(self.baseline.as_deref().unwrap_or_default()),
                cannot_see(Some(noise))
            );
            table.row([Text::from("noise"), fixed(noise.ratio, RATIO).into(), itself.into()]);
        }
        vec![Block::Table(table)]
    }

    fn why(&self, context: &Context) -> String {
        match self.reason {
            LatencyReason::Within => "the whole interval is within it".to_owned(),
            LatencyReason::Beyond => "the whole interval is beyond it".to_owned(),
            LatencyReason::NotShown => {
                "it is inside the interval; more `blocks` make that narrower".to_owned()
            }
            LatencyReason::Noise => {
                "the noise is as large as that; four times the `blocks` halve it, and so may a quiet machine"
                    .to_owned()
            }
            LatencyReason::FewBlocks => {
                format!("at a confidence of {} {}", percent(context.report.confidence), self.too_few())
            }
            LatencyReason::FewAnswers => {
                let more = match self.max_ratio {
                    Some(_) if self.quantile == Quantile::MEDIAN => String::new(),
                    Some(_) => "; more `blocks` give more of them".to_owned(),
                    None => {
                        let batches = self.queries.div_ceil(self.batch.unwrap_or(1)).max(1);
                        format!("; `blocks: {}` gives enough of them", self.answers_needed.div_ceil(batches))
                    }
                };
                self.too_few() + &more
            }
            LatencyReason::Unoptimized => self.reason.to_string(),
        }
    }
}

/// Times of each side, and how much they return.
pub fn times(finding: &LatencyFinding) -> Table {
    let header = ["", "p50", "p95", "p99", "max", "results a query"];
    let mut table = Table::headed(header).right(1..header.len());
    let known = |value: Option<f64>| value.map_or("\u{2013}".to_owned(), time);
    for side in &finding.sides {
        let name = shorten_name(&side.configuration, NAME);
        table.row([
            name,
            known(side.p50),
            known(side.p95),
            known(side.p99),
            time(side.max),
            fixed(side.results, 1),
        ]);
    }
    table
}

/// The same with the titles of its columns as a row: messages show tables without a head.
fn labelled(mut table: Table) -> Table {
    let titles = std::mem::take(&mut table.header);
    table.rows.insert(0, Row::Cells(titles));
    table
}

/// How it was measured.
pub fn how_timed(finding: &LatencyFinding) -> String {
    let (asked, at_a_time) = match finding.batch {
        Some(batch) => (
            format!("{} in batches of {}", queries(finding.queries), count(batch)),
            "batch at a time, and so times are of batches",
        ),
        None => (queries(finding.queries), "query at a time"),
    };
    let blocks = counted(finding.blocks, "block", "blocks");
    let warm_up = match finding.warm_up {
        0 => String::new(),
        warm_up => format!(" after {} for warming up", count(warm_up)),
    };
    let order =
        if finding.max_ratio.is_some() { ", each asked of both sides in turns drawn by lot" } else { "" };
    let machine = finding.machine.as_ref().map_or(String::new(), described);
    let left_out =
        finding.sides.iter().any(|side| side.p50.is_none() || side.p95.is_none() || side.p99.is_none());
    let left_out = if left_out { " \u{2013} stands for what so few times do not tell." } else { "" };
    format!(
        "{blocks} of {asked}{warm_up}, one {at_a_time}{order}: service times, in which nothing waits.{machine}{left_out}"
    )
}
/// What cannot be seen for noise.
fn cannot_see(noise: Option<&NoiseReport>) -> String {
    match noise.and_then(|noise| noise.least) {
        Some(least) => format!("this machine cannot see less than {}", rough_percent(least)),
        None => "this machine cannot see any difference in so few times".to_owned(),
    }
}

/// `18%`, `0.7%`: never less than it is, rounding apart.
fn rough_percent(share: f64) -> String {
    let decimals = usize::from(share < 0.1);
    let scale = if decimals == 1 { 1e3 } else { 1e2 };
    let up = (share * scale - 1e-6).ceil() / scale * 100.0;
    format!("{}%", fixed(up, decimals))
}

fn described(machine: &MachineReport) -> String {
    let load = machine.load.map_or(String::new(), |[before, after]| {
        format!(", load {} before and {} after", fixed(before, 1), fixed(after, 1))
    });
    let processors = counted(machine.processors, "processor", "processors");
    format!(" {processors}{load}; the clock's smallest step is {}.", time(machine.clock_ns as f64 / 1e6))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_not_rounded_down() {
        for (share, expected) in
            [(0.18, "18%"), (0.1801, "19%"), (0.007, "0.7%"), (0.0301, "3.1%"), (2.5, "250%")]
        {
            assert_eq!(rough_percent(share), expected);
        }
    }
}
