//! Coverage: how much of the data that a gate needs is there.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::Quoted;
use crate::words::{agree, counted, keywords};

keywords! {
    /// What is counted.
    pub enum Covered {
        /// Queries that are judged.
        Judged = "judged",
        /// Queries with a relevant document.
        Relevant = "relevant",
        /// Queries that both sides were asked.
        Paired = "paired",
        /// Judged queries with results.
        Answered = "answered",
        /// Queries with a score in a column.
        Scored = "scored",
        /// Results that the corpus has, or that were judged.
        Results = "results",
        /// Queries of which the corpus has a relevant document.
        Findable = "findable",
        /// Relevant documents that the corpus has.
        Documents = "documents",
        /// Queries whose list reaches the cutoff, or ends with that of the other side.
        Complete = "complete",
    }
}

/// Coverage of a gate whose data are not complete.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct CoverageReport {
    /// The share that is needed, from 0 to 1.
    pub at_least: f64,
    /// What is not complete; at least one.
    pub counts: Vec<CoverageCount>,
}

/// How much of one thing is there.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct CoverageCount {
    /// What is counted.
    pub kind: Covered,
    /// The benchmark of a suite.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collection: Option<String>,
    /// A configuration or a golden run; `None` for the collection. Judged queries of a side are those of the day on
    /// which it was blessed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<String>,
    /// How many there are.
    pub there: usize,
    /// Of how many.
    pub of: usize,
    /// The rank at which most of the short lists end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
    /// Ids of the first few that are missing, of queries or documents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

impl CoverageCount {
    /// The share that is there, from 0 to 1.
    pub fn share(&self) -> f64 {
        if self.of == 0 { 1.0 } else { self.there as f64 / self.of as f64 }
    }

    /// Whether lists end at any rank, as those of a retriever do that found no more: that blocks nothing.
    fn is_of_varying_lists(&self) -> bool {
        self.kind == Covered::Complete && self.depth.is_none()
    }

    /// Whether a golden run is behind, so that blessing mends it.
    fn is_behind(&self) -> bool {
        let is_golden = self.side.as_deref() == Some("golden");
        match self.kind {
            Covered::Paired => true,
            Covered::Judged | Covered::Relevant => self.side.is_some(),
            Covered::Complete => is_golden,
            Covered::Answered
            | Covered::Scored
            | Covered::Results
            | Covered::Findable
            | Covered::Documents => false,
        }
    }

    /// `old has results for 81 of 162 judged queries`.
    fn fact(&self) -> String {
        let collection = self.collection.as_ref().map_or(String::new(), |name| format!("{name}: "));
        let side = self.side.as_deref();
        let name = side.unwrap_or("the run");
        let (there, of) = (self.there, self.of);
        let queries = format!("{there} of {}", counted(of, "query", "queries"));
        let have = agree(there, "has", "have");
        let are = agree(there, "is", "are");
        let then =
            side.map_or(String::new(), |side| format!(", compared with the day on which {side} was blessed"));
        let fact = match self.kind {
            Covered::Judged => format!("{queries} {are} judged{then}"),
            Covered::Relevant => format!("{queries} {have} a relevant document{then}"),
            Covered::Paired => format!("{queries} {are} in {name} as well"),
            Covered::Answered => {
                format!("{name} has results for {there} of {}", counted(of, "judged query", "judged queries"))
            }
            Covered::Scored => format!("{name} has scores for {queries}"),
            Covered::Results => format!("{there} of {of} results of {name} {are} in the corpus"),
            Covered::Findable => format!("{queries} {have} a relevant document in the corpus"),
            Covered::Documents => {
                let documents = counted(of, "relevant document", "relevant documents");
                format!("{there} of {documents} {are} in the corpus")
            }
            Covered::Complete => {
                let end = self.depth.map_or("end early".to_owned(), |depth| format!("end at rank {depth}"));
                format!("{name} has complete lists for {queries}, and the others {end}")
            }
        };
        collection + &fact
    }

    /// What to do: `Add the missing queries`.
    fn fix(&self) -> String {
        match (self.kind, &self.side) {
            (Covered::Judged | Covered::Relevant, Some(_)) => {
                "Restore the judgments, or bless again".to_owned()
            }
            (Covered::Judged, None) => "Restore the judgments".to_owned(),
            (Covered::Relevant, None) => {
                "Restore the judgments, or leave such queries out with `skip-queries-without-relevant`"
                    .to_owned()
            }
            (Covered::Paired, _) => "Bless on today's queries".to_owned(),
            (Covered::Answered, _) => "Add the missing queries".to_owned(),
            (Covered::Scored, _) => {
                "Answers that decline have none: see `FalseRefusal`. Else add the missing scores".to_owned()
            }
            (Covered::Results, _) => "Make the run on this corpus".to_owned(),
            (Covered::Findable | Covered::Documents, _) => {
                "Restore the documents and their texts, or use the judgments of this corpus".to_owned()
            }
            (Covered::Complete, _) if self.is_behind() => "Bless again".to_owned(),
            (Covered::Complete, _) => {
                let depth = self.depth.unwrap_or(1);
                format!("Make the run with more results, or use a metric with a cutoff of {depth}")
            }
        }
    }

    /// The first few that are missing, in parentheses; empty where nobody knows any.
    fn examples(&self) -> String {
        let mut ids: Vec<String> = self.missing.iter().map(|id| Quoted(id).to_string()).collect();
        match self.kind {
            // The same document may be missing often: how many more there are nobody counted.
            Covered::Results | Covered::Documents if ids.len() == Self::NAMED => ids.push("...".to_owned()),
            Covered::Results | Covered::Documents => {}
            _ => {
                if let more @ 1.. = (self.of - self.there).saturating_sub(ids.len()) {
                    ids.push(format!("{more} more"));
                }
            }
        }
        if self.missing.is_empty() { String::new() } else { format!(" ({})", ids.join(", ")) }
    }
}

#[doc(hidden)]
impl CoverageCount {
    /// Ids that are named.
    pub const NAMED: usize = 5;

    /// So many of so many, of the collection itself, of which nothing more is known.
    pub fn new(kind: Covered, there: usize, of: usize) -> Self {
        Self { kind, collection: None, side: None, there, of, depth: None, missing: Vec::new() }
    }

    /// What is there where these are missing.
    pub fn without<'a>(
        kind: Covered,
        side: Option<&str>,
        of: usize,
        missing: impl ExactSizeIterator<Item = &'a str>,
    ) -> Self {
        let there = of - missing.len();
        Self {
            side: side.map(str::to_owned),
            missing: missing.take(Self::NAMED).map(str::to_owned).collect(),
            ..Self::new(kind, there, of)
        }
    }
}

impl CoverageReport {
    /// The share that every gate needs unless somebody lowers it.
    pub const NEEDED: f64 = 0.9;

    /// The smallest share that is there.
    pub fn share(&self) -> f64 {
        self.counts.iter().map(CoverageCount::share).fold(1.0, f64::min)
    }

    /// The same in percent, rounded down: `98.1%`.
    pub fn percentage(&self) -> String {
        percent(self.share())
    }

    /// Whether there is enough of everything.
    pub fn is_enough(&self) -> bool {
        self.short().next().is_none()
    }

    /// What there is too little of.
    fn short(&self) -> impl Iterator<Item = &CoverageCount> {
        let is_short =
            |count: &&CoverageCount| count.share() < self.at_least - 1e-9 && !count.is_of_varying_lists();
        self.counts.iter().filter(is_short)
    }

    /// Why nothing is decided, and what to do; `lower` is what to write so that a share is enough.
    pub fn reason(&self, lower: fn(&str) -> String) -> String {
        format!("{}\nIf this is intended, {}.", self.text(), lower(&enough(self.share())))
    }

    /// What there is too little of first, in one line.
    pub fn summary(&self) -> String {
        self.text().lines().next().unwrap_or_default().to_owned()
    }

    /// What there is too little of, a line each.
    fn text(&self) -> String {
        let needed = percent(self.at_least);
        let line = |count: &CoverageCount| {
            let (fact, share) = (count.fact(), percent(count.share()));
            format!("{fact} ({share}). {needed} is needed. {}{}.", count.fix(), count.examples())
        };
        self.short().map(line).collect::<Vec<_>>().join("\n")
    }
}

#[doc(hidden)]
impl CoverageReport {
    /// What is not complete in the benchmarks of a suite, each by its name; `None` where everything is.
    pub fn of_suite(all: Vec<(String, Self)>) -> Option<Self> {
        let at_least = all.iter().map(|(_, one)| one.at_least).reduce(f64::min)?;
        let of_one = |(name, one): (String, Self)| {
            let collection = Some(name);
            one.counts.into_iter().map(move |count| CoverageCount { collection: collection.clone(), ..count })
        };
        Some(Self { at_least, counts: all.into_iter().flat_map(of_one).collect() })
    }

    /// Whether it is a golden run that is behind, so that blessing would mend it.
    pub fn is_behind(&self) -> bool {
        self.short().any(CoverageCount::is_behind)
    }
}

/// Too low a coverage of a comparison or an assertion: the error under an [`Error`](rankgate_core::Error).
#[derive(Clone, Debug, PartialEq)]
pub struct LowCoverage(CoverageReport);

impl LowCoverage {
    /// How much is there.
    pub fn report(&self) -> &CoverageReport {
        &self.0
    }
}

#[doc(hidden)]
impl LowCoverage {
    /// The error where there is too little.
    ///
    /// # Errors
    /// Where there is.
    pub fn check(report: Option<&CoverageReport>) -> rankgate_core::Result<()> {
        match report {
            Some(short) if !short.is_enough() => {
                Err(crate::Error::other(rankgate_core::ErrorKind::BadInput, Self(short.clone())))
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for LowCoverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text())
    }
}

impl std::error::Error for LowCoverage {}

impl fmt::Display for CoverageReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let facts: Vec<String> = self.counts.iter().map(|count| count.fact() + &count.examples()).collect();
        f.write_str(&facts.join("; "))
    }
}

/// A share as a percentage, with a decimal where that is needed, rounded down.
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

    fn count(kind: Covered, there: usize, of: usize) -> CoverageCount {
        let missing: Vec<String> = (0..of - there).map(|id| format!("q{id}")).collect();
        CoverageCount::without(kind, Some("old"), of, missing.iter().map(String::as_str))
    }

    fn report(counts: Vec<CoverageCount>) -> CoverageReport {
        CoverageReport { at_least: CoverageReport::NEEDED, counts }
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
        assert!(!report(vec![count(Covered::Answered, 8_999, 10_000)]).is_enough());
        assert!(report(vec![count(Covered::Answered, 9, 10)]).is_enough());
    }

    #[test]
    fn low_coverage_names_what_is_missing_and_the_fix() {
        let all = report(vec![count(Covered::Answered, 81, 162), count(Covered::Findable, 160, 162)]);
        assert_eq!(
            all.reason(|share| format!("pass `--min-coverage {share}`")),
            "old has results for 81 of 162 judged queries (50%). 90% is needed. Add the missing queries (`q0`, `q1`, `q2`, \
             `q3`, `q4`, 76 more).\nIf this is intended, pass `--min-coverage 0.5`."
        );
        assert!(!all.is_behind());
    }
}
