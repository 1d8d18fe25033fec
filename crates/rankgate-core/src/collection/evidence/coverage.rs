//! Characters of evidence that passages cover, overlaps counted once.

use std::ops::Range;

use crate::metric::Coverage;
use crate::order;

/// A range of characters of a document.
type Part<'a> = (&'a str, Range<usize>);

pub(super) fn coverage(evidence: Vec<Part<'_>>, retrieved: Vec<Part<'_>>) -> Coverage {
    let (evidence, retrieved) = (union(evidence), union(retrieved));
    let length = |parts: &[Part<'_>]| parts.iter().map(|(_, part)| part.len()).sum();
    let (mut covered, mut at) = (0, 0);
    for (document, part) in &evidence {
        // Parts of both lists are in order and apart from each other.
        while retrieved.get(at).is_some_and(|(other, end)| (*other, end.end) <= (*document, part.start)) {
            at += 1;
        }
        let same =
            retrieved[at..].iter().take_while(|(other, begin)| other == document && begin.start < part.end);
        covered += same.map(|(_, other)| super::shared(part, other)).sum::<usize>();
    }
    Coverage { evidence: length(&evidence), retrieved: length(&retrieved), covered }
}

/// The same characters, in order, each once.
fn union(mut parts: Vec<Part<'_>>) -> Vec<Part<'_>> {
    order::sort_by(&mut parts, |a, b| (a.0, a.1.start, a.1.end).cmp(&(b.0, b.1.start, b.1.end)));
    let mut union: Vec<Part<'_>> = Vec::with_capacity(parts.len());
    for (document, part) in parts {
        match union.last_mut() {
            Some((last, known)) if *last == document && part.start <= known.end => {
                known.end = known.end.max(part.end);
            }
            _ => union.push((document, part)),
        }
    }
    union
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn parts() -> impl Strategy<Value = Vec<(bool, usize, usize)>> {
        prop::collection::vec((any::<bool>(), 0_usize..40, 1_usize..12), 0..8)
    }

    fn named(parts: &[(bool, usize, usize)]) -> Vec<Part<'static>> {
        parts.iter().map(|&(b, start, length)| (if b { "b" } else { "a" }, start..start + length)).collect()
    }

    proptest! {
        #[test]
        fn characters_are_those_of_sets(evidence in parts(), retrieved in parts()) {
            let set = |parts: &[Part<'static>]| -> BTreeSet<(&str, usize)> {
                parts.iter().flat_map(|(document, part)| part.clone().map(|at| (*document, at))).collect()
            };
            let (evidence, retrieved) = (named(&evidence), named(&retrieved));
            let (in_evidence, in_retrieved) = (set(&evidence), set(&retrieved));
            let found = coverage(evidence, retrieved);
            prop_assert_eq!(found.evidence, in_evidence.len());
            prop_assert_eq!(found.retrieved, in_retrieved.len());
            prop_assert_eq!(found.covered, in_evidence.intersection(&in_retrieved).count());
        }
    }
}
