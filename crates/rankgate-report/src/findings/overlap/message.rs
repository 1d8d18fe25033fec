//! A candidate against a baseline by their rankings alone.

use crate::gate::Standing;
use crate::model::{Expect, GateReport, OverlapFinding, Verdict, Warning};
use crate::report::clean::{clean, shorten_name};
use crate::report::number::{DECIMALS, apart, count, fixed, interval, percent, queries};
use crate::report::page::{Block, Part, Table, whole};

use crate::findings::Kind;
use crate::report::message::{About, Context, NAME, left_out, movers, warnings};
use crate::report::phrases::measure;
use crate::report::verdict::word;

impl Kind for OverlapFinding {
    fn headline(&self, context: &Context) -> String {
        let [candidate, baseline] = [&self.candidate, &self.baseline].map(|name| clean(name));
        let verdict = context.gate.verdict;
        let said = match (self.is_identical(), verdict) {
            (_, Verdict::Error | Verdict::Inconclusive) => {
                format!("could not be compared with {baseline}")
            }
            (true, Verdict::Passed) => format!("ranks exactly as {baseline} does"),
            (true, _) => format!("does not rank as {baseline} does"),
            (false, Verdict::Passed) => format!("returns much the same as {baseline}"),
            (false, _) => format!("returns too little of what {baseline} returns"),
        };
        match (self.is_identical(), &self.segment) {
            (true, None) => format!("{candidate} {said}"),
            (true, Some(_)) => format!("{candidate} {said} on{}", measure("", self.segment.as_ref())),
            (false, segment) => format!("{candidate} {said} on {}", measure(&self.name(), segment.as_ref())),
        }
    }

    fn short(&self, least: usize) -> String {
        let seen = match self.min {
            _ if self.is_identical() => {
                format!("{} of {} identical", count(self.identical), queries(self.queries))
            }
            Some(min) => {
                let digits = self.digits(least);
                let sign = if Standing::compare(self.overlap, min) == Standing::Below { "<" } else { ">=" };
                let held = format!("{} {sign} {}", fixed(self.overlap, digits), fixed(min, digits));
                format!("overlap {}", whole(&held))
            }
            None => format!("overlap {}", fixed(self.overlap, least)),
        };
        seen + &left_out(self.unpaired)
    }

    fn about(&self, _: &GateReport) -> About {
        let OverlapFinding { candidate, baseline, .. } = self;
        About { candidate: candidate.clone(), baseline: baseline.clone(), metric: None }
    }

    fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    fn body(&self, context: &Context) -> Vec<Part> {
        vec![vec![Block::Table(self.numbers(context))], warnings::part(&self.warnings), self.differing()]
    }
}

impl OverlapFinding {
    fn is_identical(&self) -> bool {
        self.expect == Expect::Identical
    }

    fn name(&self) -> String {
        format!("overlap@{}", self.cutoff)
    }

    /// Enough decimals to see on which side of its minimum the overlap is.
    fn digits(&self, least: usize) -> usize {
        let told = self.min.filter(|&min| Standing::compare(self.overlap, min) != Standing::Equal);
        told.map_or(least, |min| apart(self.overlap, min, least))
    }

    fn numbers(&self, context: &Context) -> Table {
        let verdict = word(context.gate.verdict);
        let digits = self.digits(DECIMALS);
        let mut asked = queries(self.queries);
        if self.unpaired > 0 {
            asked += &format!(", {} left out (on one side only)", count(self.unpaired));
        }
        let cells = |name: &str, number: String, remark: String| [name.to_owned(), number, remark];
        let identical = |remark| cells("identical", count(self.identical), remark);
        let overlap = |remark: &str| cells(&self.name(), fixed(self.overlap, digits), remark.to_owned());

        let mut table = Table::default().right([1]);
        if self.is_identical() {
            let others = self.queries.saturating_sub(self.identical);
            let said = match others {
                0 => ", the same documents in the same order".to_owned(),
                others => format!(", {} ranked differently", queries(others)),
            };
            table.row(identical(format!("of {asked}: {verdict}{said}")));
            table.row(overlap("the share of documents that both return"));
        } else {
            table.row(overlap(&asked));
            if let Some(min) = self.min {
                let gap = fixed((self.overlap - min).abs(), digits);
                let place = match Standing::compare(self.overlap, min) {
                    Standing::Below => format!(": the overlap is {gap} below it"),
                    Standing::Above => format!(": the overlap is {gap} above it"),
                    Standing::Equal => ": the overlap is equal to it".to_owned(),
                };
                table.row(cells("minimum", fixed(min, digits), format!("{verdict}{place}")));
            }
            table.row(identical(format!("of {}", queries(self.queries))));
            if let Some(limits) = self.interval {
                let name = format!("{} CI", percent(context.report.confidence));
                let remark = format!("{} of the overlap", interval(limits, digits));
                table.row(cells(&name, String::new(), remark));
            }
        }
        table
    }

    fn differing(&self) -> Part {
        let finding = self;
        if finding.differing.is_empty() {
            return Part::new();
        }
        let [candidate, baseline] =
            [&finding.candidate, &finding.baseline].map(|name| shorten_name(name, NAME));
        let others = finding.queries.saturating_sub(finding.identical);
        let queries = match self.is_identical() {
            true => "the least alike, where they first part",
            false => "the lowest overlaps, and where the rankings first differ",
        };
        let heading = format!("{queries} ({baseline}, then {candidate}):");
        let mut part = vec![Block::paragraph(heading), movers::parted(&finding.differing, others)];
        let listed = || finding.differing.iter().take(movers::PARTED);
        let (tied, of) = (listed().filter(|one| one.tied).count(), listed().count());
        if tied > 0 {
            let place = if tied == of {
                String::new()
            } else {
                format!("in {} of these {} ", count(tied), count(of))
            };
            part.push(Block::paragraph(format!(
                "{place}the documents have equal scores: break ties by a stable key, such as the document id, or read a run file \
                 in the order of its lines (`order: rank`)"
            )));
        }
        part
    }
}
