//! A candidate against a baseline over the collections of a suite, and limits on means over them.

use crate::gate::Weights;
use crate::model::{
    CollectionFinding, Expect, GateReport, HarmReport, OtherCollections, SuiteFinding, SuiteThresholdFinding,
    Unmet, UnmetGate, Verdict,
};
use crate::report::clean::{clean, shorten_name};
use crate::report::number::{DECIMALS, apart, change, counted, fixed, interval, p_value, percent, queries};
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
        let mut text = self.whole.headline_of(self.alone()) + &over;
        let exceeded = names(&self.collections, |one| one.keeps_limit == Some(Outcome::Failed));
        let open = names(&self.collections, |one| one.keeps_limit == Some(Outcome::Inconclusive));
        if context.gate.verdict != Verdict::Passed {
            if let Some(exceeded) = exceeded {
                text += &format!(", and loses too much in {exceeded}");
            } else if let Some(open) = open {
                text += &format!(", and may lose too much in {open}");
            }
        }
        text
    }

    fn short(&self, decimals: usize) -> Text {
        let whole = self.whole.short(decimals);
        let whole = match &self.unmet {
            Some(unmet) => whole.and(format!("; {}", in_short(unmet))),
            None => whole,
        };
        match &self.harm_at_most {
            Some(harm) if harm.verdict != Verdict::Passed => whole.and(format!(" harm {}", harm.verdict)),
            Some(_) | None => whole,
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
        let reason = match self.cause(context.gate.verdict) {
            None => evidence::reason(&self.whole),
            Some(cause) => format!("{cause}; over all of them: {}", evidence::reason(&self.whole)),
        };
        let mut part = vec![Block::paragraph(verdict(context.gate.verdict).and(": ").and(reason))];
        part.extend(evidence::claims(&self.whole, self.collections.len()));
        if let Some(harm) = &self.harm_at_most {
            part.push(Block::nested(self.harm(harm)));
        }
        part.extend(self.unmet.as_ref().map(|unmet| Block::nested(as_well(unmet))));
        if let Some(effect) = self.whole.minimum_detectable_effect
            && evidence::settling(&self.whole, context).is_some()
        {
            let kind = match self.whole.expectation_or_gain() {
                Expect::NoRegression => "drop",
                Expect::Improvement => "gain",
                Expect::NonInferiority | Expect::Equivalence => "margin",
                Expect::Identical | Expect::Overlap => "difference",
            };
            part.push(Block::nested(format!(
                "the smallest {kind}, the same in every collection, that these {} could have shown is about {} with power 0.8; \
                 `rankgate power --suite` says how many queries of each collection a smaller one takes",
                queries(self.whole.queries),
                fixed(effect, apart(effect, 0.0, DECIMALS).min(6))
            )));
        }
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

    /// What decided where the mean over all collections did not.
    fn cause(&self, verdict: Verdict) -> Option<String> {
        if evidence::agrees(self.alone(), verdict) {
            return None;
        }
        self.harm_at_most.as_ref().map(|harm| match harm.verdict {
            Verdict::Failed => "too large a loss is shown in a collection".to_owned(),
            _ => "too large a loss in a collection is not ruled out".to_owned(),
        })
    }

    /// A row for each collection, and one of all queries alike.
    fn table(&self) -> Table {
        let mut table = Table::default().right([1]).rest(30, REMARK);
        for one in &self.collections {
            let limits =
                one.interval.map_or_else(|| "no interval".to_owned(), |limits| interval(limits, LIMITS));
            let [before, after] = [one.baseline_mean, one.candidate_mean].map(|mean| fixed(mean, DECIMALS));
            let remark =
                format!("{before} to {after}, {}, weight {}", queries(one.queries), share_of(one.share));
            let name = collection_name(&one.benchmark, one.group.as_deref());
            table.row([name.into(), change(one.difference, DECIMALS), Text::number(limits), remark.into()]);
        }
        // Where each query counts alike, that is the mean above.
        if self.weights != Weights::Queries {
            let [before, after] =
                [self.micro.baseline_mean, self.micro.candidate_mean].map(|mean| fixed(mean, DECIMALS));
            let remark = format!(
                "{before} to {after}, were each of the {} to count alike",
                queries(self.whole.queries)
            );
            let difference = change(self.micro.difference, DECIMALS);
            table.row(["all queries".into(), difference, Text::default(), remark.into()]);
        }
        table
    }

    /// The table of collections, beside the mean.
    fn claims(&self) -> Vec<(String, Text)> {
        let better = &self.better_in;
        let in_some = match better.at_least {
            0 => format!("not shown in any of {} ({} of at least one)", better.of, p_value(better.p)),
            all if all == better.of => format!("shown in all {} ({})", better.of, p_value(better.p)),
            some => format!("shown in at least {some} of {} ({})", better.of, p_value(better.p)),
        };
        let worse = match names(&self.collections, |one| self.worse_in.contains(&one.benchmark)) {
            None => "shown in none (Holm)".to_owned(),
            Some(names) => format!("shown in {names} (Holm)"),
        };
        vec![
            ("better".to_owned(), in_some.into()),
            ("worse".to_owned(), worse.into()),
            ("others".to_owned(), others(&self.others).into()),
        ]
    }

    fn harm(&self, harm: &HarmReport) -> String {
        let limit = harm.limit;
        let exceeded = names(&self.collections, |one| one.keeps_limit == Some(Outcome::Failed));
        let open = names(&self.collections, |one| one.keeps_limit == Some(Outcome::Inconclusive));
        match (exceeded, open) {
            (Some(exceeded), _) => format!("harm-at-most {limit}: a larger loss is shown in {exceeded}"),
            (None, Some(open)) => format!("harm-at-most {limit}: not shown to be kept in {open}"),
            (None, None) => format!("harm-at-most {limit}: shown to be kept in each collection"),
        }
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

/// What the collections say of others like them.
fn others(others: &OtherCollections) -> String {
    match *others {
        OtherCollections::TooFew { collections, smallest_p, level, needed } => format!(
            "{} cannot show anything of other collections: the smallest possible {} is above the level of {level}; it \
             takes {needed}",
            counted(collections, "collection", "collections"),
            p_value(smallest_p)
        ),
        OtherCollections::NoVariance => {
            "no claim is made about other collections: in one of these all queries differ by the same"
                .to_owned()
        }
        OtherCollections::Pooled {
            collections, mean, interval: limits, prediction, i_squared, p, ..
        } => format!(
            "in collections like these {collections} the mean difference is {} {}, in one more {} is to be expected \
             (random effects); {} of the variance between them is not chance; {} by signs of collections",
            change(mean, DECIMALS),
            interval(limits, DECIMALS),
            interval(prediction, DECIMALS),
            percent((i_squared * 100.0).round() / 100.0),
            p_value(p)
        ),
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

/// A collection's name, and its group's.
fn collection_name(benchmark: &str, group: Option<&str>) -> String {
    let name = shorten_name(benchmark, NAME);
    group.map_or_else(|| name.clone(), |group| format!("{name} ({})", shorten_name(group, NAME)))
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
