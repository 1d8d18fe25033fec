//! Judgments of documents by a model and people, as gates look at them.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::{Judges, NO_CLAIMS};
use crate::error::Quoted;
use crate::evaluation::Evaluation;
use crate::gate::State;
use crate::order::SmallMap;
use crate::spec::JudgePlan;
use crate::words::{agree, counted};
use crate::{Error, ErrorKind, Result};

/// Ids of query and document.
pub(in crate::measure) type Pair = (String, String);

/// What the committed files hold for the spec's judge.
pub(crate) struct JudgedFiles {
    pub(crate) judges: Judges,
    /// Why an existing judgment of a pair does not count.
    pub(in crate::measure) elsewhere: BTreeMap<Pair, String>,
    /// What became of questions that came to no grade.
    pub(in crate::measure) without_grade: BTreeMap<Pair, WithoutGrade>,
    /// Why pairs were not asked about on this machine, and these.
    pub(in crate::measure) unasked: Option<(String, BTreeSet<Pair>)>,
    /// The judge that lacks a pair, where it is another than that of the grades: the one that finds claims.
    pub(in crate::measure) lacking: BTreeMap<Pair, String>,
    /// Tokens of a pair, on average over those that are known.
    pub(in crate::measure) tokens: Option<f64>,
    /// What keeps people's grades from correcting anything.
    pub(in crate::measure) people: Result<()>,
    /// The spec, as commands take it.
    pub(in crate::measure) spec: String,
    /// The judged unit: singular, and plural.
    pub(in crate::measure) what: [&'static str; 2],
}

/// A question that was answered without a grade.
#[cfg_attr(not(feature = "judge"), expect(dead_code, reason = "what reads judgments makes them"))]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::measure) enum WithoutGrade {
    /// The judge, and what became of its answer.
    Failed { judge: String, state: State },
    /// The judge found no claim in this text.
    NoClaim { judge: String, text: String },
}

impl JudgedFiles {
    /// Whether every pair that a gate needs was judged by the model, and of those without a grade there are no more
    /// than allowed.
    ///
    /// # Errors
    /// How many are missing, why, and the command that asks for them; of the kind `NotJudged` where this machine could ask for none
    /// of them.
    pub(crate) fn check(&self, plan: &JudgePlan, sides: &[&Evaluation], cutoff: usize) -> Result<()> {
        let needed = self.judges.needed(sides, cutoff);
        // What has no grade is in it as well.
        let known = self.judges.by_model[1].qrels();
        let missing = needed.iter().filter(|(query, document)| known.grade(query, document).is_none());
        let missing: Vec<Pair> =
            missing.map(|(query, document)| ((*query).to_owned(), (*document).to_owned())).collect();
        if !missing.is_empty() {
            let mut there: BTreeMap<&str, usize> = BTreeMap::new();
            for why in missing.iter().filter_map(|pair| self.elsewhere.get(pair)) {
                *there.entry(why).or_default() += 1;
            }
            let count = missing.len();
            let whose = |pair: &Pair| self.lacking.get(pair).unwrap_or(&self.judges.judge);
            let judges: BTreeSet<&str> = missing.iter().map(|pair| whose(pair).as_str()).collect();
            let judges: Vec<&str> = judges.into_iter().collect();
            let mut said = format!(
                "{count} of {} {} no judgment by {}",
                counted(needed.len(), self.what[0], self.what[1]),
                agree(count, "has", "have"),
                judges.join(" and ")
            );
            for (why, count) in there {
                said += &format!("; {count} {} {why}", agree(count, "has", "have"));
            }
            let tokens = self.tokens.map(|each| format!(" (about {:.0} tokens)", each * count as f64));
            let spec = &self.spec;
            if let Some((reason, unasked)) = &self.unasked
                && missing.iter().all(|pair| unasked.contains(pair))
            {
                said += &format!("\n`rankgate judge {spec} --ci` asks for them where the judge can be asked");
                return Err(Error::with_kind(
                    ErrorKind::NotJudged,
                    format!("not judged here, since {reason}: {said}"),
                ));
            }
            let asks = if self.what[0] == "pair" { count.to_string() } else { "them".to_owned() };
            said += &format!("\n`rankgate judge {spec}` asks for {asks}{}", tokens.unwrap_or_default());
            return Err(Error::invalid(said));
        }
        let without = |(query, document): &&(&str, &str)| {
            self.judges.abstained.get(*query).is_some_and(|documents| documents.contains(*document))
        };
        let abstained: Vec<_> = needed.iter().filter(without).collect();
        let allowed = plan.abstain_at_most;
        if abstained.len() as f64 > allowed * needed.len() as f64 {
            return Err(Error::invalid(self.too_many_without_grade(&abstained, needed.len(), allowed)));
        }
        Ok(())
    }

    /// How many have no grade, whose answers these are, and what helps.
    fn too_many_without_grade(&self, without: &[&(&str, &str)], of: usize, allowed: f64) -> String {
        let of = counted(of, self.what[0], self.what[1]);
        let (count, mut judges, mut states) = (without.len(), BTreeSet::new(), SmallMap::default());
        let (mut claimless, mut unasked) = (Vec::new(), 0_usize);
        for (query, document) in without {
            match self.without_grade.get(&((*query).to_owned(), (*document).to_owned())) {
                Some(WithoutGrade::Failed { judge, state }) => {
                    judges.insert(judge.as_str());
                    *states.get_or_insert_with((*state, judge.as_str()), || 0_usize) += 1;
                }
                Some(WithoutGrade::NoClaim { judge, text }) => claimless.push((judge, text, *query)),
                None if document.starts_with(NO_CLAIMS) => unasked += 1,
                None => *states.get_or_insert_with((State::Abstained, self.judges.judge.as_str()), || 0) += 1,
            }
        }
        let again: BTreeSet<&str> = states
            .keys()
            .filter(|(state, _)| *state != State::Abstained)
            .map(|(state, _)| state.as_str())
            .collect();
        let limit = format!("more than {allowed} of them (`abstain-at-most`)");
        let mut said = match (judges.len(), claimless.len() + unasked) {
            (0 | 1, 0) => {
                let judge = judges.first().copied().unwrap_or(&self.judges.judge);
                let states: Vec<String> =
                    states.iter().map(|((state, _), number)| format!("{number} {state}")).collect();
                format!("{judge} gave no grade to {count} of {of}, {limit}: {}", states.join(", "))
            }
            _ => {
                let mut parts: Vec<String> = states
                    .iter()
                    .map(|((state, judge), number)| format!("{number} {state} by {judge}"))
                    .collect();
                if let [(judge, text, query), ..] = claimless.as_slice() {
                    parts.push(format!(
                        "{judge} found no claim in {}, such as {} of query {}",
                        counted(claimless.len(), "text", "texts"),
                        Quoted(text),
                        Quoted(query)
                    ));
                }
                if unasked > 0 {
                    parts.push(format!("{} empty", counted(unasked, "answer is", "answers are")));
                }
                let have = agree(count, "has", "have");
                format!("{count} of {of} {have} no verdict, {limit}: {}", parts.join("; "))
            }
        };
        if unasked > 0 {
            said += "\nan empty answer is no claim: mend what left it empty, or mark it with `\"declined\": true`, and limit `FalseRefusal`, \
                     which counts both";
        }
        if !claimless.is_empty() {
            said += "\nan answer that says it does not know is marked with `\"declined\": true`, and counted apart";
        }
        if !again.is_empty() {
            let again: Vec<&str> = again.into_iter().collect();
            said += &format!("\n`rankgate judge {} --retry {}` asks again", self.spec, again.join(" "));
        }
        said
    }

    /// What keeps people's grades from correcting anything.
    pub(crate) fn check_people(&self) -> Result<()> {
        self.people.clone()
    }
}
