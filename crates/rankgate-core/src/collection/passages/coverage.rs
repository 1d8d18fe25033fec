//! Characters of passages that passages cover, overlaps counted once.

use std::ops::Range;

use crate::metric::Coverage;
use crate::order;

/// A range of characters of a document.
type Part<'a> = (&'a str, Range<usize>);

pub(super) fn coverage(passages: Vec<Part<'_>>, retrieved: Vec<Part<'_>>) -> Coverage {
    let (passages, retrieved) = (union(passages), union(retrieved));
    let length = |parts: &[Part<'_>]| parts.iter().map(|(_, part)| part.len()).sum();
    let (mut covered, mut at) = (0, 0);
    for (document, part) in &passages {
        // Parts of both lists are in order and apart from each other.
        while retrieved.get(at).is_some_and(|(other, end)| (*other, end.end) <= (*document, part.start)) {
            at += 1;
        }
        let same =
            retrieved[at..].iter().take_while(|(other, begin)| other == document && begin.start < part.end);
        covered += same.map(|(_, other)| super::shared(part, other)).sum::<usize>();
    }
    Coverage { passages: length(&passages), retrieved: length(&retrieved), covered }
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
        fn characters_are_those_of_sets(passages in parts(), retrieved in parts()) {
            let set = |parts: &[Part<'static>]| -> BTreeSet<(&str, usize)> {
                parts.iter().flat_map(|(document, part)| part.clone().map(|at| (*document, at))).collect()
            };
            let (passages, retrieved) = (named(&passages), named(&retrieved));
            let (in_passages, in_retrieved) = (set(&passages), set(&retrieved));
            let found = coverage(passages, retrieved);
            prop_assert_eq!(found.passages, in_passages.len());
            prop_assert_eq!(found.retrieved, in_retrieved.len());
            prop_assert_eq!(found.covered, in_passages.intersection(&in_retrieved).count());
        }
    }
}
