//! A limit on one metric of one configuration.

use crate::gate::Standing;
use crate::metric::Polarity;
use crate::model::{Bound, GateReport, Limit, Movers, ThresholdFinding, Verdict, Warning};
use crate::report::clean::{shorten, shorten_name};
use crate::report::number::{
    DECIMALS, apart, count, counted, decimals, fixed, interval, is_count, percent, queries,
};
use crate::report::page::{Block, Part, Table, whole};

use crate::findings::Kind;
use crate::report::message::movers::Way;
use crate::report::message::{About, Context, NAME, REMARK, movers, warnings};
use crate::report::phrases::{is_share, measure_in_words};
use crate::report::verdict::word;
use crate::report::{polarity, suite};
use crate::words::agree;

impl Kind for ThresholdFinding {
    fn movers(&self) -> Option<&Movers> {
        Some(&self.movers)
    }

    fn says_better(&self) -> Option<(&str, Polarity)> {
        let limits = [(self.min.is_some(), self.max.is_some())];
        Some((&self.metric, Polarity::Unknown.or_limits(limits)))
    }

    fn headline(&self, context: &Context) -> String {
        let subject = match self.bound {
            Bound::Mean | Bound::EveryQuery => context.name(),
            Bound::Lower | Bound::Upper => format!("the {} of {}", self.value(), context.name()),
        };
        let limit = if self.min.is_some() { "threshold" } else { "limit" };
        let said = match (context.gate.verdict, self.held, self.broken()) {
            (Verdict::Error, ..) => format!("could not be held against its {limit}"),
            (_, None, _) => "cannot be known".to_owned(),
            _ if self.bound == Bound::EveryQuery => self.over_every_query(limit),
            (Verdict::Inconclusive, ..) | (Verdict::Advisory, _, None) => {
                format!("is undecided against its {limit}")
            }
            (Verdict::Passed, ..) => format!("keeps its {limit}"),
            (_, _, Some(Limit::Min)) => "is below its threshold".to_owned(),
            (_, _, Some(Limit::Max)) => "is above its limit".to_owned(),
            (_, _, None) => format!("does not keep its {limit}"),
        };
        let measure = measure_in_words(&self.metric, self.segment.as_ref());
        let over = suite::over(&self.collections);
        format!("{subject} {said} on {measure}{over}")
    }

    fn short(&self, least: usize) -> String {
        let Some(held) = self.held else {
            return format!("no interval: {}", shorten(&self.measured.interval_kind, 40));
        };
        if self.bound == Bound::EveryQuery {
            let breaking = self.breaking();
            let (verb, all) = (agree(breaking, "breaks", "break"), queries(self.queries));
            return format!("{breaking} of {all} {verb} it");
        }
        let number = |value| fixed(value, self.decimals(least));
        let what = match self.bound {
            Bound::Mean => String::new(),
            Bound::Lower | Bound::Upper | Bound::EveryQuery => format!("{} ", self.value()),
        };
        let value = number(held);
        let (least, said) = match (self.broken(), self.min, self.max) {
            (Some(Limit::Min), Some(min), _) => (String::new(), format!("{value} < {}", number(min))),
            (Some(Limit::Max), _, Some(max)) => (String::new(), format!("{value} > {}", number(max))),
            (_, Some(min), Some(max)) => {
                (format!("{} <= ", number(min)), format!("{value} <= {}", number(max)))
            }
            (_, Some(min), None) => (String::new(), format!("{value} >= {}", number(min))),
            (_, None, Some(max)) => (String::new(), format!("{value} <= {}", number(max))),
            (_, None, None) => (String::new(), value),
        };
        format!("{}{what}{}", whole(&least), whole(&said))
    }

    fn about(&self, gate: &GateReport) -> About {
        let metric = Some(self.metric.clone());
        About { candidate: gate.configuration.clone(), baseline: "golden".to_owned(), metric }
    }

    fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    fn body(&self, context: &Context) -> Vec<Part> {
        let warnings = warnings::part(&self.warnings);
        let numbers = vec![Block::Table(self.numbers(context))];
        if !self.collections.is_empty() {
            return vec![warnings, numbers, vec![Block::Table(suite::by_collection(&self.collections))]];
        }
        let polarity = polarity::of_finding(self);
        if self.bound == Bound::EveryQuery {
            let breaking = [&self.movers.losses[..], &self.movers.gains].concat();
            let mut part = vec![Block::paragraph(&self.note)];
            part.extend(movers::whole(&breaking));
            return vec![warnings, numbers, part];
        }
        if context.gate.verdict == Verdict::Passed {
            return vec![warnings, numbers];
        }
        let ways: &[Way] = match self.broken() {
            Some(Limit::Max) => &[Way::Rises],
            Some(Limit::Min) | None => &[Way::Falls],
        };
        vec![warnings, numbers, movers::part(&self.movers, self.queries, polarity, ways)]
    }
}

impl ThresholdFinding {
    /// What a limit on every query came to.
    fn over_every_query(&self, limit: &str) -> String {
        match self.breaking() {
            0 => format!("keeps its {limit} for every query"),
            broken => format!("breaks its {limit} for {} of {}", count(broken), queries(self.queries)),
        }
    }

    /// How many queries break a limit that every query has to keep.
    fn breaking(&self) -> usize {
        self.movers.losses.len() + self.movers.gains.len()
    }

    /// The word for the value that the limits apply to.
    fn value(&self) -> &'static str {
        match self.bound {
            Bound::Mean if is_count(&self.metric) => "sum",
            Bound::Mean if is_share(&self.metric) => "share",
            Bound::Mean => "mean",
            Bound::Lower => "lower bound",
            Bound::Upper => "upper bound",
            Bound::EveryQuery if self.max.is_some() => "highest query",
            Bound::EveryQuery => "lowest query",
        }
    }

    /// Enough decimals to see on which side of the limits the value is.
    fn decimals(&self, least: usize) -> usize {
        let ThresholdFinding { min, max, .. } = *self;
        let held = self.held.unwrap_or(self.measured.value);
        // A mean that only rounding tells from its limit is the limit.
        let told = |limit: &f64| Standing::compare(held, *limit) != Standing::Equal;
        let limits = [min, max].into_iter().flatten().filter(told);
        let values: Vec<f64> = [min, max].into_iter().flatten().chain([held]).collect();
        let least = decimals(&self.metric, &values).min(least);
        limits.map(|limit| apart(held, limit, least)).max().unwrap_or(least)
    }

    /// The value, its limits and what was blessed, one a line.
    pub(crate) fn numbers(&self, context: &Context) -> Table {
        let finding = self;
        let digits = self.decimals(DECIMALS);
        let mut table = Table::default().right([1]).rest(30, REMARK);
        let mut row = |label: &str, value, remark: String| {
            table.row([label.to_owned(), fixed(value, digits), remark]);
        };
        let name = shorten_name(&context.gate.configuration, NAME);
        row(&name, finding.measured.value, self.certainty(context));
        if let Some(min) = finding.min {
            row("minimum", min, self.verdict(Limit::Min, min, context));
        }
        if let Some(max) = finding.max {
            row("maximum", max, self.verdict(Limit::Max, max, context));
        }
        if let Some((name, value, remark)) = self.other_side(context, digits) {
            row(&name, value, remark);
        }
        table
    }

    /// How sure the value is.
    fn certainty(&self, context: &Context) -> String {
        let measured = &self.measured;
        let digits = self.decimals(DECIMALS);
        let mut text = match measured.interval {
            Some(limits) => {
                format!("{} CI {}", percent(context.report.confidence), interval(limits, digits))
            }
            None => format!("no interval ({})", measured.interval_kind),
        };
        text += &format!("   {}", queries(self.queries));
        if let Some(groups) = measured.groups {
            text += &format!(" in {}", counted(groups, "group", "groups"));
        }
        match self.unanswered {
            0 => {}
            all if all == self.queries => text += ", not one of them answered",
            some => text += &format!(", {} of them not answered", count(some)),
        }
        if let Some([low, high]) = measured.spread {
            text += &format!("   {} to {} over repeats", fixed(low, digits), fixed(high, digits));
        }
        text
    }

    /// What a limit says of the value.
    fn verdict(&self, limit: Limit, at: f64, context: &Context) -> String {
        let verdict = word(context.gate.verdict);
        let Some(held) = self.held else {
            return format!("{verdict}: there is no {} to hold against it", self.value());
        };
        let gap = fixed((held - at).abs(), self.decimals(DECIMALS));
        let place = match Standing::compare(held, at) {
            Standing::Below => format!(": the {} is {gap} below it", self.value()),
            Standing::Above => format!(": the {} is {gap} above it", self.value()),
            Standing::Equal => format!(": the {} is equal to it", self.value()),
        };
        if self.broken() == Some(limit) {
            format!("{verdict}{place}{}", self.doubt(limit, at))
        } else if self.broken().is_some() {
            format!("kept{place}")
        } else {
            format!("{verdict}{place}")
        }
    }

    /// Whether a broken limit may be chance.
    fn doubt(&self, limit: Limit, at: f64) -> String {
        let queries = queries(self.queries);
        let kept_by_mean = limit.is_kept(self.measured.value, at);
        match (self.bound, self.measured.interval) {
            (Bound::Mean, Some([low, high]))
                if Limit::Max.is_kept(low, at) && Limit::Min.is_kept(high, at) =>
            {
                let what = match limit {
                    Limit::Max => "maximum",
                    Limit::Min => "minimum",
                };
                format!("; the {what} is inside the interval, so {queries} do not rule out chance")
            }
            (Bound::Mean, Some(_)) => ", and so is the whole interval".to_owned(),
            (Bound::Mean, None) | (Bound::EveryQuery, _) => String::new(),
            (Bound::Lower | Bound::Upper, _) if kept_by_mean => {
                "; the mean alone would keep it, but is not known well enough".to_owned()
            }
            (Bound::Lower | Bound::Upper, _) => ", and so is the mean".to_owned(),
        }
    }

    /// The value of the run that is compared with.
    fn other_side(&self, context: &Context, digits: usize) -> Option<(String, f64, String)> {
        let movers = &self.movers;
        let (name, value) = match (&movers.against, movers.against_value, self.measured.golden) {
            (Some(name), Some(value), _) => (shorten_name(name, NAME), value),
            (_, _, Some(golden)) => ("golden".to_owned(), golden),
            _ => return None,
        };
        let change = self.measured.value - value;
        let subject = shorten_name(&context.gate.configuration, NAME);
        let text = match fixed(change.abs(), digits) {
            _ if change == 0.0 => format!("{subject} is the same"),
            gap if change < 0.0 => format!("{subject} is {gap} lower"),
            gap => format!("{subject} is {gap} higher"),
        };
        Some((name, value, text))
    }
}
