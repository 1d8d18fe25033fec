//! A limit on the time that answers take.

use crate::model::{GateReport, LatencyFinding, MachineReport, NoiseReport};
use crate::report::clean::{clean, shorten_name};
use crate::report::number::{count, counted, fixed, interval, percent, queries, time};
use crate::report::page::{Block, Part, Table, Text};
use crate::stats::{LatencyReason, Quantile};

use super::{About, CAUTION, Context, NAME, REMARK, Tell, verdict};

/// Decimals of a ratio, and of its interval.
const RATIO: usize = 2;
const LIMITS: usize = 3;

impl Tell for &LatencyFinding {
    fn headline(&self, context: &Context) -> String {
        use LatencyReason::{Beyond, FewAnswers, FewBlocks, Noise, NotShown, Unoptimized, Within};
        let (name, quantile) = (context.name(), self.quantile);
        let beside = self.baseline().map_or(String::new(), |baseline| format!(" beside {baseline}"));
        let asks_for_gain = self.max_ratio.is_some_and(|ratio| ratio < 1.0);
        match self.reason {
            Within if asks_for_gain => format!("{name} is as fast as it has to be{beside} at {quantile}"),
            Beyond if asks_for_gain => format!("{name} is not as fast as it has to be{beside} at {quantile}"),
            Within => format!("{name} keeps its limit on time{beside} at {quantile}"),
            Beyond => format!("{name} takes longer than its limit{beside} at {quantile}"),
            NotShown => format!("{name} cannot be told from its limit on time{beside} at {quantile}"),
            Noise => format!("this machine is too noisy to tell how fast {name} is{beside} at {quantile}"),
            FewAnswers | FewBlocks => format!("{quantile} of the times of {name}{beside} is undecidable"),
            Unoptimized => format!("how fast {name} is{beside} was not measured"),
        }
    }

    fn seen(&self, _: usize) -> Text {
        let quantile = self.quantile;
        match self.reason {
            LatencyReason::FewAnswers | LatencyReason::FewBlocks => self.too_few().into(),
            LatencyReason::Unoptimized => "not measured: the build is not optimized".into(),
            LatencyReason::Noise => format!("{quantile}: {}", cannot_see(self.noise.as_ref())).into(),
            LatencyReason::NotShown => {
                let limits = self.interval.map_or(String::new(), |limits| self.limits(limits));
                format!("{quantile}: {} in {limits}", self.limit()).into()
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
        About { baseline: self.other().unwrap_or("golden").to_owned(), candidate, metric: None }
    }

    fn body(&self, context: &Context) -> Vec<Part> {
        let cautions =
            self.cautions.iter().map(|caution| Block::warning("caution", &caution.to_string(), CAUTION));
        let mut parts = vec![self.numbers(context), cautions.collect()];
        if !self.sides.is_empty() {
            parts.push(vec![Block::Table(self.sides())]);
            parts.push(vec![Block::paragraph(self.how())]);
        }
        parts
    }

    fn grounds(&self, context: &Context) -> Part {
        self.numbers(context)
    }
}

impl LatencyFinding {
    /// What it is compared with, as it is in the data.
    fn other(&self) -> Option<&str> {
        self.sides.get(1).map(|side| side.configuration.as_str())
    }

    fn baseline(&self) -> Option<String> {
        self.other().map(clean)
    }

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
        let what = match (self.max_ratio, self.answers == self.queries, self.batch) {
            (Some(_), true, None) => "queries",
            (_, _, Some(_)) => "batches",
            _ => "answers",
        };
        format!("undecidable: {needed} {what} are needed, {given} were given")
    }

    /// The value, its limit and the noise, one a line.
    fn numbers(&self, context: &Context) -> Part {
        let said = verdict(context.gate.verdict).and(": ");
        if self.reason == LatencyReason::Unoptimized {
            let why = "retrievers in this process were built without optimization, and what is slow then need not be slow \
                       where it is used. Run `cargo test --release`, or write `unoptimized: true` to compare all the same.";
            return vec![Block::hanging(said, why, REMARK)];
        }
        let mut table = Table::default().right([1]).rest(30, REMARK);
        let name = shorten_name(&context.gate.configuration, NAME);
        let what = match self.other() {
            Some(other) => format!("{name} / {}", shorten_name(other, NAME)),
            None => format!("{} of {name}", self.quantile),
        };
        let sure = match self.interval {
            Some(limits) => format!("{} CI {}", percent(context.report.confidence), self.limits(limits)),
            None if self.max_ratio.is_none() => "no interval: so few times may all be below it".to_owned(),
            None => "no interval: so few, or such times, exclude no ratio".to_owned(),
        };
        let of = match self.max_ratio {
            Some(_) if self.quantile == Quantile::MEDIAN => "typical times, query by query; ".to_owned(),
            Some(_) => format!("{} of one over that of the other; ", self.quantile),
            None => String::new(),
        };
        table.row([what.into(), self.value().into(), Text::from(of + &sure)]);
        let limit = if self.max_ratio.is_some() { "limit" } else { "maximum" };
        table.row([limit.into(), self.limit().into(), said.and(self.why(context))]);
        if let Some(noise) = &self.noise {
            let itself = format!(
                "{} against itself: {}",
                self.baseline().unwrap_or_default(),
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
                format!("{} at a confidence of {}", self.too_few(), percent(context.report.confidence))
            }
            LatencyReason::FewAnswers => {
                let more = match (self.queries, self.max_ratio) {
                    (0, _) => String::new(),
                    (_, Some(_)) if self.quantile == Quantile::MEDIAN => "; it takes more queries".to_owned(),
                    (_, Some(_)) => "; more `blocks` give more of them".to_owned(),
                    (queries, None) => {
                        let batches = queries.div_ceil(self.batch.unwrap_or(1));
                        format!("; `blocks: {}` gives enough of them", self.answers_needed.div_ceil(batches))
                    }
                };
                self.too_few() + &more
            }
            LatencyReason::Unoptimized => self.reason.to_string(),
        }
    }

    /// Times of each side, and how much they return.
    fn sides(&self) -> Table {
        let header = ["", "p50", "p95", "p99", "max", "results a query"];
        let mut table = Table::headed(header).right(1..header.len());
        let known = |value: Option<f64>| value.map_or("\u{2013}".to_owned(), time);
        for side in &self.sides {
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

    /// How it was measured.
    fn how(&self) -> String {
        let (asked, at_a_time) = match self.batch {
            Some(batch) => (
                format!("{} in batches of {}", queries(self.queries), count(batch)),
                "batch at a time, and so times are of batches",
            ),
            None => (queries(self.queries), "query at a time"),
        };
        let blocks = counted(self.blocks, "block", "blocks");
        let warm_up = match self.warm_up {
            0 => String::new(),
            warm_up => format!(" after {} for warming up", count(warm_up)),
        };
        let order =
            if self.max_ratio.is_some() { ", each asked of both sides in turns drawn by lot" } else { "" };
        let machine = self.machine.as_ref().map_or(String::new(), described);
        let left_out =
            self.sides.iter().any(|side| side.p50.is_none() || side.p95.is_none() || side.p99.is_none());
        let left_out = if left_out { " \u{2013} stands for what so few times do not tell." } else { "" };
        format!(
            "{blocks} of {asked}{warm_up}, one {at_a_time}{order}: service times, in which nothing waits.{machine}{left_out}"
        )
    }
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
    format!(" {processors}{load}; the clock tells {} apart.", time(machine.clock_ns as f64 / 1e6))
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
