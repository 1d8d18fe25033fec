//! A claim, and what makes a list of claims one.

use serde::{Deserialize, Serialize};

use crate::error::Quoted;
use crate::gate::{Form, Support};

/// A claim in a list: its text, or the verdict on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Of the contexts, from 1, the one that supports or contradicts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<usize>,
    /// What it is called in its list: `a1` of an answer, `r1` of a reference, `v1` a vital nugget, `o1` an okay one, `s2.1` the first
    /// citation of the second sentence.
    pub id: String,
    /// What it says, where the list is that of what was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The verdict on it, in a list of verdicts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Support>,
}

impl Claim {
    /// A claim that a text makes.
    pub fn found(text: impl Into<String>) -> Self {
        Self { context: None, id: String::new(), text: Some(text.into()), verdict: None }
    }

    /// The verdict on the claim of this id.
    pub fn with_verdict(id: impl Into<String>, verdict: Support, context: Option<usize>) -> Self {
        Self { context, id: id.into(), text: None, verdict: Some(verdict) }
    }
}

/// A possible verdict on a claim.
#[must_use]
pub fn verdicts(form: Form) -> &'static [Support] {
    match form {
        Form::Grade | Form::Claims | Form::NuggetCreation => &[],
        Form::Support => {
            &[Support::Supported, Support::Unsupported, Support::Contradicted, Support::CannotTell]
        }
        Form::Nuggets => &[Support::Supported, Support::Partial, Support::Unsupported, Support::CannotTell],
    }
}

/// Errors in a list of a file: of texts, or of verdicts on claims that are numbered from 1 in their order. Of a
/// list that people wrote no form is known.
pub(super) fn find_fault(form: Option<Form>, claims: &[Claim]) -> Option<String> {
    let is_verdicts = form.map_or_else(
        || claims.iter().any(|claim| claim.verdict.is_some()),
        |form| matches!(form, Form::Support | Form::Nuggets),
    );
    if is_verdicts && claims.is_empty() {
        return Some("its list is empty, and verdicts were asked for".into());
    }
    (1..).zip(claims).find_map(|(at, claim): (usize, _)| {
        let id = Quoted(&claim.id);
        if !is_verdicts {
            let blank = claim.text.as_ref().is_none_or(|text| text.trim().is_empty());
            return blank.then(|| format!("its claim {at}, {id}, has no text"));
        }
        // A letter that says what it is, and its number; of a citation the numbers of the sentence and of its citation.
        let number = claim.id.get(1..).and_then(|number| number.parse().ok());
        let before = at.checked_sub(2).and_then(|before| cited(&claims.get(before)?.id));
        let is_next = match cited(&claim.id) {
            Some(own) => before.is_none_or(|before| before < own),
            None => number == Some(at),
        };
        if !is_next {
            return Some(format!("its claim {at} is called {id}: claims are numbered from 1 in their order"));
        }
        let Some(verdict) = claim.verdict else { return Some(format!("its claim {id} has no verdict")) };
        if form.is_some_and(|form| !verdicts(form).contains(&verdict)) {
            return Some(format!("its claim {id} is `{verdict}`, which is no verdict on such a claim"));
        }
        (claim.context == Some(0))
            .then(|| format!("its claim {id} names the context 0: contexts are counted from 1"))
    })
}

/// The numbers of the sentence and of its citation in `s2.1`, each from 1.
fn cited(id: &str) -> Option<(usize, usize)> {
    let (sentence, citation) = id.strip_prefix('s')?.split_once('.')?;
    let both = (sentence.parse().ok()?, citation.parse().ok()?);
    (both.0 > 0 && both.1 > 0).then_some(both)
}

/// One list of several answers: of verdicts what most say of each claim, of claims the first list.
pub fn merged(lists: &[Option<&Vec<Claim>>]) -> Option<Vec<Claim>> {
    let first = *lists.iter().flatten().next()?;
    if lists.len() == 1 || first.iter().any(|claim| claim.verdict.is_none()) {
        return Some(first.clone());
    }
    let most = |(at, claim): (usize, &Claim)| {
        let said = |list: &Vec<Claim>| list.get(at).cloned();
        let said: Vec<Claim> = lists.iter().flatten().filter_map(|list| said(list)).collect();
        let often =
            |one: &&Claim| 2 * said.iter().filter(|all| all.verdict == one.verdict).count() > lists.len();
        let none = Claim { context: None, verdict: Some(Support::CannotTell), ..claim.clone() };
        said.iter().find(often).cloned().unwrap_or(none)
    };
    Some(first.iter().enumerate().map(most).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_verdicts_has_its_numbers_in_order() {
        for (ids, fault) in [
            (&["a1", "a2"][..], None),
            (&["s1.1", "s1.2", "s4.1"], None),
            (&["s2.1"], None),
            (&["a1", "a3"], Some("its claim 2 is called `a3`")),
            (&["s2.1", "s1.1"], Some("its claim 2 is called `s1.1`")),
            (&["s1.1", "s1.1"], Some("its claim 2 is called `s1.1`")),
            (&["s0.1"], Some("its claim 1 is called `s0.1`")),
            (&["s1."], Some("its claim 1 is called `s1.`")),
            (&["a1.1"], Some("its claim 1 is called `a1.1`")),
        ] {
            let claims: Vec<Claim> =
                ids.iter().map(|id| Claim::with_verdict(*id, Support::Supported, None)).collect();
            let found = find_fault(Some(Form::Nuggets), &claims);
            let is_expected = match (&found, fault) {
                (Some(found), Some(fault)) => found.starts_with(fault),
                (found, fault) => found.is_none() && fault.is_none(),
            };
            assert!(is_expected, "{ids:?}: {found:?}");
        }
    }
}
