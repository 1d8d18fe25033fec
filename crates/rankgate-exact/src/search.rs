//! Exact search: blocks of products find the few vectors that can be among the nearest, and their distances in double
//! precision say which are.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::distance::{Distance, differing_bits, dot};
use crate::error::Quoted;
use crate::product::products;
use crate::threads;
use crate::top::Top;
use crate::vectors::Vectors;
use crate::{Error, Result};

/// Numbers in a block of base vectors: 4 MiB, which a processor's cache holds beside the products.
const BLOCK: usize = 1 << 20;
/// Queries that are compared with a block at once.
const AT_ONCE: usize = 512;
/// Candidates beyond k that are kept, so that rounding seldom asks for a second look.
const SLACK: usize = 32;
/// Lengths beyond which products may overflow a float32.
const LONGEST: f64 = 1e18;

/// Which vectors may be found for a query, by their numbers; one entry for each vector.
pub type Allowed = Arc<Vec<bool>>;

/// A vector that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// Its number.
    pub row: usize,
    /// How far it is from the query.
    pub distance: f64,
}

/// Exact search among vectors.
///
/// Neighbours are ordered by their distances in double precision, equal ones by number. They are the same at any number of
/// threads.
#[derive(Clone, Debug)]
pub struct Exact {
    base: Vectors,
    distance: Distance,
    /// What is made of a product: it is multiplied, and then the other is taken off. Nothing of bits.
    terms: Vec<Term>,
    /// The length of the longest.
    longest: f64,
}

#[derive(Clone, Copy, Debug)]
struct Term {
    factor: f32,
    offset: f32,
}

/// A query on its way.
struct PreparedQuery {
    numbers: Vec<f32>,
    length: f64,
}

impl Exact {
    /// Exact search among these vectors.
    ///
    /// # Errors
    /// A vector of length 0 where the distance is that of angles; one that is longer than 1e18; `hamming` of what is not bits
    /// packed into uint8.
    pub fn new(base: Vectors, distance: Distance) -> Result<Self> {
        if distance == Distance::Hamming {
            bits(&base)?;
            return Ok(Self { base, distance, terms: Vec::new(), longest: 0.0 });
        }
        let rows = base.len();
        let part = |part: usize| {
            let end = rows.min((part + 1) * AT_ONCE);
            (part * AT_ONCE..end).map(|row| length(&base, row, distance)).collect::<Result<Vec<f64>>>()
        };
        let mut longest: f64 = 0.0;
        let mut terms = Vec::with_capacity(rows);
        for lengths in threads::map(rows.div_ceil(AT_ONCE), part) {
            for length in lengths? {
                longest = longest.max(length);
                terms.push(match distance {
                    Distance::L2 => Term { factor: 1.0, offset: (length * length / 2.0) as f32 },
                    Distance::Cosine => Term { factor: (1.0 / length) as f32, offset: 0.0 },
                    Distance::InnerProduct | Distance::Hamming => Term { factor: 1.0, offset: 0.0 },
                });
            }
        }
        Ok(Self { base, distance, terms, longest })
    }

    /// The vectors that are searched.
    #[must_use]
    pub fn base(&self) -> &Vectors {
        &self.base
    }

    /// The `k` nearest of these queries, which are named by their numbers, nearest first: fewer only where no more may be
    /// found. `allowed` has an entry for each of them.
    ///
    /// # Errors
    /// Queries of another dimension; a query of length 0 where the distance is that of angles.
    pub fn nearest(
        &self,
        queries: &Vectors,
        rows: &[usize],
        k: usize,
        allowed: Option<&[Allowed]>,
    ) -> Result<Vec<Vec<Neighbour>>> {
        self.check_queries(queries)?;
        let k = k.min(self.base.len());
        let mut found = Vec::with_capacity(rows.len());
        for (at, some) in rows.chunks(AT_ONCE).enumerate() {
            let allowed = allowed.map(|all| &all[at * AT_ONCE..at * AT_ONCE + some.len()]);
            found.extend(match self.distance {
                Distance::Hamming => self.nearest_bits(queries, some, k, allowed)?,
                _ => self.nearest_floats(queries, some, k, allowed)?,
            });
        }
        Ok(found)
    }

    /// How far a query is from a vector, both by their numbers.
    ///
    /// # Errors
    /// As [`nearest`](Self::nearest).
    pub fn distance(&self, queries: &Vectors, query: usize, row: usize) -> Result<f64> {
        self.check_queries(queries)?;
        if self.distance == Distance::Hamming {
            let size = self.base.dimension();
            let of = |all: &'_ Vectors, at: usize| -> Result<Vec<u8>> {
                Ok(bits(all)?[at * size..(at + 1) * size].to_vec())
            };
            return Ok(f64::from(differing_bits(&of(queries, query)?, &of(&self.base, row)?)));
        }
        length(queries, query, self.distance)?;
        Ok(self.distance.between(&queries.row(query), &self.base.row(row)))
    }

    fn check_queries(&self, queries: &Vectors) -> Result<()> {
        let [ours, theirs] = [&self.base, queries].map(Vectors::dimension);
        if ours == theirs {
            return Ok(());
        }
        let (base, queries) = (self.base.name(), queries.name());
        Err(Error::invalid(format!(
            "{queries} has vectors of dimension {theirs}, and {base} of dimension {ours}"
        )))
    }

    fn nearest_floats(
        &self,
        queries: &Vectors,
        rows: &[usize],
        k: usize,
        allowed: Option<&[Allowed]>,
    ) -> Result<Vec<Vec<Neighbour>>> {
        let ask = |row: &usize| {
            Ok(PreparedQuery { numbers: queries.row(*row), length: length(queries, *row, self.distance)? })
        };
        let asked: Vec<PreparedQuery> = rows.iter().map(ask).collect::<Result<_>>()?;
        let is_allowed =
            |query: usize, row: usize| allowed.is_none_or(|all| all[query].get(row) == Some(&true));
        let all: Vec<usize> = (0..asked.len()).collect();
        let size = k + SLACK;
        let tops = self.scan(
            &asked,
            &all,
            || vec![Top::new(size); asked.len()],
            |tops, query, row, score| {
                if score > tops[query].threshold() && is_allowed(query, row) {
                    tops[query].push(score, row as u32);
                }
            },
            |tops, query| tops[query].threshold(),
        );
        let mut kept: Vec<Vec<(f32, u32)>> = vec![Vec::new(); asked.len()];
        for part in tops {
            for (query, top) in part.into_iter().enumerate() {
                kept[query].extend(top.into_kept());
            }
        }
        // The k-th best score may be too high by the error, and that of a neighbour too low by as much. A thread that has
        // kept all it can has left out what is worse than its worst.
        let mut unsure = Vec::new();
        for (query, kept) in kept.iter_mut().enumerate() {
            kept.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            kept.truncate(size);
            let Some(least) = kept.get(k.saturating_sub(1)).filter(|_| kept.len() == size).map(|last| last.0)
            else {
                continue;
            };
            let bound = self.lowest(least, &asked[query]);
            match kept.last().is_some_and(|last| last.0 < bound) {
                true => kept.retain(|(score, _)| *score >= bound),
                false => unsure.push((query, bound)),
            }
        }
        self.look_again(&asked, &unsure, &is_allowed, &mut kept);
        let rescored = |query: usize| self.rescore(&asked[query], &kept[query], k);
        Ok(threads::map(asked.len(), rescored))
    }

    /// Where rounding, or many vectors at one place, leave more candidates than were kept: all of them.
    fn look_again(
        &self,
        asked: &[PreparedQuery],
        unsure: &[(usize, f32)],
        is_allowed: &(impl Fn(usize, usize) -> bool + Sync),
        kept: &mut [Vec<(f32, u32)>],
    ) {
        if unsure.is_empty() {
            return;
        }
        let queries: Vec<usize> = unsure.iter().map(|(query, _)| *query).collect();
        let none = || vec![Vec::new(); unsure.len()];
        let found = self.scan(
            asked,
            &queries,
            none,
            |found: &mut Vec<Vec<(f32, u32)>>, at, row, score| {
                if score >= unsure[at].1 && is_allowed(queries[at], row) {
                    found[at].push((score, row as u32));
                }
            },
            |_, at| unsure[at].1.next_down(),
        );
        queries.iter().for_each(|query| kept[*query].clear());
        for part in found {
            for (query, found) in queries.iter().zip(part) {
                kept[*query].extend(found);
            }
        }
    }

    /// Goes through all vectors block by block, on all threads: `take` gets the scores above `threshold` of the chosen
    /// queries. What each thread made of them.
    fn scan<S: Send>(
        &self,
        asked: &[PreparedQuery],
        chosen: &[usize],
        state: impl Fn() -> S + Sync,
        take: impl Fn(&mut S, usize, usize, f32) + Sync,
        threshold: impl Fn(&S, usize) -> f32 + Sync,
    ) -> Vec<S> {
        let dimension = self.base.dimension();
        let queries: Vec<f32> =
            chosen.iter().flat_map(|query| asked[*query].numbers.iter().copied()).collect();
        let per_block = (BLOCK / dimension).clamp(1, self.base.len());
        let blocks = self.base.len().div_ceil(per_block);
        let next = AtomicUsize::new(0);
        let work = |_| {
            let mut state = state();
            let mut scores = vec![0.0; per_block * chosen.len()];
            let mut copy = Vec::new();
            loop {
                let first = next.fetch_add(1, Ordering::Relaxed) * per_block;
                if first >= self.base.len() {
                    return state;
                }
                threads::go_on();
                let count = per_block.min(self.base.len() - first);
                let block = match self.base.as_floats(first, count) {
                    Some(block) => block,
                    None => {
                        copy.resize(count * dimension, 0.0);
                        self.base.copy_rows(first, &mut copy);
                        &copy[..]
                    }
                };
                let scores = &mut scores[..count * chosen.len()];
                products(block, &queries, dimension, scores);
                let terms = &self.terms[first..first + count];
                for (at, scores) in scores.chunks_exact_mut(count).enumerate() {
                    for (score, term) in scores.iter_mut().zip(terms) {
                        *score = *score * term.factor - term.offset;
                    }
                    // Most are below what is kept already, and are seen to be so many at once.
                    for (part, scores) in scores.chunks(64).enumerate() {
                        let most = threshold(&state, at);
                        if scores.iter().fold(false, |any, score| any | (*score > most)) {
                            for (place, score) in scores.iter().enumerate() {
                                take(&mut state, at, first + part * 64 + place, *score);
                            }
                        }
                    }
                }
            }
        };
        threads::map(blocks.min(threads::most()), work)
    }

    /// The least score that one of the k nearest can have, where the k-th best of all scores is this.
    ///
    /// A product of float32 is off by at most dimension x 2^-24 times both lengths, whatever the order of its sums (Higham,
    /// Accuracy and Stability of Numerical Algorithms, 2nd edition, section 3.1); the term beside it and the rounding of the
    /// result add a few times 2^-24 of what is added up. Twice that lies between the k-th score and the least.
    fn lowest(&self, score: f32, asked: &PreparedQuery) -> f32 {
        let unit = f64::from(f32::EPSILON) / 2.0;
        let steps = self.base.dimension() as f64 * 1.01 + 8.0;
        let product = asked.length * if self.distance == Distance::Cosine { 1.0 } else { self.longest };
        let offset = if self.distance == Distance::L2 { self.longest * self.longest / 2.0 } else { 0.0 };
        let error = unit * (steps * product + 4.0 * offset) + f64::from(f32::MIN_POSITIVE);
        ((f64::from(score) - 2.0 * error) as f32).next_down()
    }

    fn rescore(&self, asked: &PreparedQuery, kept: &[(f32, u32)], k: usize) -> Vec<Neighbour> {
        let mut numbers = vec![0.0; self.base.dimension()];
        let exact = |(_, row): &(f32, u32)| {
            let row = *row as usize;
            self.base.copy_rows(row, &mut numbers);
            Neighbour { row, distance: self.distance.between(&asked.numbers, &numbers) }
        };
        nearest_of(kept.iter().map(exact).collect(), k)
    }

    fn nearest_bits(
        &self,
        queries: &Vectors,
        rows: &[usize],
        k: usize,
        allowed: Option<&[Allowed]>,
    ) -> Result<Vec<Vec<Neighbour>>> {
        let (base, asked, size) = (bits(&self.base)?, bits(queries)?, self.base.dimension());
        let find = |query: usize| {
            let asked = &asked[rows[query] * size..(rows[query] + 1) * size];
            let mut top = Vec::new();
            for (row, bytes) in base.chunks_exact(size).enumerate() {
                if allowed.is_none_or(|all| all[query].get(row) == Some(&true)) {
                    top.push(Neighbour { row, distance: f64::from(differing_bits(asked, bytes)) });
                }
            }
            nearest_of(top, k)
        };
        Ok(threads::map(rows.len(), find))
    }
}

fn nearest_of(mut found: Vec<Neighbour>, k: usize) -> Vec<Neighbour> {
    let nearer = |a: &Neighbour, b: &Neighbour| a.distance.total_cmp(&b.distance).then(a.row.cmp(&b.row));
    if found.len() > k && k > 0 {
        found.select_nth_unstable_by(k - 1, nearer);
    }
    found.truncate(k);
    found.sort_by(nearer);
    found
}

/// The length of a vector, if it has one that the distance can be told by.
fn length(vectors: &Vectors, row: usize, distance: Distance) -> Result<f64> {
    let numbers = vectors.row(row);
    let length = dot(&numbers, &numbers).sqrt();
    let wrong = |message: String| {
        Err(Error::invalid(format!("{}: vector {} {message}", vectors.name(), Quoted(&vectors.id(row)))))
    };
    match distance {
        Distance::Cosine if length == 0.0 => {
            wrong("has length 0, and so no angle: `distance: cosine` needs one".to_owned())
        }
        _ if length > LONGEST => wrong(format!("has length {length:e}, and products beyond 1e36 overflow")),
        _ => Ok(length),
    }
}

fn bits(vectors: &Vectors) -> Result<&[u8]> {
    let message = || {
        let name = vectors.name();
        Error::invalid(format!(
            "{name}: `distance: hamming` is of bits, packed into uint8 as `numpy.packbits` does"
        ))
    };
    vectors.as_bytes().ok_or_else(message)
}
