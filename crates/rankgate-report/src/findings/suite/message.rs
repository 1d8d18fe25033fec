//! A candidate against a baseline over the collections of a suite, and limits on means over them.

use crate::gate::Weights;
use crate::model::{
    CollectionFinding, GateReport, SuiteFinding, SuiteThresholdFinding, Unmet, UnmetGate, Verdict,
};
use crate::report::clean::{clean, shorten_name};
use crate::report::number::{DECIMALS, change, counted, fixed, interval, queries};
use crate::report::page::{Block, Part, Table, Text};
use crate::report::suite::share_of;
use crate::stats::Outcome;
use crate::words::agree;

use crate::report::message::{About, Context, Message, NAME, REMARK, cautions, evidence};
use crate::report::verdict::verdict;

/// Collections that a sentence names.
const NAMED: usize = 5;
/// Gates of collections that a message names.
const GATES: usize = 10;
/// Decimals of an interval in a table.
const LIMITS: usize = 3;

impl Message for SuiteFinding {
    fn headline(&self, context: &Context) -> String {
        let over = format!(" over {}", counted(self.collections.len(), "collection", "collections"));
        if let Some(unmet) = deciding(self.unmet.as_ref(), context) {
            let [candidate, baseline] = [&self.whole.candidate, &self.whole.baseline].map(|name| clean(name));
            let metric = clean(&self.whole.metric);
            return format!("{candidate} against {baseline} on {metric}{over}: {}", in_short(unmet));
        }
        self.whole.headline_of(self.alone()) + &over
    }

    fn short(&self, decimals: usize) -> Text {
        let whole = self.whole.short(decimals);
        match &self.unmet {
            Some(unmet) => whole.and(format!("; {}", in_short(unmet))),
            None => whole,
        }
    }

    fn about(&self, gate: &GateReport) -> About {
        self.whole.about(gate)
    }

    fn cautions(&self) -> Vec<String> {
        self.whole.cautions.iter().map(ToString::to_string).collect()
    }

    fn body(&self, context: &Context) -> Vec<Part> {
        if deciding(self.unmet.as_ref(), context).is_some() {
            return vec![self.grounds(context)];
        }
        let whole = &self.whole;
        let cautions = cautions::part(&self.cautions());
        vec![
            vec![Block::Table(whole.numbers(context)), Block::nested(weighed(self.weights))],
            self.grounds(context),
            vec![Block::Table(self.table())],
            vec![Block::Facts(self.claims())],
            cautions,
            vec![Block::Facts(evidence::details(&self.whole, context, whole.decimals()))],
        ]
    }

    fn grounds(&self, context: &Context) -> Part {
        if let Some(unmet) = deciding(self.unmet.as_ref(), context) {
            return decided_by(unmet, context);
        }
        let reason = evidence::reason(&self.whole);
        let mut part = vec![Block::paragraph(verdict(context.gate.verdict).and(": ").and(reason))];
        part.extend(evidence::claims(&self.whole, self.collections.len()));
        part.extend(self.unmet.as_ref().map(|unmet| Block::nested(as_well(unmet))));
        part
    }
}

impl SuiteFinding {
    /// The statement on the mean over all collections, independent of other demands.
    fn alone(&self) -> Verdict {
        match self.outcome {
            Outcome::Passed => Verdict::Passed,
            Outcome::Failed => Verdict::Failed,
            Outcome::Inconclusive => Verdict::Inconclusive,
        }
    }

    /// A row for each collection.
    fn table(&self) -> Table {
        let mut table = Table::default().right([1]).rest(30, REMARK);
        for one in &self.collections {
            let limits =
                one.interval.map_or_else(|| "no interval".to_owned(), |limits| interval(limits, LIMITS));
            let [before, after] = [one.baseline_mean, one.candidate_mean].map(|mean| fixed(mean, DECIMALS));
            let remark =
                format!("{before} to {after}, {}, weight {}", queries(one.queries), share_of(one.share));
            let name = shorten_name(&one.benchmark, NAME);
            table.row([name.into(), change(one.difference, DECIMALS), Text::number(limits), remark.into()]);
        }
        table
    }

    /// The table of collections, beside the mean.
    fn claims(&self) -> Vec<(String, Text)> {
        let worse = match names(&self.collections, |one| self.worse_in.contains(&one.benchmark)) {
            None => "shown in none (Holm)".to_owned(),
            Some(names) => format!("shown in {names} (Holm)"),
        };
        vec![("worse".to_owned(), worse.into())]
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

/// Collections by name, in the order of the suite; `None` where there is none.
fn names(all: &[CollectionFinding], which: impl Fn(&CollectionFinding) -> bool) -> Option<String> {
    let names: Vec<String> =
        all.iter().filter(|one| which(one)).map(|one| shorten_name(&one.benchmark, NAME)).collect();
    let more = names.len().saturating_sub(NAMED);
    let more = (more > 0).then(|| format!("{more} more"));
    let shown: Vec<&str> = names.iter().take(NAMED).map(String::as_str).chain(more.as_deref()).collect();
    (!shown.is_empty()).then(|| plain_list(&shown))
}

/// `a, b and c`.
fn plain_list(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The collections' own gates where they decide, and not the demand on the collections together.
fn deciding<'a>(unmet: Option<&'a Unmet>, context: &Context) -> Option<&'a Unmet> {
    unmet.filter(|unmet| unmet.decides(context.gate.verdict))
}

/// What a gate of a collection came to, in a sentence.
fn came_to(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Errored => "could not be decided",
        Verdict::Inconclusive => "is inconclusive",
        Verdict::Skipped => "was skipped",
        Verdict::Passed => "passed",
        Verdict::Failed => "failed",
        Verdict::Advisory | Verdict::Reported => "fails nothing",
    }
}

/// The one gate of a collection that does not pass, or how many there are.
fn in_short(unmet: &Unmet) -> String {
    match unmet.gates.as_slice() {
        [one] => format!("{} {}", clean(&one.gate), came_to(one.verdict)),
        all => format!("{} of its collections do not pass", counted(all.len(), "gate", "gates")),
    }
}

/// Each of them, up to as many as a message names.
fn each(unmet: &Unmet) -> Vec<String> {
    let told = |one: &UnmetGate| format!("{} {}", clean(&one.gate), came_to(one.verdict));
    let mut shown: Vec<String> = unmet.gates.iter().take(GATES).map(told).collect();
    if let more @ 1.. = unmet.gates.len().saturating_sub(GATES) {
        shown.push(format!("{more} more"));
    }
    shown
}

/// The cause where gates of the collections decide, and nothing else.
fn decided_by(unmet: &Unmet, context: &Context) -> Part {
    let count = unmet.gates.len();
    let alone = match unmet.without {
        Verdict::Passed | Verdict::Reported => "would pass",
        Verdict::Advisory => "would fail nothing",
        Verdict::Inconclusive => "would be inconclusive",
        Verdict::Errored => "could not be decided",
        Verdict::Skipped => "would be skipped",
        Verdict::Failed => "would fail",
    };
    let text = format!(
        ": {} of its collections {} not pass; without {} this one ",
        counted(count, "gate", "gates"),
        agree(count, "does", "do"),
        agree(count, "it", "them"),
    );
    let text = verdict(context.gate.verdict).and(text).and(alone);
    // An advisory gate fails nothing whatever it comes to; any other one by this word alone.
    let warns = context.gate.verdict == Verdict::Advisory && !context.gate.advisory;
    let warns =
        warns.then(|| "inconclusive; it fails nothing because the spec says `inconclusive: warn`".to_owned());
    std::iter::once(Block::paragraph(text))
        .chain(each(unmet).into_iter().chain(warns).map(Block::nested))
        .collect()
}

/// What stands beside the cause where the collections together decide.
fn as_well(unmet: &Unmet) -> String {
    format!("of its collections' own gates, too: {}", each(unmet).join(", "))
}

impl Message for SuiteThresholdFinding {
    fn headline(&self, context: &Context) -> String {
        let collections = counted(self.by_collection.len(), "collection", "collections");
        if let Some(unmet) = deciding(self.unmet.as_ref(), context) {
            let metric = clean(&self.whole.metric);
            return format!("{} on {metric} over {collections}: {}", context.name(), in_short(unmet));
        }
        format!("{} over {collections}", self.whole.headline(context))
    }

    fn short(&self, decimals: usize) -> Text {
        let seen = self.whole.short(decimals);
        match &self.unmet {
            None => seen,
            Some(unmet) => seen.and(format!("; {}", in_short(unmet))),
        }
    }

    fn about(&self, gate: &GateReport) -> About {
        self.whole.about(gate)
    }

    fn body(&self, context: &Context) -> Vec<Part> {
        if let Some(unmet) = deciding(self.unmet.as_ref(), context) {
            return vec![decided_by(unmet, context)];
        }
        let mut table = Table::default().right([1]).rest(30, REMARK);
        for one in &self.by_collection {
            let remark = format!("{}, weight {}", queries(one.queries), share_of(one.share));
            table.row([shorten_name(&one.benchmark, NAME), fixed(one.value, DECIMALS), remark]);
        }
        let as_well = self.unmet.as_ref().map(|unmet| Block::paragraph(as_well(unmet)));
        vec![
            vec![Block::Table(self.whole.numbers(context))],
            as_well.into_iter().collect(),
            vec![Block::Table(table)],
        ]
    }
}
