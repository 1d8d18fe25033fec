//! Items of a judgments file: put together from the answers to a pair, and drawn from it.

use std::collections::BTreeSet;

use rankgate::internal::judge::{merged, shown_sha256};
use rankgate::judge::{Item, Pair, State, sha256};

use super::ReceivedAnswer;

/// So many of these items, chosen by hashes of their ids: the same ones of the same items on any machine.
pub(crate) fn drawn_items(items: &[Item], count: usize) -> BTreeSet<[&str; 2]> {
    let key = |item: &&Item| sha256(format!("{}\n{}", item.query, item.document).as_bytes());
    let mut all: Vec<&Item> = items.iter().collect();
    all.sort_by_cached_key(key);
    all.into_iter().take(count).map(|item| [item.query.as_str(), item.document.as_str()]).collect()
}

/// Characters of what a model wrote that are kept: it goes into a file that is committed and read by people.
pub(super) const ANALYSIS: usize = 4_000;

/// A text, or as much of it as is kept.
pub(super) fn bounded(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(ANALYSIS) {
        text.truncate(end);
        text += " [...]";
    }
    text
}

/// One item of all answers to a pair: their median where most of them are grades, an abstention where not.
pub(crate) fn together(judge: &str, pair: &Pair, answers: Vec<ReceivedAnswer>) -> Option<Item> {
    let several = answers.len() > 1;
    let mut grades: Vec<u8> = answers.iter().filter_map(|told| told.answer.grade).collect();
    grades.sort_unstable();
    let grade = match several {
        false => grades.first().copied(),
        true if 2 * grades.len() > answers.len() => grades.get((grades.len() - 1) / 2).copied(),
        true => None,
    };
    let counted: Option<Vec<[u64; 2]>> = answers
        .iter()
        .map(|told| told.usage.map(|usage| [usage.prompt_tokens, usage.completion_tokens]))
        .collect();
    let tokens = counted.map(|all| all.iter().fold([0, 0], |sum, one| [sum[0] + one[0], sum[1] + one[1]]));
    let all = if several { answers.iter().map(|told| told.answer.grade).collect() } else { Vec::new() };
    // The words are those of an answer that says as much.
    let claims = merged(&answers.iter().map(|told| told.answer.claims.as_ref()).collect::<Vec<_>>());
    let said = |told: &ReceivedAnswer| {
        told.answer.grade == grade && told.answer.claims.is_some() == claims.is_some()
    };
    let spoken = answers.iter().position(said).unwrap_or(0);
    let ReceivedAnswer { answer, served, .. } = answers.into_iter().nth(spoken)?;
    Some(Item {
        analysis: bounded(answer.analysis),
        claims: claims.clone(),
        confidence: answer.confidence,
        document: pair.document.id.clone(),
        document_sha256: shown_sha256(&pair.document.text),
        grade,
        grades: all,
        judge: judge.to_owned(),
        query: pair.query.id.clone(),
        query_sha256: shown_sha256(&pair.query.in_conversation()),
        served,
        state: match grade {
            Some(_) => State::Graded,
            None if claims.is_some() => State::Graded,
            None if several => State::Abstained,
            None => answer.state,
        },
        tokens,
    })
}
