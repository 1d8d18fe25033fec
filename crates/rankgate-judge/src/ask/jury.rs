//! One item of a jury, put together from those of its members.

use rankgate::internal::judge::verdicts;
use rankgate::judge::{Claim, Description, Item, Jury, State};

use super::items::bounded;
use crate::gate::Vote;

/// What a jury says of a question that all of its members answered; the items stand in the order of the members.
pub(crate) fn jury_item(judge: &Description, items: &[&Item]) -> Option<Item> {
    let (jury, first) = (judge.jury.as_ref()?, *items.first()?);
    let grades: Vec<Option<u8>> = items.iter().map(|item| item.grade).collect();
    let grade = vote(jury, &grades);
    let claims = verdicts_of(judge, jury, items);
    let tokens: Option<Vec<[u64; 2]>> = items.iter().map(|item| item.tokens).collect();
    let tokens = tokens.map(|all| all.iter().fold([0, 0], |sum, one| [sum[0] + one[0], sum[1] + one[1]]));
    // The words are those of a member that says as much.
    let says_it = |item: &&&Item| item.grade == grade && item.claims.is_some() == claims.is_some();
    let spoken = items.iter().find(says_it).unwrap_or(&items[0]);
    Some(Item {
        analysis: bounded(spoken.analysis.clone()),
        confidence: None,
        document: first.document.clone(),
        document_sha256: first.document_sha256.clone(),
        grade,
        grades: if judge.form.is_grade() { grades } else { Vec::new() },
        judge: judge.id(),
        query: first.query.clone(),
        query_sha256: first.query_sha256.clone(),
        served: None,
        state: match (grade, &claims) {
            // What became of all of them became of the jury's question.
            (None, None)
                if first.state != State::Graded && items.iter().all(|item| item.state == first.state) =>
            {
                first.state
            }
            (None, None) => State::Abstained,
            _ => State::Graded,
        },
        claims,
        tokens,
    })
}

/// The grade that a jury comes to; none where it abstains.
fn vote(jury: &Jury, grades: &[Option<u8>]) -> Option<u8> {
    let given: Vec<u8> = grades.iter().flatten().copied().collect();
    match jury.vote {
        Vote::Majority => {
            let often = |grade: &u8| 2 * given.iter().filter(|one| *one == grade).count() > grades.len();
            given.iter().copied().find(often)
        }
        Vote::Mean if 2 * given.len() <= grades.len() => None,
        Vote::Mean => {
            let sum: usize = given.iter().copied().map(usize::from).sum();
            // Halves go up: (2 sum + n) / 2n without a remainder.
            u8::try_from((2 * sum + given.len()) / (2 * given.len())).ok()
        }
    }
}

/// What a jury says of each claim; the list itself, where the members were asked for one.
fn verdicts_of(judge: &Description, jury: &Jury, items: &[&Item]) -> Option<Vec<Claim>> {
    let known = verdicts(judge.form);
    if known.is_empty() {
        return items[0].claims.clone();
    }
    let lists: Vec<Option<&Vec<Claim>>> = items.iter().map(|item| item.claims.as_ref()).collect();
    let first = *lists.iter().flatten().next()?;
    let one = |(at, claim): (usize, &Claim)| {
        let said: Vec<Option<&Claim>> = lists.iter().map(|list| list.and_then(|list| list.get(at))).collect();
        let grade = |claim: &Option<&Claim>| claim.and_then(|claim| claim.verdict)?.grade(judge.form);
        let grade = vote(jury, &said.iter().map(grade).collect::<Vec<_>>());
        let verdict = known.iter().copied().find(|verdict| verdict.grade(judge.form) == grade);
        let context =
            said.iter().flatten().find(|claim| claim.verdict == verdict).and_then(|claim| claim.context);
        Claim { context, id: claim.id.clone(), text: None, verdict }
    };
    Some(first.iter().enumerate().map(one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{description, item};
    use rankgate::judge::{Form, Support};

    fn jury(vote: Vote) -> Description {
        let members = ["a", "b", "c"].map(str::to_owned).to_vec();
        Description { model: members.join(" + "), jury: Some(Jury { members, vote }), ..description() }
    }

    #[test]
    fn a_jury_votes_or_takes_the_mean() {
        for (grades, majority, mean) in [
            ([Some(2), Some(2), Some(0)], Some(2), Some(1)),
            ([Some(3), Some(2), Some(0)], None, Some(2)),
            ([Some(3), Some(2), None], None, Some(3)),
            ([Some(1), Some(1), None], Some(1), Some(1)),
            ([Some(1), None, None], None, None),
            ([None, None, None], None, None),
        ] {
            for (how, expected) in [(Vote::Majority, majority), (Vote::Mean, mean)] {
                let judge = jury(how);
                let ids: Vec<String> = judge.judges_to_ask().iter().map(Description::id).collect();
                let items: Vec<Item> =
                    ids.iter().zip(grades).map(|(id, grade)| item(id, "q", "d", grade)).collect();
                let found = jury_item(&judge, &items.iter().collect::<Vec<_>>()).unwrap();
                assert_eq!((found.grade, &found.grades[..]), (expected, &grades[..]), "{how} {grades:?}");
                let state = if expected.is_some() { State::Graded } else { State::Abstained };
                assert_eq!((found.judge, found.state), (judge.id(), state));
            }
        }
    }

    #[test]
    fn a_jury_votes_on_each_claim() {
        use Support::{CannotTell, Contradicted, Partial, Supported, Unsupported};
        let found = |form, how, verdicts: [Support; 3]| {
            let judge = Description { form, scale: [0, 2], ..jury(how) };
            let list = |verdict: Support| {
                let claims = Some(vec![Claim::with_verdict("a1", verdict, Some(1))]);
                Item { claims, state: State::Graded, ..item("m", "q", "d", None) }
            };
            let items = verdicts.map(list);
            jury_item(&judge, &items.iter().collect::<Vec<_>>()).unwrap().claims.unwrap()[0].verdict
        };
        for (form, verdicts, majority, mean) in [
            (Form::Support, [Supported, Supported, Contradicted], Supported, Unsupported),
            (Form::Support, [Supported, CannotTell, Contradicted], CannotTell, Unsupported),
            (Form::Support, [Supported, CannotTell, CannotTell], CannotTell, CannotTell),
            (Form::Nuggets, [Supported, Partial, Supported], Supported, Supported),
            (Form::Nuggets, [Supported, Partial, Unsupported], CannotTell, Partial),
        ] {
            for (how, expected) in [(Vote::Majority, majority), (Vote::Mean, mean)] {
                assert_eq!(found(form, how, verdicts), Some(expected), "{how} {verdicts:?}");
            }
        }
    }

    #[test]
    fn the_fingerprint_is_of_members_and_vote() {
        let one = jury(Vote::Majority);
        let other = {
            let members = ["a", "b", "d"].map(str::to_owned).to_vec();
            Description {
                model: members.join(" + "),
                jury: Some(Jury { members, vote: Vote::Majority }),
                ..description()
            }
        };
        assert_eq!(one.judges_to_ask().len(), 3);
        let ids = [one.id(), other.id(), jury(Vote::Mean).id(), one.judges_to_ask()[0].id()];
        assert!((0..4).all(|at| !ids[..at].contains(&ids[at])), "{ids:?}");
        let claims = Description { form: Form::Claims, ..one };
        assert_eq!(claims.judges_to_ask().len(), 1);
    }
}
