//! What a gate rests on: how much of it is there, and what the rest could change.

use std::fmt;

use crate::error::Quoted;
use crate::json::record;
use crate::words::{agree, counted, keywords};

keywords! {
    /// What is counted of what a gate rests on.
    pub enum EvidenceKind {
        /// Queries that are judged, of those that should be.
        Judged = "judged",
        /// Queries with a relevant document, of those that are scored or should be.
        Relevant = "relevant",
        /// Queries that both sides were asked.
        Paired = "paired",
        /// Queries that a side has results for.
        Answered = "answered",
        /// Queries whose answers a metric of answers counts: others are declined, or have nothing to be judged by.
        InMean = "in-mean",
        /// Results of a side that the corpus has, or that were judged.
        InCorpus = "in-corpus",
        /// Queries with a relevant document that the corpus has, of those with one.
        Findable = "findable",
        /// Relevant documents of all queries that the corpus has.
        RelevantInCorpus = "relevant-in-corpus",
        /// Queries whose list in a file goes on down to the cutoff, or as far as the other side's.
        WholeLists = "whole-lists",
    }
}

keywords! {
    /// Who says how many judged queries there should be.
    pub enum ExpectedBy {
        /// The spec, or an option of the command.
        Spec = "spec",
        /// The golden run: so many there were when it was blessed.
        Golden = "golden",
        /// The collection's own files.
        Collection = "collection",
        /// The run files that are compared: so many queries both answer.
        Runs = "runs",
    }
}

record! {
    /// How much of what a gate rests on is there, where it is not all of it.
    #[derive(Clone, Debug, PartialEq)]
    pub struct EvidenceReport {
        /// The share that is needed, from 0 to 1.
        pub at_least: f64,
        /// What is not complete; at least one.
        pub counts: Vec<EvidenceCount>,
        /// What the mean, or the mean difference, could be; `None` where the metric has no range.
        pub bounds?: Option<EvidenceBounds>,
    }
}

record! {
    /// The mean, or the mean difference, were everything that is missing there.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct EvidenceBounds {
        /// With what is missing at the worst for what the gate claims.
        pub worst: f64,
        /// With what is missing at the best for it.
        pub best: f64,
    }
}

record! {
    /// How much of one thing is there.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct EvidenceCount {
        /// What is counted.
        pub kind: EvidenceKind,
        /// The benchmark of a suite that it is counted in.
        pub collection?: Option<String>,
        /// Whose: a configuration, `golden` or `golden@v1.2`; `None` of the collection.
        pub side?: Option<String>,
        /// Who says how many there should be, where that is not what was asked or returned.
        pub by?: Option<ExpectedBy>,
        /// How many there are.
        pub there: usize,
        /// Of how many.
        pub of: usize,
        /// The rank at which most of the lists end that are too short, where that is about one rank.
        pub depth?: Option<usize>,
        /// The rank down to which lists are to go.
        pub cutoff?: Option<usize>,
        /// Ids of the first few that are missing, of queries or documents, as far as they are known.
        pub missing?: Vec<String>,
    }
}

impl EvidenceCount {
    /// The share that is there, from 0 to 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        if self.of == 0 { 1.0 } else { self.there as f64 / self.of as f64 }
    }

    /// Whether lists are short that end at any rank, as those of a retriever do that found no more: that keeps nothing from
    /// being decided.
    fn is_of_varying_lists(&self) -> bool {
        self.kind == EvidenceKind::WholeLists && self.depth.is_none()
    }

    /// Whether it is what the last blessing wrote.
    fn is_golden(&self) -> bool {
        self.side.as_deref() == Some("golden")
    }

    /// What is there, without ids: `old answers 81 of the 162 queries`.
    fn fact(&self) -> String {
        let collection = self.collection.as_ref().map_or(String::new(), |name| format!("{name}: "));
        collection + &self.fact_in_it()
    }

    fn fact_in_it(&self) -> String {
        let side = self.side.as_deref().unwrap_or("the run");
        let (there, of) = (self.there, self.of);
        let queries = |of: usize| counted(of, "query", "queries");
        match (self.kind, self.by) {
            (EvidenceKind::Judged, Some(ExpectedBy::Spec)) => {
                format!("{} judged, where {of} are expected", agree_on(self.there, "is", "are"))
            }
            (EvidenceKind::Judged, Some(ExpectedBy::Golden)) => {
                let were = agree(of, "was", "were");
                format!(
                    "{} judged, where {of} {were} when {side} was blessed",
                    agree_on(self.there, "is", "are")
                )
            }
            (EvidenceKind::Judged, Some(ExpectedBy::Collection) | None) => {
                format!("{there} of the collection's {} {} judged", queries(of), agree(there, "is", "are"))
            }
            (EvidenceKind::Judged, Some(ExpectedBy::Runs)) => format!(
                "{there} of the {} that the runs answer {} judged",
                queries(of),
                agree(there, "is", "are")
            ),
            (EvidenceKind::Relevant, Some(ExpectedBy::Golden)) => format!(
                "{} a relevant document, where {of} had one when {side} was blessed",
                agree_on(there, "has", "have")
            ),
            (EvidenceKind::Relevant, _) => {
                format!("{there} of the {} {} a relevant document", queries(of), agree(there, "has", "have"))
            }
            (EvidenceKind::Paired, _) => {
                format!("{there} of {} {} in {side} as well", queries(of), agree(there, "is", "are"))
            }
            (EvidenceKind::Answered, _) => format!("{side} answers {there} of the {}", queries(of)),
            (EvidenceKind::InMean, _) => {
                format!("{there} of the {} {} in the mean of {side}", queries(of), agree(there, "is", "are"))
            }
            (EvidenceKind::InCorpus, _) => {
                format!("{there} of the {of} results of {side} are in the corpus")
            }
            (EvidenceKind::Findable, _) => format!(
                "{there} of the {} with a relevant document {} one in the corpus",
                queries(of),
                agree(there, "has", "have")
            ),
            (EvidenceKind::RelevantInCorpus, _) => {
                let documents = counted(of, "relevant document", "relevant documents");
                format!("{there} of the {documents} {} in the corpus", agree(there, "is", "are"))
            }
            (EvidenceKind::WholeLists, _) => {
                let cutoff = self.cutoff.unwrap_or_default();
                let end = match self.depth {
                    Some(depth) => format!("end at rank {depth} at the latest"),
                    None => "end earlier".to_owned(),
                };
                format!(
                    "{side} has whole lists for {there} of the {}; the others {end}, and {cutoff} results count",
                    queries(of)
                )
            }
        }
    }

    /// The first few that are missing; `None` where nobody knows any.
    fn examples(&self) -> Option<String> {
        let mut ids: Vec<String> = self.missing.iter().map(|id| Quoted(id).to_string()).collect();
        // The same document may be missing often: how many more there are nobody counted.
        if matches!(self.kind, EvidenceKind::InCorpus | EvidenceKind::RelevantInCorpus) {
            if ids.len() == Self::NAMED {
                ids.push("...".to_owned());
            }
        } else if let more @ 1.. = (self.of - self.there).saturating_sub(ids.len()) {
            ids.push(format!("{more} more"));
        }
        (!self.missing.is_empty()).then(|| ids.join(", "))
    }

    /// What can be done about it beside accepting it; without remedies what holds wherever it is asked for.
    fn mend(&self, remedies: Option<&EvidenceRemedies>) -> String {
        let there = self.there;
        let what = match (self.kind, self.by) {
            (EvidenceKind::Judged | EvidenceKind::Relevant, Some(ExpectedBy::Golden)) => {
                return "restore the judgments".to_owned() + ", or bless on today's";
            }
            (EvidenceKind::Judged, Some(ExpectedBy::Collection)) => {
                let meant = remedies.map(|remedies| {
                    format!(
                        ", or, where the others are of a split without a file of judgments here, {}",
                        (remedies.split)(there)
                    )
                });
                return "restore the judgments".to_owned() + &meant.unwrap_or_default();
            }
            (EvidenceKind::Judged, _) => {
                let meant = remedies.map(|remedies| format!(", or {}", (remedies.queries)(there)));
                return "restore the judgments".to_owned() + &meant.unwrap_or_default();
            }
            (EvidenceKind::Relevant, _) => {
                let meant = remedies.map(|remedies| format!("; {}", remedies.unjudgeable));
                return "restore the judgments".to_owned() + &meant.unwrap_or_default();
            }
            (EvidenceKind::Paired, _) => "bless on today's queries",
            (EvidenceKind::Answered, _) => {
                return format!("have {} answer them", self.side.as_deref().unwrap_or("it"));
            }
            (EvidenceKind::InMean, _) => {
                "have them answered and not declined, and give each a reference where the metric needs one"
            }
            (EvidenceKind::WholeLists, _) => {
                let (cutoff, depth) = (self.cutoff.unwrap_or_default(), self.depth.unwrap_or(1));
                let run = match self.is_golden() {
                    true => "bless again".to_owned(),
                    false => format!(
                        "make the run of {} with {cutoff} results",
                        self.side.as_deref().unwrap_or("it")
                    ),
                };
                let meant = remedies.map(|remedies| {
                    format!(", or, where lists are meant to end there, {}", (remedies.depth)(depth))
                });
                return run + &meant.unwrap_or_default();
            }
            (EvidenceKind::InCorpus, _) => "make the run on this corpus",
            (EvidenceKind::Findable | EvidenceKind::RelevantInCorpus, _) => {
                "restore the documents and their texts, or take the judgments of this corpus"
            }
        };
        what.to_owned()
    }
}

#[doc(hidden)]
impl EvidenceCount {
    /// Ids that are named.
    pub const NAMED: usize = 5;

    /// So many of so many, of the collection itself, of which nothing more is known.
    pub fn new(kind: EvidenceKind, there: usize, of: usize) -> Self {
        Self {
            kind,
            collection: None,
            side: None,
            by: None,
            there,
            of,
            depth: None,
            cutoff: None,
            missing: Vec::new(),
        }
    }
}

fn agree_on(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", counted(number, "query", "queries"), agree(number, one, many))
}

impl EvidenceReport {
    /// The smallest share that is there.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.counts.iter().map(EvidenceCount::share).fold(1.0, f64::min)
    }

    /// The same in percent, rounded down: `98.1%`.
    #[must_use]
    pub fn percentage(&self) -> String {
        percent(self.share())
    }

    /// Whether there is enough of everything.
    #[must_use]
    pub fn is_enough(&self) -> bool {
        self.short().next().is_none()
    }

    /// What there is too little of.
    fn short(&self) -> impl Iterator<Item = &EvidenceCount> {
        let is_short =
            |count: &&EvidenceCount| count.share() < self.at_least - 1e-9 && !count.is_of_varying_lists();
        self.counts.iter().filter(is_short)
    }

    /// Why nothing is decided, and what to do.
    #[must_use]
    pub fn reason(&self, remedies: &EvidenceRemedies) -> String {
        let share = (remedies.share)(&enough(self.share()));
        self.text(Some(remedies)) + &format!("\nwhere so little is meant to be there: {share}")
    }

    /// What there is too little of first, in one line.
    #[must_use]
    pub fn summary(&self) -> String {
        self.text(None).lines().next().unwrap_or_default().to_owned()
    }

    /// What there is too little of.
    fn text(&self, remedies: Option<&EvidenceRemedies>) -> String {
        let needed = percent(self.at_least);
        let mut text = String::new();
        for count in self.short() {
            if !text.is_empty() {
                text += "\n";
            }
            text += &format!("{}: {}, and {needed} is needed", count.fact(), percent(count.share()));
            if let Some(missing) = count.examples() {
                text += &format!("\n  missing: {missing}");
            }
            text += &format!("\n  {}", count.mend(remedies));
        }
        text
    }
}

#[doc(hidden)]
impl EvidenceReport {
    /// What is not complete in the benchmarks of a suite, each by its name; `None` where everything is.
    pub fn of_suite(all: Vec<(String, Self)>) -> Option<Self> {
        let at_least = all.iter().map(|(_, one)| one.at_least).reduce(f64::min)?;
        let of_one = |(name, one): (String, Self)| {
            let collection = Some(name);
            one.counts.into_iter().map(move |count| EvidenceCount { collection: collection.clone(), ..count })
        };
        Some(Self { at_least, counts: all.into_iter().flat_map(of_one).collect(), bounds: None })
    }

    /// Whether it is a golden run that is behind, so that blessing would mend it.
    pub fn is_behind(&self) -> bool {
        self.short().any(|count| {
            let is_short_golden = count.kind == EvidenceKind::WholeLists && count.is_golden();
            count.kind == EvidenceKind::Paired || count.by == Some(ExpectedBy::Golden) || is_short_golden
        })
    }
}

/// What to write where evidence is asked for, so that less of it is enough: who asks says it in their own words.
#[derive(Clone, Copy, Debug)]
pub struct EvidenceRemedies {
    /// So that this share is enough.
    pub share: fn(&str) -> String,
    /// So that this many judged queries are meant; reads well after `restore the judgments, or `.
    pub queries: fn(usize) -> String,
    /// The same where files have queries of a split that they do not judge; reads well after `where ..., `.
    pub split: fn(usize) -> String,
    /// So that lists are whole that have this many results; reads well after `where lists are meant to end there, `.
    pub depth: fn(usize) -> String,
    /// What becomes of queries that are meant to have no relevant document, as a sentence.
    pub unjudgeable: &'static str,
}

/// Too little of what a comparison or an assertion rests on is there: the error under an [`Error`](rankgate_core::Error).
///
/// Its text says what is missing. What can be written so that less is enough is for those to add who asked, by
/// [`EvidenceReport::reason`].
#[derive(Clone, Debug, PartialEq)]
pub struct EvidenceShortage(EvidenceReport);

impl EvidenceShortage {
    /// How much is there.
    #[must_use]
    pub fn report(&self) -> &EvidenceReport {
        &self.0
    }
}

#[doc(hidden)]
impl EvidenceShortage {
    /// The error where there is too little.
    ///
    /// # Errors
    /// Where there is.
    pub fn check(report: Option<&EvidenceReport>) -> rankgate_core::Result<()> {
        match report {
            Some(short) if !short.is_enough() => {
                Err(crate::Error::other(rankgate_core::ErrorKind::BadInput, Self(short.clone())))
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for EvidenceShortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text(None))
    }
}

impl std::error::Error for EvidenceShortage {}

/// What a reader should know before believing the verdict.
impl fmt::Display for EvidenceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, count) in self.counts.iter().enumerate() {
            let between = if place == 0 { "" } else { "; " };
            write!(f, "{between}{}", count.fact())?;
            if let Some(missing) = count.examples() {
                write!(f, " (not {missing})")?;
            }
        }
        match self.bounds {
            Some(EvidenceBounds { worst, best }) => {
                write!(f, "; what is missing could make it {worst:.4} at worst and {best:.4} at best")
            }
            None => Ok(()),
        }
    }
}

/// A share as a percentage, with a decimal where that is needed.
fn percent(share: f64) -> String {
    let text = format!("{:.1}", (share * 1000.0).floor() / 10.0);
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}

/// The largest number of two significant digits that is no larger.
fn enough(share: f64) -> String {
    if share <= 0.0 {
        return "0".to_owned();
    }
    let scale = 10_f64.powi(2 - (share.log10().floor() as i32 + 1).min(1));
    format!("{}", (share * scale + 1e-9).floor() / scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(kind: EvidenceKind, there: usize, of: usize) -> EvidenceCount {
        let missing = (0..(of - there).min(EvidenceCount::NAMED)).map(|id| format!("q{id}"));
        let missing = missing.collect();
        EvidenceCount { missing, side: Some("old".to_owned()), ..EvidenceCount::new(kind, there, of) }
    }

    fn report(counts: Vec<EvidenceCount>) -> EvidenceReport {
        EvidenceReport { at_least: 0.9, counts, bounds: None }
    }

    #[test]
    fn the_share_that_would_do_is_no_larger_than_what_is_there() {
        for (share, expected) in [
            (0.5, "0.5"),
            (1.0 / 162.0, "0.0061"),
            (145.0 / 162.0, "0.89"),
            (0.0, "0"),
            (1.0, "1"),
            (0.1, "0.1"),
        ] {
            assert_eq!(enough(share), expected);
        }
    }

    #[test]
    fn a_share_is_never_rounded_up_to_what_is_needed() {
        assert_eq!(percent(0.8999), "89.9%");
        assert_eq!(percent(0.9), "90%");
        assert!(!report(vec![count(EvidenceKind::Answered, 8_999, 10_000)]).is_enough());
        assert!(report(vec![count(EvidenceKind::Answered, 9, 10)]).is_enough());
    }

    #[test]
    fn too_little_says_what_is_missing_and_what_to_do() {
        let all =
            report(vec![count(EvidenceKind::Answered, 81, 162), count(EvidenceKind::Relevant, 160, 162)]);
        let remedies = EvidenceRemedies {
            share: |share| format!("`evidence: {{at-least: {share}}}`"),
            queries: |queries| format!("`evidence: {{queries: {queries}}}`"),
            split: |queries| format!("`evidence: {{queries: {queries}}}`"),
            depth: |depth| format!("`evidence: {{depth: {depth}}}`"),
            unjudgeable: "`skip-unjudgeable` leaves them out",
        };
        assert_eq!(
            all.reason(&remedies),
            "old answers 81 of the 162 queries: 50%, and 90% is needed\n  missing: `q0`, `q1`, `q2`, `q3`, `q4`, 76 \
             more\n  have old answer \
             them\nwhere so little is meant to be there: `evidence: {at-least: 0.5}`"
        );
        assert!(!all.is_behind());
    }
}
