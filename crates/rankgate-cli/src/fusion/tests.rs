use std::collections::BTreeMap;

use serde::Deserialize;

use super::*;

/// Ids and scores, best first.
type Ranking<'a> = &'a [(&'a str, f64)];

fn by(method: Method) -> Fusion {
    Fusion { method, norm: Norm::MinMax, weights: Vec::new(), k: 60.0 }
}

fn sum(norm: Norm) -> Fusion {
    Fusion { norm, ..by(Method::CombSum) }
}

fn weighted(weights: &[f64]) -> Fusion {
    Fusion { weights: weights.to_vec(), ..by(Method::Weighted) }
}

fn hits(all: &[(&str, f64)]) -> Vec<Hit> {
    all.iter().map(|(id, score)| Hit::new(*id, *score)).collect()
}

fn try_fused(fusion: &Fusion, rankings: &[Ranking<'_>]) -> Result<Vec<(String, f64)>> {
    let run = |ranking: &Ranking<'_>| Run::from_rankings([("q", hits(ranking))]);
    let runs: Vec<Run> = rankings.iter().map(run).collect::<Result<_>>()?;
    let fused = fusion.fuse(&Vec::from_iter(["one", "two", "three"].into_iter().zip(&runs)))?;
    Ok(fused.ranking("q").unwrap_or_default().iter().map(|hit| (hit.id.clone(), hit.score)).collect())
}

fn fused(fusion: &Fusion, rankings: &[Ranking<'_>]) -> Vec<(String, f64)> {
    try_fused(fusion, rankings).unwrap()
}

type Rankings = BTreeMap<String, BTreeMap<String, f64>>;

#[derive(Deserialize)]
struct Runs {
    ranx: String,
    runs: Vec<Rankings>,
}

#[derive(Deserialize)]
struct Setting {
    method: Method,
    norm: Option<Norm>,
    runs: Vec<usize>,
    #[serde(default)]
    weights: Vec<f64>,
    k: Option<f64>,
    scores: Rankings,
}

/// `tests/reference/make_fusion.py` writes what is expected here.
#[test]
fn fusion_equals_ranx() {
    let mut lines = include_str!("ranx.jsonl").lines();
    let Runs { ranx, runs } = serde_json::from_str(lines.next().unwrap()).unwrap();
    assert_eq!(ranx, "0.3.21");
    let (mut settings, mut values) = (0, 0);
    for line in lines {
        let Setting { method, norm, runs: chosen, weights, k, scores } = serde_json::from_str(line).unwrap();
        let fusion = Fusion { method, norm: norm.unwrap_or_default(), weights, k: k.unwrap_or(60.0) };
        let ranking = |run: &usize, query: &str| {
            let mut hits: Vec<Hit> =
                runs[*run][query].iter().map(|(id, score)| Hit::new(id, *score)).collect();
            hits.sort_by(|a, b| b.score.total_cmp(&a.score));
            hits
        };
        for (query, expected) in &scores {
            let rankings: Vec<Vec<Hit>> = chosen.iter().map(|run| ranking(run, query)).collect();
            let rankings: Vec<&[Hit]> = rankings.iter().map(Vec::as_slice).collect();
            let fused = fusion.combine(&rankings).unwrap();
            assert_eq!(fused.len(), expected.len(), "{fusion:?}, {query}");
            for hit in fused {
                let theirs = expected[&hit.id];
                let near = (hit.score - theirs).abs() <= 1e-12 * theirs.abs().max(1.0);
                assert!(near, "{fusion:?}, {query}, {}: {}, and {theirs} by ranx", hit.id, hit.score);
                values += 1;
            }
        }
        settings += 1;
    }
    // Four by ranks, four by scores under three normalizations.
    assert_eq!(settings, 4 + 4 * 3);
    assert!(values > 700, "{values}");
}

/// Every case is in the table of docs/fusion.md, all by hand.
#[test]
fn degenerate_rankings() {
    let (one, two): (Ranking<'_>, Ranking<'_>) = (&[("a", 3.0)], &[("b", 9.0), ("c", 8.0)]);
    for (fusion, rankings, expected) in [
        // One ranking is empty: the other decides.
        (sum(Norm::MinMax), [&[], two], vec![("b", 1.0), ("c", 0.0)]),
        (sum(Norm::ZScore), [&[], two], vec![("b", 1.0), ("c", -1.0)]),
        // 2 candidates; the empty ranking gives each (2 + 1) / 2.
        (by(Method::Borda), [&[], two], vec![("b", 3.5), ("c", 2.5)]),
        // All are empty.
        (by(Method::Rrf), [&[], &[]], vec![]),
        // All scores of a ranking are equal, or there is one: the best of its ranking counts as the best.
        (sum(Norm::MinMax), [one, two], vec![("b", 1.0), ("a", 1.0), ("c", 0.0)]),
        (sum(Norm::ZScore), [one, two], vec![("b", 1.0), ("a", 0.0), ("c", -1.0)]),
        // Scores that are equal in decimals, whose mean is not: they are equal.
        (
            sum(Norm::ZScore),
            [&[("a", 0.1), ("b", 0.1), ("c", 0.1)], &[]],
            vec![("c", 0.0), ("b", 0.0), ("a", 0.0)],
        ),
        // Negative scores.
        (
            sum(Norm::MinMax),
            [&[("a", -1.0), ("b", -3.0)], &[("b", -0.5), ("c", -1.0)]],
            vec![("b", 1.0), ("a", 1.0), ("c", 0.0)],
        ),
        // However near they lie.
        (sum(Norm::MinMax), [&[("a", 3e-10), ("b", 1e-10)], &[]], vec![("a", 1.0), ("b", 0.0)]),
        // A weight of 0: the ranking adds candidates, and nothing else.
        (weighted(&[1.0, 0.0]), [&[("a", 2.0), ("b", 1.0)], two], vec![("a", 1.0), ("c", 0.0), ("b", 0.0)]),
    ] {
        let expected: Vec<(String, f64)> =
            expected.into_iter().map(|(id, score)| (id.to_owned(), score)).collect();
        assert_eq!(fused(&fusion, &rankings), expected, "{fusion:?}");
    }
}

#[test]
fn ties_are_ordered_as_a_written_run_would_be() {
    let run = |ids: [&str; 2]| Run::from_rankings([("q", hits(&[(ids[0], 2.0), (ids[1], 1.0)]))]).unwrap();
    let (one, two) = (run(["a", "b"]), run(["b", "a"]));
    let fused = by(Method::Rrf).fuse(&[("one", &one), ("two", &two)]).unwrap();
    let mut text = Vec::new();
    rankgate::run::RunWriter::new("x").write_to(&fused, &mut text).unwrap();
    let read = Run::read(rankgate::Source::bytes("x.run", &text), rankgate::run::Order::Score).unwrap();
    assert_eq!(read.ranking("q"), fused.ranking("q"));
    assert_eq!(fused.ranking("q").unwrap()[0].id, "b", "the highest id first, as trec_eval has it");
}

/// `z` and `a` have the same ranks, or scores, from other rankings: they tie, and the highest id comes first.
#[test]
fn the_order_of_rankings_breaks_no_ties() {
    // a at ranks 1, 2, 7, z at 7, 1, 2: 1/61 + 1/62 + 1/67 both, which differ by rounding in another order of the sum.
    let first: Ranking<'_> =
        &[("a", 9.0), ("f1", 8.0), ("f2", 7.0), ("f3", 6.0), ("f4", 5.0), ("f5", 4.0), ("z", 3.0)];
    let second: Ranking<'_> = &[("z", 9.0), ("a", 8.0)];
    let third: Ranking<'_> =
        &[("g1", 9.0), ("z", 8.0), ("g2", 7.0), ("g3", 6.0), ("g4", 5.0), ("g5", 4.0), ("a", 3.0)];
    for fusion in [by(Method::Rrf), sum(Norm::Rank), Fusion { norm: Norm::Rank, ..by(Method::CombMnz) }] {
        let expected = fused(&fusion, &[first, second, third]);
        let score = |id: &str| expected.iter().find(|(known, _)| known == id).unwrap().1;
        for rankings in [
            [first, third, second],
            [second, first, third],
            [second, third, first],
            [third, first, second],
            [third, second, first],
        ] {
            assert_eq!(fused(&fusion, &rankings), expected, "{fusion:?}");
        }
        if fusion.method == Method::Rrf {
            assert_eq!((expected[0].0.as_str(), expected[1].0.as_str()), ("z", "a"));
            assert_eq!(score("a"), score("z"));
        }
    }
}

#[test]
fn what_cannot_be_fused_says_why() {
    let (one, two): (Ranking<'_>, Ranking<'_>) = (&[("a", 3.0), ("b", 2.0)], &[("b", 9.0), ("c", 8.0)]);
    let rising: &[(&str, f64)] = &[("a", 0.1), ("b", 0.2)];
    let rrf = |weights: &[f64]| Fusion { weights: weights.to_vec(), ..by(Method::Rrf) };
    for (fusion, rankings, expected) in [
        (
            Fusion { weights: vec![1.0, 1.0], ..sum(Norm::MinMax) },
            [one, two],
            "`comb-sum` takes no weights; `weighted` does",
        ),
        (weighted(&[]), [one, two], "`weighted` needs a weight for each run"),
        (rrf(&[1.0]), [one, two], "1 weights for 2 runs"),
        (rrf(&[1.0, -0.5]), [one, two], "a weight is a number of at least 0, not -0.5"),
        (rrf(&[1.0, f64::NAN]), [one, two], "a weight is a number of at least 0, not NaN"),
        (rrf(&[0.0, 0.0]), [one, two], "all weights are 0, so that every document would score 0"),
        (Fusion { k: -1.0, ..by(Method::Rrf) }, [one, two], "k is a number of at least 0, not -1"),
        (Fusion { k: f64::NAN, ..by(Method::Rrf) }, [one, two], "k is a number of at least 0, not NaN"),
        (sum(Norm::MinMax), [one, &[("b", f64::INFINITY)]], "`two`, query `q`: the score of `b` is inf"),
        (
            sum(Norm::MinMax),
            [&[("a", 1e308), ("b", -1e308)], two],
            "`one`, query `q`: its scores lie too far apart to be normalized",
        ),
        (
            weighted(&[1.7e308, 1.7e308]),
            [&[("a", 1.0)], &[("a", 1.0)]],
            "`one`, query `q`: the fused score of `a` is too large",
        ),
        (
            sum(Norm::MinMax),
            [one, rising],
            "`two`, query `q`: its scores rise from rank 1 (0.1) to rank 2 (0.2), so they contradict its order: use --method \
             rrf or --norm rank, which look at ranks alone",
        ),
    ] {
        assert_eq!(try_fused(&fusion, &rankings).unwrap_err().to_string(), expected);
    }
    // Ranks say enough.
    assert_eq!(fused(&sum(Norm::Rank), &[one, rising]), [("a".to_owned(), 2.0), ("b".to_owned(), 1.0)]);
}

#[test]
fn a_run_without_scores_is_fused_by_ranks_alone() {
    let bare = Run::from_rankings([("q", hits(&[("a", 1.0), ("b", 0.5)]))]).unwrap();
    let scored = Run::from_rankings([("q", hits(&[("a", 0.9), ("b", 0.8)]))]).unwrap();
    let runs = [("words", &scored), ("dense", &bare)];
    assert_eq!(
        sum(Norm::MinMax).fuse(&runs).unwrap_err().to_string(),
        "`dense` has no scores, only an order: use --method rrf or --norm rank"
    );
    for fusion in [sum(Norm::Rank), by(Method::Rrf), by(Method::Borda)] {
        assert!(fusion.fuse(&runs).is_ok(), "{fusion:?}");
    }
}

/// A power of two changes no ratio. Of (4, 2, 1, 1) by hand: mean 2, variance 3/2.
#[test]
fn scores_of_any_size_are_normalized_as_any_others() {
    let ranking = |power: i32| {
        let (half, rest) = (2_f64.powi(power / 2), 2_f64.powi(power - power / 2));
        let scores = [("a", 4.0), ("b", 2.0), ("c", 1.0), ("d", 1.0)];
        hits(&scores.map(|(id, score)| (id, score * half * rest)))
    };
    let deviation = 1.5_f64.sqrt();
    for power in [0, 1, 511, 514, 1021, -511, -600, -1074] {
        let normalized = Norm::ZScore.apply(&ranking(power)).unwrap();
        assert_eq!(normalized, [2.0 / deviation, 0.0, -1.0 / deviation, -1.0 / deviation], "2^{power}");
    }
    // A document that is masked by the lowest number stays below all others, by hand: 3 of 4 are alike, sqrt(1/3) above the mean.
    let masked = hits(&[("a", 12.0), ("b", 11.0), ("c", 10.0), ("d", f64::MIN)]);
    let z = Norm::ZScore.apply(&masked).unwrap();
    assert!(z[..3].iter().all(|z| (z - (1.0_f64 / 3.0).sqrt()).abs() < 1e-12), "{z:?}");
    assert!((z[3] + 3.0_f64.sqrt()).abs() < 1e-12, "{z:?}");
}
