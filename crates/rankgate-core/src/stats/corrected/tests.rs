use super::CorrectedMean;
use crate::stats::distribution::t_quantile;
use crate::stats::{Confidence, Direction, Interval, NoInterval, mean_interval};

/// People's scores of the units whose bit is set.
fn drawn(people: &[f64], bits: u32) -> Vec<Option<f64>> {
    people.iter().enumerate().map(|(at, score)| (bits >> at & 1 == 1).then_some(*score)).collect()
}

/// What the formulas give for a sample: weight, value, standard error and limits.
fn check(model: &[f64], people: &[Option<f64>], expected: [f64; 5]) -> CorrectedMean {
    let one = CorrectedMean::new(model, people).unwrap();
    let Interval { low, high } = one.interval(Confidence::default()).unwrap();
    let found = [one.weight, one.value, one.standard_error, low, high];
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-8, "{found} {expected}");
    }
    for (null, direction) in [(low, Direction::Greater), (high, Direction::Less)] {
        assert!((one.p(null, direction) - 0.025).abs() < 1e-9, "{direction:?}");
    }
    one
}

#[test]
fn it_is_the_regression_estimator_of_double_sampling() {
    // statsmodels 0.15.0: the slope of `OLS(y, f)` and its `resid_press`, e / (1 - h); ppi-python 0.2.3:
    // `ppi_mean_pointestimate(y, f, f_unlabelled, lam=slope * 2/7)`; SciPy 1.17.1 `t.ppf` with 3 degrees of freedom.
    let model = [0.5, 0.7, 0.2, 0.9, 0.4, 0.6, 0.3];
    let people = [Some(0.4), None, Some(0.1), Some(0.9), Some(0.5), None, Some(0.15)];
    let expected = [
        1.136_986_301_369_863_1,
        0.471_722_113_502_935_4,
        0.124_258_033_717_205_53,
        0.076_277_59,
        0.881_547_5,
    ];
    let one = check(&model, &people, expected);
    assert_eq!((one.freedom, one.units, one.drawn), (3, 7, 5));
    // f is .5, .2, .9, .4, .3 there, y .4, .1, .9, .5, .15: .25 in all higher.
    assert!((one.leniency - 0.05).abs() < 1e-12);
    let model: Vec<f64> = (0..23).map(|at| f64::from(at * 37 % 101) / 100.0).collect();
    let said =
        |(at, score): (usize, &f64)| (at % 3 == 0).then(|| (score * 0.8 + (at % 7) as f64 / 20.0).min(1.0));
    let people: Vec<Option<f64>> = model.iter().enumerate().map(said).collect();
    let expected = [
        0.758_333_333_333_333_3,
        0.501_590_579_710_144_9,
        0.069_134_494_102_653_97,
        0.328_106_12,
        0.670_756_59,
    ];
    check(&model, &people, expected);
}

#[test]
fn rare_low_scores_move_the_lower_limit_and_not_the_upper_one() {
    let people: Vec<f64> = (0..40).map(|at| if at % 10 == 0 { 0.1 } else { 0.8 }).collect();
    let all: Vec<Option<f64>> = people.iter().copied().map(Some).collect();
    let one = CorrectedMean::new(&[1.0; 40], &all).unwrap();
    let confidence = Confidence::default();
    let interval = one.interval(confidence).unwrap();
    let student = t_quantile(0.975, 39) * one.standard_error;
    assert!((interval.high - one.value - student).abs() < 1e-12);
    // Four of 40 are -.63 from the mean, the others .07: third moment -.024696 over .21^3 is a skewness of -2.6667 (that
    // of a proportion of .1, (1 - 2p) / sqrt(pq)), of which 40/60 are believed; the standard error has 39 for 40.
    let skew = 2.666_667 * (40.0 / 60.0) / 40_f64.sqrt() * (39.0_f64 / 40.0).powf(1.5);
    let quantile = t_quantile(0.975, 39);
    let raised = (quantile + skew * (1.0 + 2.0 * quantile * quantile) / 6.0) * one.standard_error;
    assert!((one.value - interval.low - raised).abs() < 1e-7);
    for (null, direction) in [(interval.low, Direction::Greater), (interval.high, Direction::Less)] {
        assert!((one.p(null, direction) - 0.025).abs() < 1e-9, "{direction:?}");
    }
    // The p-value falls with the null all the way, and is above one half where nothing is shown.
    let p: Vec<f64> = (0..=80).map(|at| one.p(0.4 + f64::from(at) / 100.0, Direction::Greater)).collect();
    assert!(p.is_sorted() && p[0] < 1e-6 && p[80] > 0.99, "{p:?}");
    assert!(one.p(one.value, Direction::Greater) > 0.5);
}

#[test]
fn a_judge_on_a_line_with_people_is_everybody_whatever_is_drawn() {
    let model = [0.9, 0.3, 0.55, 0.8, 0.1, 0.62, 0.4];
    let people = model.map(|score| 0.15 + 0.5 * score);
    let truth = people.iter().sum::<f64>() / 7.0;
    for bits in (0_u32..1 << 7).filter(|bits| bits.count_ones() >= 3) {
        let one = CorrectedMean::new(&model, &drawn(&people, bits)).unwrap();
        assert!((one.value - truth).abs() < 1e-12 && (one.weight - 0.5).abs() < 1e-12, "{bits:b}");
    }
}

#[test]
fn the_bias_over_all_draws_is_far_below_the_standard_error() {
    // Cochran 1977, 7.8: the bias of a regression estimate is of the order of 1/n of the standard error.
    let model = [0.9, 0.3, 0.55, 0.8, 0.1, 0.62, 0.4, 0.7, 0.2];
    let people = [0.7, 0.35, 0.5, 1.0, 0.0, 0.2, 0.45, 0.9, 0.3];
    let truth = people.iter().sum::<f64>() / 9.0;
    for size in 5..=8 {
        let all: Vec<CorrectedMean> = (0_u32..1 << 9)
            .filter(|bits| bits.count_ones() == size)
            .map(|bits| CorrectedMean::new(&model, &drawn(&people, bits)).unwrap())
            .collect();
        let of =
            |value: &dyn Fn(&CorrectedMean) -> f64| all.iter().map(value).sum::<f64>() / all.len() as f64;
        let (bias, error) = (of(&|one| one.value) - truth, of(&|one| one.standard_error));
        assert!(bias.abs() < 0.1 * error, "{size}: {bias} {error}");
    }
}

#[test]
fn where_no_error_was_seen_the_undrawn_may_hold_the_worst() {
    let people: Vec<f64> = (0..100).map(|at| f64::from(at * 37 % 101) / 100.0).collect();
    let sample: Vec<Option<f64>> =
        people.iter().enumerate().map(|(at, score)| (at < 40).then_some(*score)).collect();
    let seen = CorrectedMean::new(&people, &sample).unwrap();
    let one = seen.with_ends(&(0.0..=1.0));
    let (narrow, wide) = (seen.interval(Confidence::default()), one.interval(Confidence::default()));
    let (narrow, wide) = (narrow.unwrap(), wide.unwrap());
    // Of the 60 others 1 - .025^(1/40) may be wrong: lower by as much as the model's highest score of them, or higher by
    // 1 less its lowest.
    let share = 0.6 * (1.0 - 0.025_f64.powf(1.0 / 40.0));
    let of = |pick: fn(f64, f64) -> f64| people[40..].iter().copied().reduce(pick).unwrap();
    assert!((narrow.low - wide.low - share * of(f64::max)).abs() < 1e-12, "{wide:?}");
    assert!((wide.high - narrow.high - share * (1.0 - of(f64::min))).abs() < 1e-12, "{wide:?}");
    for (null, direction) in [(wide.low, Direction::Greater), (wide.high, Direction::Less)] {
        assert!((one.p(null, direction) - 0.025).abs() < 1e-9, "{direction:?}");
    }
    // Where many errors are seen, a range changes nothing, and neither does one without ends.
    let other: Vec<f64> =
        people.iter().enumerate().map(|(at, score)| score + 0.1 * (at % 2) as f64).collect();
    let other = CorrectedMean::new(&other, &sample).unwrap();
    assert_eq!(other.with_ends(&(0.0..=1.0)), other);
    assert_eq!(seen.with_ends(&(0.0..=f64::INFINITY)), seen);
}

#[test]
fn a_judge_that_was_never_seen_to_be_wrong_costs_no_more_than_people_alone() {
    // Differences within .1, and a judge that was never wrong: what it may be unseen, 2 of 2, is wider than people's own.
    let people: Vec<f64> = (0..400).map(|at| f64::from(at * 37 % 41) / 200.0 - 0.1).collect();
    let sample: Vec<Option<f64>> =
        people.iter().enumerate().map(|(at, score)| (at < 40).then_some(*score)).collect();
    let units: Vec<usize> = (0..400).collect();
    let one = CorrectedMean::within(&people, &sample, &units, &(-1.0..=1.0)).unwrap();
    let alone = CorrectedMean::new(&[0.0; 400], &sample).unwrap();
    assert_eq!((one.weight, one.value, one.width()), (0.0, alone.value, alone.width()));
    // What the model says by itself, and how far from people, stays.
    assert!(one.leniency == 0.0 && one.uncorrected != 0.0);
}

#[test]
fn a_perfect_pipeline_and_a_perfect_judge_have_limits() {
    let sample: Vec<Option<f64>> = (0..200).map(|at| (at < 38).then_some(1.0)).collect();
    let one = CorrectedMean::new(&[1.0; 200], &sample).unwrap().with_ends(&(0.0..=1.0));
    // What Clopper and Pearson say of 38 of 38.
    let low = 0.025_f64.powf(1.0 / 38.0);
    let interval = one.interval(Confidence::default()).unwrap();
    assert!((interval.low - low).abs() < 1e-10 && interval.high == 1.0, "{interval:?}");
    assert!((one.p(low, Direction::Greater) - 0.025).abs() < 1e-9);
    assert!((one.p(0.5, Direction::Greater) - 0.5_f64.powi(38)).abs() < 1e-20);
    assert!(one.p(1.0, Direction::Greater) > 1.0 - 1e-9);
}

#[test]
fn a_slope_that_one_unit_fixes_is_none() {
    let people = [Some(0.4), Some(0.6), Some(0.1), Some(0.9), None, None];
    let alone = CorrectedMean::new(&[0.0; 6], &people).unwrap();
    let one = CorrectedMean::new(&[0.0, 0.0, 0.0, 1.0, 0.0, 1.0], &people).unwrap();
    assert_eq!((one.weight, one.freedom, one.value), (0.0, 3, alone.value));
    assert_eq!(one.standard_error, alone.standard_error);
    // Two drawn units leave no line either.
    let two = CorrectedMean::new(&[0.1, 0.5, 0.9], &[Some(0.2), Some(0.8), None]).unwrap();
    assert_eq!((two.weight, two.freedom, two.value), (0.0, 1, 0.5));
}

#[test]
fn a_constant_judge_is_people_alone_and_a_perfect_one_is_everybody() {
    let people = [0.2, 0.9, 0.4, 0.6, 0.7, 0.1];
    let few = drawn(&people, 0b01_0111);
    let constant = CorrectedMean::new(&[0.5; 6], &few).unwrap();
    let alone: f64 = (0.2 + 0.9 + 0.4 + 0.7) / 4.0;
    assert!((constant.value - alone).abs() < 1e-12);
    // S2 / n of the drawn scores
    let squares: f64 = [0.2, 0.9, 0.4, 0.7].iter().map(|score| (score - alone).powi(2)).sum();
    assert!((constant.standard_error - (squares / 3.0 / 4.0).sqrt()).abs() < 1e-12);
    let perfect = CorrectedMean::new(&people, &few).unwrap();
    assert!((perfect.value - people.iter().sum::<f64>() / 6.0).abs() < 1e-12);
    assert_eq!((perfect.leniency, perfect.leniency_error), (0.0, 0.0));
    assert!((perfect.standard_error - (squares / 3.0 / 6.0).sqrt()).abs() < 1e-12);
}

#[test]
fn a_sample_that_lacks_what_the_model_scores_high_is_not_taken_for_all_there_is() {
    let model = [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0];
    let people = [0.1, 0.2, 0.0, 0.1, 0.4, 0.3, 0.1, 0.0];
    let some = |bits| drawn(&people, bits);
    // statsmodels and SciPy, as above: S2(f) of all .267857, which is more than .266667 of the drawn.
    let expected = [0.25, 0.193_75, 0.055_708_494_843_311_2, 0.039_078_42, 0.350_776_47];
    check(&model, &some(0b11_1111), expected);
    // A sample that holds more of what the model scores high than there is narrows nothing: S2(f) .3.
    let expected = [0.166_666_666_666_666_6, 0.162_5, 0.061_237_243_569_579_45, -0.008_130_87, 0.332_521_85];
    check(&model, &some(0b111_0111), expected);
    // Of a sample in which the model scores all alike it is people alone: .0066667 / 4.
    let corrected = CorrectedMean::new(&model, &some(0b1111)).unwrap();
    assert!((corrected.standard_error.powi(2) - 0.001_666_667).abs() < 1e-8);
    assert_eq!(corrected.weight, 0.0);
}

#[test]
fn groups_are_drawn_as_a_whole() {
    let model = [0.5, 0.5, 0.2, 0.8, 0.8, 0.3, 0.1];
    let people = [Some(0.4), Some(0.6), None, Some(0.9), Some(0.5), None, Some(0.1)];
    let groups = ["a", "a", "b", "c", "c", "b", "d"];
    let one = CorrectedMean::grouped(&model, &people, &groups).unwrap();
    assert_eq!((one.units, one.drawn), (4, 3));
    // y - f of a, c, d: 0 of 2, -.2 of 2, 0 of 1: -.04 a query
    assert!((one.leniency - 0.04).abs() < 1e-12);
    // residuals .08, -.12, .04 over 5/3 queries a group: squares .0224 / 2.7778 / 2
    let spread = 0.0224_f64 / (25.0 / 9.0) / 2.0;
    assert!((one.leniency_error - (spread / 3.0).sqrt()).abs() < 1e-12);
    let of_single = CorrectedMean::grouped(&model, &people, &[0, 1, 2, 3, 4, 5, 6]).unwrap();
    assert_eq!(of_single, CorrectedMean::new(&model, &people).unwrap());
    let error = CorrectedMean::grouped(&model, &people, &["a"; 7]).unwrap_err().to_string();
    assert_eq!(error, "people judged some queries of a group and not the others");
}

#[test]
fn one_score_of_all_units_has_the_limits_of_the_unseen_query() {
    let queries: Vec<usize> = (0..30).collect();
    for (model, people) in [(1.0, 1.0), (0.4, 1.0), (0.0, 0.0), (1.0, 0.5)] {
        let scores = vec![Some(people); 30];
        let one = CorrectedMean::within(&[model; 30], &scores, &queries, &(0.0..=1.0)).unwrap();
        let Interval { low, high } = one.interval(Confidence::default()).unwrap();
        let expected = mean_interval(&[people; 30], Confidence::default(), 0.0..=1.0).unwrap();
        let expected = expected.interval.unwrap();
        assert!((low - expected.low).abs() < 1e-12 && (high - expected.high).abs() < 1e-12, "{low} {high}");
        // Clopper and Pearson of 30 of 30: .025^(1/30).
        assert!(people < 1.0 || (low - 0.884_297).abs() < 1e-6);
        let p = one.p(low, Direction::Greater);
        assert!((p - 0.025).abs() < 1e-6 || people == 0.0, "{p}");
    }
    let flat = CorrectedMean::new(&[1.0; 30], &[Some(1.0); 30]).unwrap();
    assert_eq!(flat.interval(Confidence::default()), Err(NoInterval::NoVariance), "without a range");
}

#[test]
fn what_cannot_be_corrected_is_an_error() {
    let error =
        |model: &[f64], people: &[Option<f64>]| CorrectedMean::new(model, people).unwrap_err().to_string();
    assert!(error(&[0.1, 0.2], &[Some(0.1), None]).starts_with("two drawn queries"));
    assert!(error(&[0.1, f64::NAN], &[Some(0.1), Some(0.2)]).contains("not NaN"));
    assert!(error(&[0.1, 0.2], &[Some(0.1)]).contains("of 2 queries"));
    let flat = CorrectedMean::new(&[0.5; 3], &[Some(0.5), Some(0.5), None]).unwrap();
    assert_eq!(flat.interval(Confidence::default()), Err(NoInterval::NoVariance));
    assert_eq!((flat.p(0.4, Direction::Greater), flat.p(0.5, Direction::Greater)), (0.0, 1.0));
}

/// Of people alone, it is what the same scores and one more give: against the estimate that reads them all.
#[test]
fn one_more_unit_is_as_if_it_had_been_drawn() {
    let graded = [0.9, 0.4, 0.7, 0.6, 0.8, 0.2];
    let mean = graded.iter().sum::<f64>() / 6.0;
    let estimate = |more: Option<f64>| {
        let mut people = vec![None; 20];
        graded.into_iter().chain(more).enumerate().for_each(|(at, score)| people[at] = Some(score));
        CorrectedMean::new(&[0.5; 20], &people).unwrap()
    };
    let (found, expected) = (estimate(None).with_one_more(-0.5).unwrap(), estimate(Some(mean - 0.5)));
    assert!((found.value - expected.value).abs() < 1e-12);
    assert!((found.standard_error - expected.standard_error).abs() < 1e-12);
    for direction in [Direction::Greater, Direction::Less] {
        assert!((found.p(0.55, direction) - expected.p(0.55, direction)).abs() < 1e-9);
    }
}
