//! Parts of a collection that a sample is drawn from one by one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// So many of each stratum are drawn, or all where there are fewer: how its scores vary is known from them alone.
const LEAST: usize = 5;

/// Queries, or groups of them, in strata that were fixed before anyone judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Strata {
    /// What tells them apart: a metadata key of queries, or a metric by the judge's grades.
    pub by: String,
    /// Of each its members, in the order of their ids.
    pub of: BTreeMap<String, Vec<String>>,
}

impl Strata {
    /// How many of a sample of this size are drawn from each, in the order of their names: five of each or all of it, then always
    /// one more of that which has the most members for those drawn (Webster's method), so that a larger sample holds a smaller one.
    ///
    /// # Errors
    ///
    /// Fewer than five of each.
    pub(super) fn allocation(&self, size: usize) -> Result<Vec<usize>> {
        let sizes: Vec<usize> = self.of.values().map(Vec::len).collect();
        let mut drawn: Vec<usize> = sizes.iter().map(|size| LEAST.min(*size)).collect();
        let least: usize = drawn.iter().sum();
        if size < least {
            return Err(Error::invalid(format!(
                "{} strata of {} need {least} drawn queries, {LEAST} of each or all of it, and not {size}",
                sizes.len(),
                self.by
            )));
        }
        for _ in least..size {
            let open = (0..sizes.len()).filter(|at| drawn[*at] < sizes[*at]);
            // size / (drawn + 1/2), in whole numbers; the first of equal ones.
            let next = open.reduce(|best, at| {
                let ahead = sizes[at] * (2 * drawn[best] + 1) > sizes[best] * (2 * drawn[at] + 1);
                if ahead { at } else { best }
            });
            match next {
                Some(at) => drawn[at] += 1,
                None => break,
            }
        }
        Ok(drawn)
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::*;

    fn strata(sizes: &[usize]) -> Strata {
        let of = sizes.iter().enumerate().map(|(stratum, size)| {
            (format!("s{stratum}"), (0..*size).map(|at| format!("q{stratum}-{at:03}")).collect())
        });
        Strata { by: "difficulty".to_owned(), of: of.collect() }
    }

    fn ids(strata: &Strata) -> Vec<&str> {
        strata.of.values().flatten().map(String::as_str).collect()
    }

    /// Quotients of 32, 58 and 72 by 5.5, 6.5, ...: from 15 on they go to the third, second, third, second, ...
    #[test]
    fn seats_are_those_of_webster() {
        for (sizes, size, expected) in [
            (&[32, 58, 72][..], 15, &[5, 5, 5][..]),
            (&[32, 58, 72], 16, &[5, 5, 6]),
            (&[32, 58, 72], 40, &[8, 14, 18]),
            (&[32, 58, 72], 162, &[32, 58, 72]),
            (&[3, 100], 20, &[3, 17]),
        ] {
            assert_eq!(strata(sizes).allocation(size).unwrap(), expected, "{size} of {sizes:?}");
        }
        let error = strata(&[32, 58, 72]).allocation(14).unwrap_err().to_string();
        assert_eq!(error, "3 strata of difficulty need 15 drawn queries, 5 of each or all of it, and not 14");
    }

    #[test]
    fn a_larger_sample_holds_the_smaller_one_in_each_stratum() {
        let strata = strata(&[12, 60, 90]);
        let ids = ids(&strata);
        let draw = |size| Sample::draw_strata(&ids, size, 7, strata.clone()).unwrap();
        for size in 15..162 {
            let (one, more) = (draw(size), draw(size + 1));
            assert!(one.check(&ids).is_ok());
            assert!(one.drawn.iter().all(|id| more.drawn.contains(id)), "{size}");
        }
    }

    #[test]
    fn a_draw_from_strata_that_was_edited_is_refused() {
        let all = strata(&[20, 30]);
        let ids = ids(&all);
        let one = Sample::draw_strata(&ids, 20, 3, all.clone()).unwrap();
        let simple = Sample::draw(&ids, 20, 3).unwrap();
        assert_ne!(one.drawn, simple.drawn);
        let error = |sample: &Sample| sample.check(&ids).unwrap_err().to_string();
        // Without its strata it is another draw, and with other strata as well.
        assert!(error(&Sample { strata: None, ..one.clone() }).contains("was not drawn by seed 3"));
        let mut moved = all.clone();
        let first = moved.of.get_mut("s0").unwrap().remove(0);
        assert!(error(&Sample { strata: Some(moved.clone()), ..one.clone() }).contains("hold other queries"));
        moved.of.get_mut("s1").unwrap().extend([first.clone(), first]);
        assert!(error(&Sample { strata: Some(moved), ..one }).contains("hold one twice"));
    }
}
