use super::*;

/// Ids and scores, best first.
type Ranking<'a> = &'a [(&'a str, f64)];

fn hits(all: &[(&str, f64)]) -> Vec<Hit> {
    all.iter().map(|(id, score)| Hit::new(*id, *score)).collect()
}

fn fused(fusion: &Fusion, rankings: &[&[(&str, f64)]]) -> Vec<(String, f64)> {
    let rankings: Vec<Vec<Hit>> = rankings.iter().map(|ranking| hits(ranking)).collect();
    let rankings: Vec<&[Hit]> = rankings.iter().map(Vec::as_slice).collect();
    let fused = fusion.fuse_rankings(&rankings).unwrap();
    fused.into_iter().map(|hit| (hit.id, hit.score)).collect()
}

fn error(fusion: &Fusion, rankings: &[&[(&str, f64)]]) -> String {
    let rankings: Vec<Vec<Hit>> = rankings.iter().map(|ranking| hits(ranking)).collect();
    let rankings: Vec<&[Hit]> = rankings.iter().map(Vec::as_slice).collect();
    fusion.fuse_rankings(&rankings).unwrap_err().to_string()
}

fn sum(norm: Norm) -> Fusion {
    Fusion::new(FusionMethod::CombSum).with_norm(norm)
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
        (Fusion::new(FusionMethod::Borda), [&[], two], vec![("b", 3.5), ("c", 2.5)]),
        (sum(Norm::Borda), [&[], two], vec![("b", 1.75), ("c", 1.25)]),
        // All are empty.
        (Fusion::new(FusionMethod::Rrf), [&[], &[]], vec![]),
        // All scores of a ranking are equal, or there is one: the best of its ranking counts as the best.
        (sum(Norm::MinMax), [one, two], vec![("b", 1.0), ("a", 1.0), ("c", 0.0)]),
        (sum(Norm::MinMaxInverted), [one, one], vec![("a", 2.0)]),
        (sum(Norm::Sum), [&[("a", 3.0), ("b", 3.0)], &[]], vec![("b", 0.5), ("a", 0.5)]),
        (sum(Norm::Max), [one, two], vec![("b", 1.0), ("a", 1.0), ("c", 8.0 / 9.0)]),
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
        (sum(Norm::None), [&[("a", -1.0)], &[("b", -2.0)]], vec![("a", -1.0), ("b", -2.0)]),
        // However near they lie.
        (sum(Norm::MinMax), [&[("a", 3e-10), ("b", 1e-10)], &[]], vec![("a", 1.0), ("b", 0.0)]),
        // However far from 0.
        (
            Fusion::new(FusionMethod::CombMax).with_norm(Norm::None),
            [&[("a", -2e9)], &[("b", 9.0)]],
            vec![("b", 9.0), ("a", -2e9)],
        ),
        (Fusion::new(FusionMethod::CombMin).with_norm(Norm::None), [&[("a", 2e9)], &[]], vec![("a", 2e9)]),
        // In one ranking alone: its logarithm is 0.
        (Fusion::new(FusionMethod::LogIsr), [one, &[("b", 1.0)]], vec![("b", 0.0), ("a", 0.0)]),
        // A weight of 0: the ranking adds candidates, and nothing else.
        (
            Fusion::new(FusionMethod::Weighted).with_weights([1.0, 0.0]),
            [&[("a", 2.0), ("b", 1.0)], two],
            vec![("a", 1.0), ("c", 0.0), ("b", 0.0)],
        ),
    ] {
        let expected: Vec<(String, f64)> =
            expected.into_iter().map(|(id, score)| (id.to_owned(), score)).collect();
        assert_eq!(fused(&fusion, &rankings), expected, "{fusion}");
    }
}

#[test]
fn ties_are_ordered_as_a_written_run_would_be() {
    let run = |name: &str, ids: [&str; 2]| {
        (name.to_owned(), Run::from_rankings([("q", hits(&[(ids[0], 2.0), (ids[1], 1.0)]))]).unwrap())
    };
    let (one, two) = (run("one", ["a", "b"]), run("two", ["b", "a"]));
    let fused = Fusion::new(FusionMethod::Rrf).fuse(&[(&one.0, &one.1), (&two.0, &two.1)]).unwrap();
    let mut text = Vec::new();
    crate::run::RunWriter::new("x").write_to(&fused, &mut text).unwrap();
    let read = Run::read(crate::Source::bytes("x.run", &text), crate::run::Order::Score).unwrap();
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
    // .1 + .2 + .3 and .3 + .2 + .1
    let scores: [Ranking<'_>; 3] =
        [&[("z", 0.3), ("a", 0.1)], &[("z", 0.2), ("a", 0.2)], &[("a", 0.3), ("z", 0.1)]];
    let rrf = Fusion::new(FusionMethod::Rrf);
    for (fusion, [one, two, three]) in [
        (rrf, [first, second, third]),
        (sum(Norm::None), scores),
        (Fusion::new(FusionMethod::CombMnz).with_norm(Norm::None), scores),
        (Fusion::new(FusionMethod::CombAnz).with_norm(Norm::None), scores),
        (Fusion::new(FusionMethod::Weighted).with_norm(Norm::None).with_weights([0.5; 3]), scores),
    ] {
        let expected = fused(&fusion, &[one, two, three]);
        assert_eq!((expected[0].0.as_str(), expected[1].0.as_str()), ("z", "a"), "{fusion}");
        assert_eq!(expected[0].1, expected[1].1, "{fusion}");
        for rankings in
            [[one, three, two], [two, one, three], [two, three, one], [three, one, two], [three, two, one]]
        {
            assert_eq!(fused(&fusion, &rankings), expected, "{fusion}");
        }
    }
}

#[test]
fn what_cannot_be_fused_says_why() {
    let (one, two): (Ranking<'_>, Ranking<'_>) = (&[("a", 3.0), ("b", 2.0)], &[("b", 9.0), ("c", 8.0)]);
    let rising: &[(&str, f64)] = &[("a", 0.1), ("b", 0.2)];
    for (fusion, rankings, expected) in [
        (sum(Norm::MinMax), vec![one], "a fusion needs at least two rankings"),
        (
            sum(Norm::MinMax).with_weights([1.0, 1.0]),
            vec![one, two],
            "`weights` do not go with `combsum`; `weighted` takes them",
        ),
        (
            Fusion::new(FusionMethod::Weighted),
            vec![one, two],
            "`weighted` needs `weights`, one for each ranking",
        ),
        (Fusion::new(FusionMethod::Rrf).with_weights([1.0]), vec![one, two], "1 weight for 2 rankings"),
        (
            Fusion::new(FusionMethod::Rrf).with_weights([1.0, -0.5]),
            vec![one, two],
            "a weight is a number of at least 0, not -0.5",
        ),
        (
            Fusion::new(FusionMethod::Rrf).with_weights([1.0, f64::NAN]),
            vec![one, two],
            "a weight is a number of at least 0, not NaN",
        ),
        (
            Fusion::new(FusionMethod::Rrf).with_weights([0.0, 0.0]),
            vec![one, two],
            "all weights are 0, so that every document would score 0",
        ),
        (
            Fusion::new(FusionMethod::Rrf).with_parameter(-1.0),
            vec![one, two],
            "`k` is a number of at least 0, not -1",
        ),
        (
            Fusion::new(FusionMethod::Rrf).with_parameter(f64::NAN),
            vec![one, two],
            "`k` is a number of at least 0, not NaN",
        ),
        (Fusion::new(FusionMethod::Rbc), vec![one, two], "`rbc` needs `phi`, above 0 and below 1"),
        (
            Fusion::new(FusionMethod::Rbc).with_parameter(1.0),
            vec![one, two],
            "`phi` is above 0 and below 1, not 1",
        ),
        (Fusion::new(FusionMethod::Isr).with_parameter(1.0), vec![one, two], "`isr` has no parameter"),
        (
            Fusion::new(FusionMethod::Rrf).with_norm(Norm::Rank),
            vec![one, two],
            "`norm` does not go with `rrf`, which looks at ranks alone",
        ),
        (
            sum(Norm::Max),
            vec![one, &[("b", -1.0)]],
            "ranking 2: its highest score is -1, and `norm: max` divides by a positive one",
        ),
        (sum(Norm::MinMax), vec![one, &[("b", f64::INFINITY)]], "ranking 2: the score of `b` is inf"),
        (
            sum(Norm::MinMax),
            vec![&[("a", 1e308), ("b", -1e308)], two],
            "ranking 1: its scores lie too far apart to be normalised",
        ),
        (
            Fusion::new(FusionMethod::CombSum).with_norm(Norm::None),
            vec![&[("a", 1e308)], &[("a", 1e308)]],
            "ranking 1: the fused score of `a` is too large",
        ),
        (
            sum(Norm::MinMax),
            vec![one, rising],
            "ranking 2: its scores rise from rank 1 (0.1) to rank 2 (0.2), so they contradict its order: fuse by ranks, as \
             method `rrf` does, or use norm `min-max-inverted` for distances",
        ),
        (
            sum(Norm::MinMaxInverted),
            vec![rising, one],
            "ranking 2: its scores fall from rank 1 (3) to rank 2 (2), and norm `min-max-inverted` is for distances, which rise: if \
             the ranks of the file are right, read it by them (`order: rank`, `--order rank`)",
        ),
    ] {
        assert_eq!(error(&fusion, &rankings), expected);
    }
    // Ranks say enough.
    assert_eq!(fused(&sum(Norm::Rank), &[one, rising]), [("a".to_owned(), 2.0), ("b".to_owned(), 1.0)]);
    let fusion = Fusion { norms: vec![Norm::MinMax, Norm::MinMaxInverted], ..sum(Norm::MinMax) };
    assert_eq!(fused(&fusion, &[one, rising]), [("a".to_owned(), 2.0), ("b".to_owned(), 0.0)]);
}

#[test]
fn a_run_without_scores_is_fused_by_ranks_alone() {
    let bare = Run::from_rankings([("q", hits(&[("a", 1.0), ("b", 0.5)]))]).unwrap();
    let scored = Run::from_rankings([("q", hits(&[("a", 0.9), ("b", 0.8)]))]).unwrap();
    let runs = [("words", &scored), ("dense", &bare)];
    assert_eq!(
        sum(Norm::MinMax).fuse(&runs).unwrap_err().to_string(),
        "`dense` has no scores, only an order: fuse by ranks, as method `rrf` or norm `rank` do"
    );
    for fusion in
        [sum(Norm::Rank), sum(Norm::Borda), Fusion::new(FusionMethod::Rrf), Fusion::new(FusionMethod::Borda)]
    {
        assert!(fusion.fuse(&runs).is_ok(), "{fusion}");
    }
    let error =
        sum(Norm::Max).fuse(&[("words", &scored), ("dense", &run_of("q1", -1.0))]).unwrap_err().to_string();
    assert_eq!(
        error,
        "`dense`, query `q1`: its highest score is -1, and `norm: max` divides by a positive one"
    );
}

fn run_of(query: &str, score: f64) -> Run {
    Run::from_rankings([(query, hits(&[("a", score)]))]).unwrap()
}

/// A power of two changes no ratio. Of (4, 2, 1, 1) by hand: mean 2, variance 3/2; differences from the lowest 3, 1, 0, 0.
#[test]
fn scores_of_any_size_are_normalised_as_any_others() {
    let ranking = |power: i32| {
        let (half, rest) = (2_f64.powi(power / 2), 2_f64.powi(power - power / 2));
        let scores = [("a", 4.0), ("b", 2.0), ("c", 1.0), ("d", 1.0)];
        hits(&scores.map(|(id, score)| (id, score * half * rest)))
    };
    let deviation = 1.5_f64.sqrt();
    for power in [0, 1, 511, 514, 1021, -511, -600, -1074] {
        let normalised = |norm: Norm| norm.apply(&ranking(power), 4).unwrap();
        assert_eq!(
            normalised(Norm::ZScore),
            [2.0 / deviation, 0.0, -1.0 / deviation, -1.0 / deviation],
            "2^{power}"
        );
        assert_eq!(normalised(Norm::Sum), [0.75, 0.25, 0.0, 0.0], "2^{power}");
    }
    // A document that is masked by the lowest number stays below all others, by hand: 3 of 4 are alike, sqrt(1/3) above the mean.
    let masked = hits(&[("a", 12.0), ("b", 11.0), ("c", 10.0), ("d", f64::MIN)]);
    let z = Norm::ZScore.apply(&masked, 4).unwrap();
    assert!(z[..3].iter().all(|z| (z - (1.0_f64 / 3.0).sqrt()).abs() < 1e-12), "{z:?}");
    assert!((z[3] + 3.0_f64.sqrt()).abs() < 1e-12, "{z:?}");
    let shares = Norm::Sum.apply(&masked, 4).unwrap();
    assert!(
        shares[..3].iter().all(|share| (share - 1.0 / 3.0).abs() < 1e-12) && shares[3] == 0.0,
        "{shares:?}"
    );
}
