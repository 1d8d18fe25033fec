use proptest::prelude::*;

use super::*;
use crate::metric::catalogue;

/// The highest grade.
const GRADE: i32 = 2;

/// Documents of a query by number: those with a grade, then unjudged ones.
#[derive(Clone, Debug)]
struct Query {
    grades: Vec<i32>,
    unjudged: usize,
    /// By side and pass, ranked documents.
    sides: [Vec<Vec<usize>>; 2],
}

impl Query {
    fn new(grades: &[i32], unjudged: usize, sides: [&[usize]; 2]) -> Self {
        let sides = sides.map(|ranked| if ranked.is_empty() { vec![] } else { vec![ranked.to_vec()] });
        Self { grades: grades.to_vec(), unjudged, sides }
    }

    /// The ranking, where the unjudged documents have these grades.
    fn judged(&self, ranked: &[usize], assumed: impl Fn(usize) -> Option<i32>) -> JudgedRanking {
        let grade = |document: usize| match document.checked_sub(self.grades.len()) {
            None => Some(self.grades[document]),
            Some(unjudged) => assumed(unjudged),
        };
        let all = (0..self.grades.len() + self.unjudged).filter_map(grade).collect();
        JudgedRanking::new(ranked.iter().map(|document| grade(*document)).collect(), all)
            .with_max_grade(GRADE)
    }

    fn score(&self, metric: &Metric, side: usize, assumed: impl Fn(usize) -> Option<i32>) -> f64 {
        let of_pass = |ranked: &Vec<usize>| metric.compute(&self.judged(ranked, &assumed));
        let passes = &self.sides[side];
        passes.iter().map(of_pass).sum::<f64>() / passes.len().max(1) as f64
    }

    fn difference(&self, metric: &Metric, assumed: impl Fn(usize) -> Option<i32> + Copy) -> f64 {
        self.score(metric, 1, assumed) - self.score(metric, 0, assumed)
    }

    /// With these of the documents within the cutoff relevant, and the others there judged and not relevant.
    fn assuming(&self, metric: &Metric, is_relevant: impl Fn(usize) -> bool + Copy) -> f64 {
        let within = self.within(metric.cutoff().unwrap_or(usize::MAX));
        let grade = |unjudged: usize| if is_relevant(unjudged) { GRADE } else { 0 };
        self.difference(metric, |unjudged| within.binary_search(&unjudged).ok().map(|_| grade(unjudged)))
    }

    /// The documents without a grade that either side has within the cutoff, numbered from 0.
    fn within(&self, cutoff: usize) -> Vec<usize> {
        let ranked = self.sides.iter().flatten().flat_map(|ranked| ranked.iter().take(cutoff));
        let mut all: Vec<usize> =
            ranked.filter_map(|document| document.checked_sub(self.grades.len())).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// What is found: the lowest difference, and the highest.
    fn bounds(&self, metric: &Metric) -> [f64; 2] {
        let cutoff = metric.cutoff().unwrap_or(usize::MAX);
        let documents = self.within(cutoff);
        let longest = self.sides.iter().flatten().map(Vec::len).max().unwrap_or(0);
        let judged: Vec<Vec<JudgedRanking>> = self
            .sides
            .iter()
            .map(|passes| passes.iter().map(|ranked| self.judged(ranked, |_| None)).collect())
            .collect();
        let passes = |side: usize| -> Vec<Pass<'_>> {
            let of = |(ranked, ranking)| {
                let ranked: &Vec<usize> = ranked;
                let place = |(rank, document): (usize, &usize)| {
                    let unjudged = document.checked_sub(self.grades.len())?;
                    Some((rank, documents.binary_search(&unjudged).ok()?))
                };
                Pass { ranking, places: (1..=cutoff).zip(ranked).filter_map(place).collect() }
            };
            self.sides[side].iter().zip(&judged[side]).map(of).collect()
        };
        let [baseline, candidate] = [passes(0), passes(1)];
        let assumed = Assumed::new(metric, cutoff.min(longest), GRADE, 1).unwrap();
        let [one, other] = assumed.lowest([&baseline, &candidate], documents.len()).unwrap().unwrap();
        let [most, least] = assumed.lowest([&candidate, &baseline], documents.len()).unwrap().unwrap();
        [other - one, most - least]
    }

    /// The lowest and the highest difference over all combinations, and as the documents are where that is another.
    fn enumerated(&self, metric: &Metric) -> [f64; 2] {
        let documents = self.within(metric.cutoff().unwrap_or(usize::MAX));
        let of_set = |set: u32| {
            let holds = |unjudged: usize| {
                documents.binary_search(&unjudged).is_ok_and(|document| set >> document & 1 == 1)
            };
            self.assuming(metric, holds)
        };
        let as_they_are = self.difference(metric, |_| None);
        let all: Vec<f64> = (0..1_u32 << documents.len()).map(of_set).chain([as_they_are]).collect();
        [
            all.iter().copied().fold(f64::INFINITY, f64::min),
            all.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        ]
    }
}

/// Each family of metrics that judgments of relevance are enough for, and some with parameters.
fn metrics() -> Vec<Metric> {
    let of_grades = |row: &&&crate::metric::Definition| {
        let needed = row.requirements();
        needed.relevance && !needed.documents && !needed.subtopics
    };
    let written = |row: &&crate::metric::Definition| {
        row.patterns()[0].replace("@k", "@4").replace("@recall", "@0.37").parse::<Metric>().unwrap()
    };
    let mut all: Vec<Metric> = catalogue().iter().filter(of_grades).map(written).collect();
    let others = [
        "nDCG@4",
        "nDCG(gain=exp2)@4",
        "nDCG(rel=2)",
        "RBP(p=0.8,gain=linear)",
        "F(beta=2)@4",
        "P(rel=9)@4",
        "AP@4",
        "RR@4",
        "SetF(beta=2)",
    ];
    all.extend(others.map(|name| name.parse::<Metric>().unwrap()));
    all.push(Metric::reaching("nDCG@4".parse().unwrap(), 0.5).unwrap());
    all
}

fn query(unjudged: usize, passes: usize) -> impl Strategy<Value = Query> {
    let documents = 5 + unjudged;
    let ranked = || {
        (Just((0..documents).collect::<Vec<_>>()).prop_shuffle(), 0..=documents).prop_map(
            |(mut all, depth)| {
                all.truncate(depth);
                all
            },
        )
    };
    let side = move || prop::collection::vec(ranked(), passes);
    (prop::collection::vec(0..=GRADE, 5), side(), side()).prop_map(move |(grades, one, other)| Query {
        grades,
        unjudged,
        sides: [one, other],
    })
}

/// Whether the bounds are the lowest and the highest difference itself.
fn is_exact(query: &Query, metric: &Metric) -> bool {
    let single = query.sides.iter().all(|passes| passes.len() <= 1);
    match metric.growth() {
        Growth::Sum => true,
        Growth::First if single => true,
        _ => query.within(metric.cutoff().unwrap_or(usize::MAX)).len() <= COMBINED,
    }
}

fn hold(query: &Query) -> Result<(), TestCaseError> {
    for metric in metrics() {
        let [lowest, highest] = query.bounds(&metric);
        let [least, most] = query.enumerated(&metric);
        let plain = query.difference(&metric, |_| None);
        let said =
            format!("{metric}: {lowest} to {highest}, {least} to {most} by all combinations, {plain} plain");
        prop_assert!(lowest <= least + 1e-9 && most <= highest + 1e-9, "{said}");
        prop_assert!(lowest <= plain + 1e-12 && plain <= highest + 1e-12, "{said}");
        if is_exact(query, &metric) {
            prop_assert!((lowest - least).abs() < 1e-9 && (highest - most).abs() < 1e-9, "not exact: {said}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 8, ..ProptestConfig::default() })]

    #[test]
    fn no_combination_leaves_the_bounds(query in query(8, 1)) {
        hold(&query)?;
    }

    #[test]
    fn nor_with_few_unjudged_documents(query in query(3, 1)) {
        hold(&query)?;
    }

    #[test]
    fn nor_with_repeats(query in query(7, 2)) {
        hold(&query)?;
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 32))]

    #[test]
    fn nor_where_numbers_are_bounded_in_blocks(query in query(150, 1), sets in prop::collection::vec(prop::collection::vec(any::<bool>(), 150), 6)) {
        // Of 150 documents all combinations are too many: these, and the first of each list.
        for metric in metrics() {
            let [lowest, highest] = query.bounds(&metric);
            let mut tried = vec![query.difference(&metric, |_| None), query.assuming(&metric, |_| false)];
            for set in &sets {
                tried.push(query.assuming(&metric, |unjudged| set[unjudged]));
            }
            for ranked in query.sides.iter().flatten() {
                for most in [1, 10, 70, 120] {
                    let is_first =
                        |unjudged: usize| ranked.iter().take(most).any(|one| *one == 5 + unjudged);
                    tried.push(query.assuming(&metric, is_first));
                }
            }
            for difference in tried {
                let said = format!("{metric}: {difference} is not from {lowest} to {highest}");
                prop_assert!(lowest - 1e-9 <= difference && difference <= highest + 1e-9, "{said}");
            }
        }
    }
}

/// `r` is the only relevant document, `u` the unjudged one.
#[test]
fn a_relevant_document_more_makes_a_loss_smaller() {
    // r n0 n1 n2 n3 u; baseline r u n0 n1 n2, candidate n0 n3 u n1 n2. By hand: recall 1 and 0; with u relevant 1 and 1/2.
    let query = Query::new(&[1, 0, 0, 0, 0], 1, [&[0, 5, 1, 2, 3], &[1, 4, 5, 2, 3]]);
    assert_eq!(query.bounds(&"R@5".parse().unwrap()), [-1.0, -0.5]);
}

#[test]
fn a_relevant_document_far_down_lowers_a_score() {
    // r n u alone; by hand, u being relevant (grade 1 as r, for RR and AP): nDCG@3 of grades 2 - 2 is
    // (1 + 1/2) / (1 + 1/log2 3), R@2 1 of 2, AP (1 + 2/3) / 2.
    let query = Query::new(&[2, 0], 1, [&[], &[0, 1, 2]]);
    let ndcg = 1.5 / (1.0 + 1.0 / 3_f64.log2());
    // Of R@2 u is below the cutoff: it counts where another list has it there.
    let both = Query::new(&[2, 0], 1, [&[2], &[0, 1]]);
    for (query, name, lowest) in [(&query, "nDCG@3", ndcg), (&query, "AP", 5.0 / 6.0), (&both, "R@2", 0.0)] {
        let found = query.bounds(&name.parse().unwrap())[0];
        assert!((found - lowest).abs() < 1e-12, "{name}: {found}, not {lowest}");
    }
}

#[test]
fn what_is_judged_not_relevant_counts_where_unjudged_documents_are_passed_over() {
    // r1 r2 n1 n2, and u1 u2 above r1 r2 in the candidate alone. By hand: with u1 and u2 not relevant, R = 2 and N = 4, both terms
    // of the candidate are 1 - 2/2; one relevant, u2 below it, R = 3 and N = 3: 1 + 2 * (1 - 1/3) of 3 against 2 of 3; both
    // relevant, R = 4: 4 of 4 against 2 of 4.
    let query = Query::new(&[1, 1, 0, 0], 2, [&[0, 1], &[4, 5, 0, 1]]);
    assert_eq!(query.bounds(&"Bpref".parse().unwrap()), [-1.0, 0.5]);
    let share: Metric = "Bpref>=0.5".parse().unwrap();
    assert_eq!(query.bounds(&share), [-1.0, 0.0]);
    // u above r, alone: with u not relevant infAP has r at rank 2 below a miss, 1/2 + 1/2 * e / (1 + 2e); relevant, 1 + 1/2 +
    // 1/2 * (1 + e) / (1 + 2e), of 2; as it is, 1/2 + 0, for u is in no pool.
    let query = Query::new(&[1], 1, [&[], &[1, 0]]);
    let [lowest, highest] = query.bounds(&"infAP".parse().unwrap());
    let e = 1e-5;
    let relevant = (1.0 + 0.5 + 0.5 * (1.0 + e) / (1.0 + 2.0 * e)) / 2.0;
    assert!((lowest - 0.5).abs() < 1e-12 && (highest - relevant).abs() < 1e-12, "{lowest} to {highest}");
}

#[test]
fn long_lists_without_judgments_take_no_long_time() {
    // 1000 documents on each side, none in common: the numbers that are tried are few.
    assert!(blocks(2000, SINGLE_OF_SUM, 10).count() < 110);
    assert!(blocks(2000, SINGLE, 4).count() < 50);
    let (one, other): (Vec<usize>, Vec<usize>) = ((1..1001).collect(), (1001..2001).collect());
    let query = Query::new(&[1], 2000, [&one, &other]);
    for metric in metrics() {
        let [lowest, highest] = query.bounds(&metric);
        assert!(lowest <= 0.0 && highest >= 0.0, "{metric}: {lowest} to {highest}");
    }
}

#[test]
fn blocks_are_all_numbers_once() {
    let all: Vec<(usize, usize)> = blocks(20, 4, 2).collect();
    assert_eq!(all, [(1, 1), (2, 2), (3, 3), (4, 4), (5, 6), (7, 9), (10, 13), (14, 19), (20, 20)]);
}
