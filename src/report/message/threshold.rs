//! A limit on one metric of one configuration.

use crate::benchmark::model::{LimitReport, Standing, ThresholdFinding, Verdict};
use crate::report::clean::{clean, shorten, shorten_name};
use crate::report::number::{DECIMALS, apart, count, decimals, fixed, interval, is_count, percent, queries};
use crate::report::page::{Block, Part, Table, Text};

use super::movers::Way;
use super::{CAUTION, Context, NAME, REMARK, Tell, measure, movers, verdict};

/// A threshold's finding, and what follows from it for the words.
pub(super) struct Threshold<'a> {
    finding: &'a ThresholdFinding,
    side: Side,
    /// The number that is held against the limits; `None` when there is no interval to take it from.
    held: Option<f64>,
    broken: Option<Limit>,
}

/// What is held against the limits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Mean,
    Lower,
    Upper,
}

#[derive(Clone, Copy, PartialEq)]
enum Limit {
    Min(f64),
    Max(f64),
}

impl<'a> From<&'a ThresholdFinding> for Threshold<'a> {
    fn from(finding: &'a ThresholdFinding) -> Self {
        let measured = &finding.measured;
        let (side, held) = match finding.bound.as_str() {
            "lower" => (Side::Lower, measured.interval.map(|[low, _]| low)),
            "upper" => (Side::Upper, measured.interval.map(|[_, high]| high)),
            _ => (Side::Mean, Some(measured.value)),
        };
        let at = |to: Option<LimitReport>, standing| to.is_some_and(|to| to.held == Some(standing));
        let below = finding.min.filter(|_| at(finding.to_min, Standing::Below)).map(Limit::Min);
        let above = finding.max.filter(|_| at(finding.to_max, Standing::Above)).map(Limit::Max);
        Self { finding, side, held, broken: below.or(above) }
    }
}

impl Tell for Threshold<'_> {
    fn headline(&self, context: &Context) -> String {
        let subject = match self.side {
            Side::Mean => context.name(),
            _ => format!("the {} of {}", self.value(), context.name()),
        };
        let limit = if self.finding.min.is_some() { "threshold" } else { "limit" };
        let said = match (context.gate.verdict, self.held, self.broken) {
            (Verdict::Errored, ..) => format!("could not be held against its {limit}"),
            (_, None, _) => "cannot be known".to_owned(),
            (Verdict::Inconclusive, ..) => format!("cannot be told from its {limit}"),
            (Verdict::Passed, ..) => format!("keeps its {limit}"),
            (_, _, Some(Limit::Min(_))) => "is below its threshold".to_owned(),
            (_, _, Some(Limit::Max(_))) => "is above its limit".to_owned(),
            (_, _, None) => format!("does not keep its {limit}"),
        };
        format!("{subject} {said} on {}", measure(&self.finding.metric, self.finding.segment.as_ref()))
    }

    fn seen(&self, least: usize) -> Text {
        let Some(held) = self.held else {
            return format!("no interval: {}", shorten(&self.finding.measured.interval_kind, 40)).into();
        };
        let number = |value| fixed(value, self.decimals(least));
        let what = match self.side {
            Side::Mean => String::new(),
            Side::Lower | Side::Upper => format!("{} ", self.value()),
        };
        let value = number(held);
        let (least, said) = match (self.broken, self.finding.min, self.finding.max) {
            (Some(Limit::Min(min)), ..) => (String::new(), format!("{value} < {}", number(min))),
            (Some(Limit::Max(max)), ..) => (String::new(), format!("{value} > {}", number(max))),
            (None, Some(min), Some(max)) => {
                (format!("{} <= ", number(min)), format!("{value} <= {}", number(max)))
            }
            (None, Some(min), None) => (String::new(), format!("{value} >= {}", number(min))),
            (None, None, Some(max)) => (String::new(), format!("{value} <= {}", number(max))),
            (None, None, None) => (String::new(), value),
        };
        Text::number(least).and(what).and(Text::number(said))
    }

    fn body(&self, context: &Context) -> Vec<Part> {
        let cautions = self.finding.cautions.iter();
        let cautions = cautions.map(|caution| Block::warning("caution", caution, CAUTION)).collect();
        let numbers = vec![Block::Table(self.numbers(context))];
        if context.gate.verdict == Verdict::Passed {
            return vec![cautions, numbers];
        }
        let ways: &[Way] = match self.broken {
            Some(Limit::Max(_)) => &[Way::Gains],
            Some(Limit::Min(_)) | None => &[Way::Losses],
        };
        vec![cautions, numbers, movers::told(&self.finding.movers, self.finding.queries, ways)]
    }
}

impl Threshold<'_> {
    /// The word for what is held against the limits.
    fn value(&self) -> &'static str {
        match self.side {
            Side::Mean if is_count(&self.finding.metric) => "sum",
            Side::Mean => "mean",
            Side::Lower => "lower bound",
            Side::Upper => "upper bound",
        }
    }

    /// Enough decimals to see on which side of the limits the value is.
    fn decimals(&self, least: usize) -> usize {
        // A mean that only rounding tells from its limit is the limit.
        let told = |to: Option<LimitReport>| to.is_none_or(|to| to.held != Some(Standing::Equal));
        let ThresholdFinding { min, max, to_min, to_max, .. } = *self.finding;
        let limits = [min.filter(|_| told(to_min)), max.filter(|_| told(to_max))].into_iter().flatten();
        let held = self.held.unwrap_or(self.finding.measured.value);
        let values: Vec<f64> = [min, max].into_iter().flatten().chain([held]).collect();
        let least = decimals(&self.finding.metric, &values).min(least);
        limits.map(|limit| apart(held, limit, least)).max().unwrap_or(least)
    }

    /// The value, its limits and what was blessed, one a line.
    fn numbers(&self, context: &Context) -> Table {
        let finding = self.finding;
        let digits = self.decimals(DECIMALS);
        let mut table = Table::default().right([1]).rest(30, REMARK);
        let mut row = |label: &str, value, remark: Text| {
            table.row([label.into(), fixed(value, digits).into(), remark]);
        };
        let name = shorten_name(&context.gate.configuration, NAME);
        row(&name, finding.measured.value, self.certainty(context).into());
        if let Some(min) = finding.min {
            row("minimum", min, self.verdict(Limit::Min(min), context));
        }
        if let Some(max) = finding.max {
            row("maximum", max, self.verdict(Limit::Max(max), context));
        }
        if let Some((name, value, remark)) = self.other_side(context, digits) {
            row(&name, value, remark.into());
        }
        table
    }

    /// How sure the value is.
    fn certainty(&self, context: &Context) -> String {
        let measured = &self.finding.measured;
        let digits = self.decimals(DECIMALS);
        let kind = clean(&measured.interval_kind);
        let mut text = match measured.interval {
            Some(limits) => {
                format!("{} CI {} ({kind})", percent(context.report.confidence), interval(limits, digits))
            }
            None => format!("no interval ({kind})"),
        };
        text += &format!("   {}", queries(self.finding.queries));
        match self.finding.unanswered {
            0 => {}
            all if all == self.finding.queries => text += ", not one of them answered",
            some => text += &format!(", {} of them not answered", count(some)),
        }
        if let Some([low, high]) = measured.spread {
            text += &format!("   {} to {} over repeats", fixed(low, digits), fixed(high, digits));
        }
        text
    }

    /// What a limit says of the value.
    fn verdict(&self, limit: Limit, context: &Context) -> Text {
        let verdict = verdict(context.gate.verdict);
        let Some(held) = self.held else {
            return verdict.and(format!(": there is no {} to hold against it", self.value()));
        };
        let (Limit::Min(at) | Limit::Max(at)) = limit;
        let gap = fixed((held - at).abs(), self.decimals(DECIMALS));
        let place = match self.to(limit).and_then(|to| to.held) {
            Some(Standing::Below) => format!(": the {} is {gap} below it", self.value()),
            Some(Standing::Above) => format!(": the {} is {gap} above it", self.value()),
            Some(Standing::Equal) | None => format!(": the {} is equal to it", self.value()),
        };
        if self.broken == Some(limit) {
            verdict.and(place).and(self.doubt(limit))
        } else if self.broken.is_some() {
            Text::from("kept").and(place)
        } else {
            verdict.and(place)
        }
    }

    /// Where the numbers are to a limit.
    fn to(&self, limit: Limit) -> Option<LimitReport> {
        match limit {
            Limit::Min(_) => self.finding.to_min,
            Limit::Max(_) => self.finding.to_max,
        }
    }

    /// Whether a broken limit may be chance.
    fn doubt(&self, limit: Limit) -> String {
        use Standing::{Above, Below};
        let Some(to) = self.to(limit) else { return String::new() };
        let queries = queries(self.finding.queries);
        let kept_by_mean = match limit {
            Limit::Min(_) => to.value != Below,
            Limit::Max(_) => to.value != Above,
        };
        match (self.side, to.interval) {
            (Side::Mean, Some([low, high])) if low != Above && high != Below => {
                let what = if matches!(self.broken, Some(Limit::Max(_))) { "maximum" } else { "minimum" };
                format!("; the {what} is inside the interval, so {queries} do not rule out chance")
            }
            (Side::Mean, Some(_)) => ", and so is the whole interval".to_owned(),
            (Side::Mean, None) => String::new(),
            (Side::Lower | Side::Upper, _) if kept_by_mean => {
                "; the mean alone would keep it, but is not known well enough".to_owned()
            }
            (Side::Lower | Side::Upper, _) => ", and so is the mean".to_owned(),
        }
    }

    /// The value of the run that is compared with.
    fn other_side(&self, context: &Context, digits: usize) -> Option<(String, f64, String)> {
        let movers = &self.finding.movers;
        let (name, value) = match (&movers.against, movers.against_value, self.finding.measured.golden) {
            (Some(name), Some(value), _) => (shorten_name(name, NAME), value),
            (_, _, Some(golden)) => ("golden".to_owned(), golden),
            _ => return None,
        };
        let change = self.finding.measured.value - value;
        let subject = shorten_name(&context.gate.configuration, NAME);
        let mut text = match fixed(change.abs(), digits) {
            _ if change == 0.0 => format!("{subject} is the same"),
            gap if change < 0.0 => format!("{subject} is {gap} lower"),
            gap => format!("{subject} is {gap} higher"),
        };
        // Then the change between the two is not what broke the gate.
        if self.side == Side::Mean {
            let against = self.broken.and_then(|limit| self.to(limit)?.against);
            match (self.broken, against) {
                (Some(Limit::Min(_)), Some(Standing::Below)) => {
                    text += &format!("; {name} is below the minimum as well")
                }
                (Some(Limit::Max(_)), Some(Standing::Above)) => {
                    text += &format!("; {name} is above the maximum as well")
                }
                _ => {}
            }
        }
        Some((name, value, text))
    }
}
