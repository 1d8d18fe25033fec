//! Whether the scores of a run rise with its ranks, so that what is first by its ranks is last by its scores.

use std::iter::Sum;

use super::entry::Entry;

/// Whether a property of `some` of a run's lists is one of the run: nearly all of the lists that can show it have it, and
/// five or more lists or documents, the `evidence`, say so.
pub fn is_of_nearly_all(some: usize, of: usize, evidence: usize) -> bool {
    evidence >= 5 && some * 100 >= of * 90
}

/// What the queries of a run say of that; several queries add up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rising {
    /// Queries whose first two documents in the file have other ranks and other scores.
    queries: usize,
    /// Those of them in which the better one by rank is the worse one by score.
    rising: usize,
    /// Documents after which the next one confirms it.
    steps: usize,
    /// Whether the file has no ranks, so that what stands first was taken for what ranks first.
    without_ranks: bool,
}

/// What is known of ranks where scores say the order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Ranks {
    /// A column has them, and documents stand as in the file: those of the first two are looked at.
    #[default]
    Column,
    /// There are none, but whoever writes such a file begins with the best: a document's place stands for its rank.
    Places,
    /// There are none, and rows may stand in any order.
    Missing,
}

impl Rising {
    /// Of one query's documents, where scores say the order.
    pub(super) fn from_entries(entries: &[Entry], ranks: Ranks) -> Self {
        match ranks {
            Ranks::Column => Self::of_file(entries),
            Ranks::Places => Self { without_ranks: true, ..Self::of_file(entries) },
            Ranks::Missing => Self { queries: 1, without_ranks: true, ..Self::default() },
        }
    }

    /// Of documents in the order of the file.
    fn of_file(entries: &[Entry]) -> Self {
        let [first, second, ..] = entries else { return Self::default() };
        if first.rank == second.rank || first.score == second.score {
            return Self::default();
        }
        let forwards = first.rank < second.rank;
        if forwards != (first.score < second.score) {
            return Self { queries: 1, ..Self::default() };
        }
        let on = |a: &Entry, b: &Entry| if forwards { a.score <= b.score } else { a.score >= b.score };
        let steps = if entries.is_sorted_by(on) { entries.len() - 1 } else { 1 };
        Self { queries: 1, rising: 1, steps, ..Self::default() }
    }

    /// Whether the file has no ranks by which it could be read.
    pub fn is_without_ranks(&self) -> bool {
        self.without_ranks
    }

    /// In how many of how many queries scores rise with the ranks, where that is so in nearly all of them; nothing
    /// elsewhere.
    pub fn upside_down(&self) -> Option<[usize; 2]> {
        is_of_nearly_all(self.rising, self.queries, self.steps).then_some([self.rising, self.queries])
    }
}

impl Sum for Rising {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            queries: sum.queries + one.queries,
            rising: sum.rising + one.rising,
            steps: sum.steps + one.steps,
            without_ranks: sum.without_ranks || one.without_ranks,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use crate::run::{Order, RunReader};

    /// A run of so many queries with a line for each rank and score.
    fn run(queries: usize, lines: &[(usize, f64)]) -> String {
        let mut text = String::new();
        for query in 0..queries {
            for (rank, score) in lines {
                writeln!(text, "q{query} Q0 d{rank} {rank} {score} t").unwrap();
            }
        }
        text
    }

    fn upside_down(name: &str, text: &str, order: Option<Order>) -> Option<[usize; 2]> {
        let reader = RunReader::new().order(order);
        let run = reader.parse(name, text.as_bytes()).unwrap();
        run.rising().upside_down()
    }

    #[test]
    fn scores_that_rise_with_the_ranks_are_found() {
        let ranks: Vec<(usize, f64)> = (1..=10).map(|rank| (rank, rank as f64)).collect();
        let distances = [(1, 0.25), (2, 0.25), (3, 0.5), (4, 0.75)];
        assert_eq!(upside_down("a.run", &run(3, &ranks), None), Some([3, 3]));
        // Whichever end of a query the file begins with.
        let backwards: Vec<(usize, f64)> = ranks.iter().rev().copied().collect();
        assert_eq!(upside_down("a.run", &run(3, &backwards), None), Some([3, 3]));
        // The first two tie, and say nothing.
        assert_eq!(upside_down("a.run", &run(9, &distances), None), None);
        assert_eq!(upside_down("a.run", &run(9, &distances[1..]), None), Some([9, 9]));
        // In the order of ranks nothing is upside down.
        assert_eq!(upside_down("a.run", &run(3, &ranks), Some(Order::Rank)), None);
        // Scattered lines, and a compressed file, are read elsewhere.
        let mut lines: Vec<&str> = Vec::new();
        let text = run(4, &ranks);
        for rank in 0..10 {
            lines.extend(text.lines().skip(rank).step_by(10));
        }
        assert_eq!(upside_down("a.run", &format!("{}\n", lines.join("\n")), None), Some([4, 4]));
        let json =
            "{\"q1\": {\"a\": 1, \"b\": 2, \"c\": 3}, \"q2\": {\"a\": 1, \"b\": 2, \"c\": 3, \"d\": 4}}";
        assert_eq!(upside_down("a.json", json, None), Some([2, 2]));
    }

    #[test]
    fn whether_a_file_can_be_read_by_its_ranks_is_known() {
        let without = |name: &str, text: &str| {
            RunReader::new().parse(name, text.as_bytes()).unwrap().rising().is_without_ranks()
        };
        assert!(!without("a.run", "q1 Q0 a 1 1 t\nq1 Q0 b 2 2 t\n"));
        assert!(without("a.json", "{\"q1\": {\"a\": 1, \"b\": 2}}"));
    }

    #[test]
    fn runs_as_they_should_be_are_not() {
        let falling: Vec<(usize, f64)> = (1..=10).map(|rank| (rank, 1.0 / rank as f64)).collect();
        assert_eq!(upside_down("a.run", &run(9, &falling), None), None);
        // Sorted from the worst on, ranks too.
        let from_worst: Vec<(usize, f64)> = falling.iter().rev().copied().collect();
        assert_eq!(upside_down("a.run", &run(9, &from_worst), None), None);
        // Ranks that say nothing, whatever the order of lines.
        let unranked: Vec<(usize, f64)> = (1..=10).map(|rank| (0, rank as f64)).collect();
        let text = run(9, &unranked).lines().enumerate().fold(String::new(), |mut text, (at, line)| {
            writeln!(text, "{}", line.replace(" d0 ", &format!(" d{at} "))).unwrap();
            text
        });
        assert_eq!(upside_down("a.run", &text, None), None);
        // A few documents, or a few queries of many, may be so by chance.
        assert_eq!(upside_down("a.run", &run(1, &[(1, 0.5), (2, 0.75)]), None), None);
        let few = run(2, &[(1, 1.0), (2, 2.0), (3, 3.0)]).replace('q', "p") + &run(8, &falling);
        assert_eq!(upside_down("a.run", &few, None), None);
    }
}
