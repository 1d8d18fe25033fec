//! A candidate against a baseline over the collections of a suite, and limits on means over them.

use crate::gate::Weights;
use crate::model::{GateReport, SuiteFinding, SuiteThresholdFinding};
use crate::report::clean::shorten_name;
use crate::report::number::{DECIMALS, change, counted, fixed, queries};
use crate::report::page::{Block, Part, Table, Text};
use crate::report::suite::share_of;

use crate::report::message::{About, Context, Message, NAME, REMARK, evidence, warnings};
use crate::report::verdict::verdict;

impl Message for SuiteFinding {
    fn headline(&self, context: &Context) -> String {
        let over = format!(" over {}", counted(self.collections.len(), "collection", "collections"));
        self.whole.headline(context) + &over
    }

    fn short(&self, decimals: usize) -> Text {
        self.whole.short(decimals)
    }

    fn about(&self, gate: &GateReport) -> About {
        self.whole.about(gate)
    }

    fn warnings(&self) -> Vec<String> {
        self.whole.warnings.iter().map(ToString::to_string).collect()
    }

    fn body(&self, context: &Context) -> Vec<Part> {
        let whole = &self.whole;
        let warnings = warnings::part(&self.warnings());
        vec![
            vec![Block::Table(whole.numbers(context)), Block::nested(weighed(self.weights))],
            self.grounds(context),
            vec![Block::Table(self.table())],
            warnings,
            vec![Block::Facts(evidence::details(&self.whole, context, whole.decimals()))],
        ]
    }

    fn grounds(&self, context: &Context) -> Part {
        let reason = evidence::reason(&self.whole);
        let mut part = vec![Block::paragraph(verdict(context.gate.verdict).and(": ").and(reason))];
        part.extend(evidence::claims(&self.whole, self.collections.len()));
        part
    }
}

impl SuiteFinding {
    /// A row for each collection.
    fn table(&self) -> Table {
        let mut table = Table::default().right([1]).rest(30, REMARK);
        for one in &self.collections {
            let [before, after] = [one.baseline_mean, one.candidate_mean].map(|mean| fixed(mean, DECIMALS));
            let remark =
                format!("{before} to {after}, {}, weight {}", queries(one.queries), share_of(one.share));
            let name = shorten_name(&one.benchmark, NAME);
            table.row([name.into(), change(one.difference, DECIMALS), remark.into()]);
        }
        table
    }
}

/// What the numbers of a suite speak of.
fn weighed(weights: Weights) -> &'static str {
    match weights {
        Weights::Equal => {
            "each collection counts alike; it speaks of queries like these in these collections"
        }
        Weights::Queries => "each query counts alike; it speaks of queries like these in these collections",
        Weights::Given => {
            "each collection counts as given; it speaks of queries like these in these collections"
        }
    }
}

impl Message for SuiteThresholdFinding {
    fn headline(&self, context: &Context) -> String {
        let collections = counted(self.by_collection.len(), "collection", "collections");
        format!("{} over {collections}", self.whole.headline(context))
    }

    fn short(&self, decimals: usize) -> Text {
        self.whole.short(decimals)
    }

    fn about(&self, gate: &GateReport) -> About {
        self.whole.about(gate)
    }

    fn body(&self, context: &Context) -> Vec<Part> {
        let mut table = Table::default().right([1]).rest(30, REMARK);
        for one in &self.by_collection {
            let remark = format!("{}, weight {}", queries(one.queries), share_of(one.share));
            table.row([shorten_name(&one.benchmark, NAME), fixed(one.value, DECIMALS), remark]);
        }
        vec![vec![Block::Table(self.whole.numbers(context))], vec![Block::Table(table)]]
    }
}
