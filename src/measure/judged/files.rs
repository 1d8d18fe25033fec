//! Judgments of documents by a model and people, as gates look at them.

use std::collections::BTreeMap;

use crate::analysis::{Judges, NO_CLAIMS};
use crate::evaluation::Evaluation;
use crate::gate::State;
use crate::spec::JudgePlan;
use crate::words::{agree, counted};
use crate::{Error, Result};

/// Ids of query and document.
pub(in crate::measure) type Pair = (String, String);

/// What the committed files hold for the spec's judge.
pub(crate) struct JudgedFiles {
    pub(crate) judges: Judges,
    /// Why an existing judgment of a pair does not count.
    pub(in crate::measure) elsewhere: BTreeMap<Pair, String>,
    /// What became of questions that came to no grade.
    pub(in crate::measure) without_grade: BTreeMap<Pair, State>,
    /// Tokens of a pair, on average over those that are known.
    pub(in crate::measure) tokens: Option<f64>,
    /// What keeps people's grades from correcting anything.
    pub(in crate::measure) people: Result<()>,
    /// The spec, as commands take it.
    pub(in crate::measure) spec: String,
    /// The judged unit: singular, and plural.
    pub(in crate::measure) what: [&'static str; 2],
}

impl JudgedFiles {
    /// Whether every pair that a gate needs was judged by the model, and of those without a grade there are no more
    /// than allowed.
    ///
    /// # Errors
    /// How many are missing, why, and the command that asks for them.
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
            let mut said = format!(
                "{count} of {} {} no judgment by {}",
                counted(needed.len(), self.what[0], self.what[1]),
                agree(count, "has", "have"),
                self.judges.judge
            );
            for (why, count) in there {
                said += &format!("; {count} {} {why}", agree(count, "has", "have"));
            }
            let tokens = self.tokens.map(|each| format!(" (about {:.0} tokens)", each * count as f64));
            let spec = &self.spec;
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
            return Err(Error::invalid(format!(
                "{} gave no grade to {} of {}, more than {allowed} of them (`abstain-at-most`){}",
                self.judges.judge,
                abstained.len(),
                counted(needed.len(), self.what[0], self.what[1]),
                self.how_to_ask_again(&abstained)
            )));
        }
        Ok(())
    }

    /// What became of questions without a grade, and the command that asks again about those that came to no valid answer.
    fn how_to_ask_again(&self, without: &[&(&str, &str)]) -> String {
        let mut states: BTreeMap<State, usize> = BTreeMap::new();
        let mut without_claims = 0;
        for (query, document) in without {
            match self.without_grade.get(&((*query).to_owned(), (*document).to_owned())) {
                // Nobody was asked about it.
                None if document.starts_with(NO_CLAIMS) => without_claims += 1,
                state => *states.entry(state.copied().unwrap_or(State::Abstained)).or_default() += 1,
            }
        }
        let mut said: Vec<String> =
            states.iter().map(|(state, number)| format!("{number} {state}")).collect();
        if without_claims > 0 {
            said.push(format!("{without_claims} of texts without a claim"));
        }
        let again: Vec<&str> =
            states.keys().filter(|state| **state != State::Abstained).map(|state| state.as_str()).collect();
        match again.as_slice() {
            [] => format!(": {}", said.join(", ")),
            again => format!(
                ": {}\n`rankgate judge {} --retry {}` asks again",
                said.join(", "),
                self.spec,
                again.join(" ")
            ),
        }
    }

    /// What keeps people's grades from correcting anything.
    pub(crate) fn check_people(&self) -> Result<()> {
        self.people.clone()
    }
}
