//! A value that people are to correct and have not judged whole: what it lies between, and who has judged how much.

use crate::model::{BoundReport, BoundsFinding, CorrectedOpen, GateReport, Verdict};
use crate::report::clean::{clean, shorten_name};
use crate::report::number::{DECIMALS, count, counted, fixed, interval, percent, signed};
use crate::report::page::{Block, Part, Table, Text};

use crate::findings::comparison::message::{outcome, short};
use crate::report::message::movers::Way;
use crate::report::message::{About, Context, Message, NAME, REMARK, answers, cautions, corrected, movers};
use crate::report::phrases::measure;
use crate::report::polarity;
use crate::report::verdict::verdict;

/// Decimals in a list of gates.
const SEEN: usize = 3;

impl Message for BoundsFinding {
    fn headline(&self, context: &Context) -> String {
        let on = measure(&self.metric, self.segment.as_ref());
        let name = context.name();
        let until = match context.gate.verdict {
            Verdict::Passed | Verdict::Failed => "",
            _ => " until people have judged more",
        };
        if let (Some(baseline), Some(expect)) = (&self.baseline, self.expect) {
            let said = match context.gate.verdict {
                Verdict::Passed | Verdict::Failed => {
                    outcome(expect, context.gate.verdict, self.limit.is_some(), false)
                }
                _ => "cannot be compared with {}",
            };
            return format!("{name} {} on {on}{until}", said.replace("{}", &clean(baseline)));
        }
        let limit = if self.min.is_some() { "threshold" } else { "limit" };
        let said = match context.gate.verdict {
            Verdict::Passed => format!("keeps its {limit}"),
            Verdict::Failed => format!("does not keep its {limit}"),
            _ => format!("is undecided against its {limit}"),
        };
        format!("{name} {said} on {on}{until}")
    }

    fn short(&self, least: usize) -> Text {
        let people =
            format!("people judged {} of {} drawn whole", count(self.judged_whole), count(self.drawn));
        let (Some(lowest), Some(highest)) = (&self.lowest, &self.highest) else { return people.into() };
        let digits = least.min(SEEN);
        let bounds =
            format!("{} to {}", self.number(lowest.value, digits), self.number(highest.value, digits));
        let limits = [("min", self.min), ("max", self.max), ("limit", self.limit)];
        let limits = limits.iter().filter_map(|(what, at)| Some(format!(" {what} {}", short((*at)?))));
        Text::number(bounds).and(limits.collect::<String>()).and(format!(", {people}"))
    }

    fn about(&self, gate: &GateReport) -> About {
        let baseline = self.baseline.clone().unwrap_or_else(|| "golden".to_owned());
        About { candidate: gate.configuration.clone(), baseline, metric: Some(self.metric.clone()) }
    }

    fn cautions(&self) -> Vec<String> {
        self.cautions.iter().cloned().chain(answers::caution(self.queries, &self.answers)).collect()
    }

    fn body(&self, context: &Context) -> Vec<Part> {
        let cautions = cautions::part(&self.cautions);
        let mut numbers: Part = self.table(context).map(Block::Table).into_iter().collect();
        numbers.extend(self.grounds(context));
        {
            numbers.extend(self.answers.iter().map(answers::counts));
            numbers.extend(self.told_apart.map(answers::apart));
        }
        if context.gate.verdict == Verdict::Passed {
            return vec![cautions, numbers];
        }
        let by_judge = Block::paragraph(format!("by {} alone:", shorten_name(&self.judge, NAME)));
        let moved = movers::part(&self.movers, self.queries, polarity::of_finding(self), &[Way::Falls]);
        let moved = if moved.is_empty() { moved } else { std::iter::once(by_judge).chain(moved).collect() };
        vec![cautions, numbers, moved]
    }

    fn grounds(&self, context: &Context) -> Part {
        let judge = shorten_name(&self.judge, NAME);
        let [one, many] = self.what();
        let drawn = match self.units != self.queries {
            true => counted(self.drawn, "drawn group of queries", "drawn groups of queries"),
            false => counted(self.drawn, "drawn query", "drawn queries"),
        };
        let mut part = vec![Block::paragraph(format!(
            "there is no corrected value: people judged all {many} of {} of {drawn} (of {} in all)",
            count(self.judged_whole),
            count(self.units)
        ))];
        if self.lowest.is_some() {
            part.push(Block::nested(self.readings(context)));
        }
        part.push(Block::nested(format!(
            "judged {} by {judge} alone, without correction by people",
            self.number(self.uncorrected, DECIMALS)
        )));
        if self.abstained > 0 {
            let pairs = if self.is_of_answers() { ["claim", "claims"] } else { ["pair", "pairs"] };
            let pairs = counted(self.pairs, pairs[0], pairs[1]);
            let abstained = count(self.abstained);
            // It need not be this judge: which claims there are says another one.
            part.push(Block::nested(match self.is_of_answers() {
                true => format!("{abstained} of {pairs} without a verdict"),
                false => format!("{judge} gave no grade to {abstained} of {pairs}"),
            }));
        }
        if self.beyond_people > 0 {
            part.push(Block::nested(format!(
                "{} without a claim: no person can say whether {} supported",
                counted(self.beyond_people, "answer is", "answers are"),
                if self.beyond_people == 1 { "it is" } else { "they are" }
            )));
        }
        if let Some(open) = self.open.filter(|open| *open != CorrectedOpen::Unjudged) {
            let grouped = self.units != self.queries;
            let open = corrected::keeps_open(open, self.drawn, self.is_of_answers(), grouped);
            part.extend(open.map(Block::nested));
        }
        if !self.is_of_answers() && self.open == Some(CorrectedOpen::Unjudged) {
            part.extend(corrected::listed(&self.to_judge));
            if self.unjudged == 1 {
                part.push(Block::nested(format!("that {one} decides the verdict")));
            }
        }
        part
    }
}

impl BoundsFinding {
    fn is_of_answers(&self) -> bool {
        !self.answers.is_empty()
    }

    fn what(&self) -> [&'static str; 2] {
        if self.is_of_answers() { ["claim", "claims"] } else { ["document", "documents"] }
    }

    /// A value, or a difference with its sign.
    fn number(&self, value: f64, digits: usize) -> String {
        if self.baseline.is_some() { signed(value, digits) } else { fixed(value, digits) }
    }

    /// Both bounds and the limits, one a line.
    fn table(&self, context: &Context) -> Option<Table> {
        let mut table = Table::default().right([1]).rest(30, REMARK);
        let mut bound = |label: &str, bound: &BoundReport| {
            let sure = percent(context.report.confidence);
            let certainty = bound.interval.map_or("no interval".to_owned(), |limits| {
                format!("{sure} CI {} (t)", interval(limits, DECIMALS))
            });
            let remark = Text::from(certainty).and("   ").and(verdict(bound.verdict));
            table.row([label.into(), self.number(bound.value, DECIMALS).into(), remark]);
        };
        bound("at worst", self.lowest.as_ref()?);
        bound("at best", self.highest.as_ref()?);
        for (label, limit) in [("minimum", self.min), ("maximum", self.max), ("limit", self.limit)] {
            if let Some(limit) = limit {
                let remark = verdict(context.gate.verdict);
                table.row([label.into(), fixed(limit, DECIMALS).into(), remark]);
            }
        }
        Some(table)
    }

    /// What the bounds take for granted.
    fn readings(&self, context: &Context) -> String {
        let [one, many] = self.what();
        let open = counted(self.unjudged, one, many);
        let name = |name: &str| shorten_name(name, NAME);
        match (&self.baseline, self.is_of_answers()) {
            (None, true) => format!("{open} no person judged: at worst none is supported, at best all are"),
            (None, false) => {
                format!(
                    "{open} no person judged: each may be not relevant or highly relevant; at worst each query has the \
                     lowest score that this allows, at best the highest"
                )
            }
            (Some(baseline), true) => format!(
                "{open} no person judged: at worst those of {} are supported and no others, at best those of {}",
                name(baseline),
                name(&context.gate.configuration)
            ),
            (Some(_), false) => format!(
                "{open} no person judged: each may be not relevant or highly relevant; at worst each query has the lowest \
                 difference that this allows, at best the highest"
            ),
        }
    }
}
