//! Histories that were made, told.

use std::sync::Arc;

use rand::RngExt;

use super::*;
use crate::stats::Stream;

const QUERIES: usize = 60;

fn commit(number: usize) -> Commit {
    Commit {
        id: format!("c{number}"),
        time: 86_400 * number as i64,
        subject: format!("Change {number}"),
        author: "Ada".into(),
        releases: vec![],
    }
}

fn scores(values: &[f64]) -> Arc<Scores> {
    Arc::new(Scores {
        queries: (0..values.len()).map(|query| format!("q{query:03}")).collect(),
        groups: None,
        by_metric: [("nDCG@10".to_owned(), values.to_vec())].into(),
    })
}

/// Each ranking is known by its scores.
fn measured(number: usize, values: &[f64]) -> Measurement {
    let ranking: Vec<String> = values.iter().map(|value| format!("{:x}", value.to_bits())).collect();
    Measurement {
        commit: format!("c{number}"),
        ranking: rankgate_core::internal::content_hash::bytes_sha256([ranking.concat().as_bytes(), b""]),
        scores: scores(values),
        golden: None,
        blessed: false,
        accepted: false,
        inputs: Inputs::default(),
        judged: "today".into(),
        gated: vec!["nDCG@10".into()],
        alarms: Default::default(),
        varies: false,
    }
}

/// A commit for each; the first ranking is golden.
fn history(states: &[Vec<f64>]) -> History {
    let mut measurements: Vec<Measurement> =
        states.iter().enumerate().map(|(number, values)| measured(number, values)).collect();
    let golden = Golden { ranking: measurements[0].ranking.clone(), scores: measurements[0].scores.clone() };
    for one in &mut measurements {
        one.golden = Some(golden.clone());
    }
    History { line: (0..states.len()).map(commit).collect(), measurements, ..History::default() }
}

/// Scores around .6 that differ from query to query.
fn base() -> Vec<f64> {
    (0..QUERIES).map(|query| 0.4 + (query * 37 % 41) as f64 / 100.0).collect()
}

/// The same with every query lower by about `loss`.
fn lower(values: &[f64], loss: f64) -> Vec<f64> {
    let share = |query: usize| 0.5 + (query * 17 % 11) as f64 / 10.0;
    values.iter().enumerate().map(|(query, value)| value - loss * share(query)).collect()
}

/// The same with every query moved by chance.
fn moved(values: &[f64], number: u64) -> Vec<f64> {
    let mut random = Stream::new(9).rng(number);
    values.iter().map(|value| value + random.random_range(-0.05..0.05)).collect()
}

fn tell(history: &History) -> Timeline {
    history.tell(&Rules::default()).unwrap()
}

fn kinds(alarm: &Alarm) -> Vec<ReferenceKind> {
    alarm.against.iter().map(|held| held.reference).collect()
}

#[test]
fn a_drop_after_a_constant_history_alarms() {
    let mut states = vec![base(); 50];
    states.push(lower(&base(), 0.25));
    let told = tell(&history(&states));
    let [alarm] = told.alarms.as_slice() else { panic!("{:?}", told.alarms) };
    assert_eq!((alarm.opened.commit.as_str(), alarm.open), ("c50", true));
    let all = [ReferenceKind::Golden, ReferenceKind::First, ReferenceKind::Best, ReferenceKind::Before];
    assert_eq!(kinds(alarm), all);
    let suspects: Vec<&str> = alarm.suspects.iter().map(|one| one.commit.as_str()).collect();
    assert_eq!((alarm.after.as_ref().unwrap().commit.as_str(), suspects), ("c49", vec!["c50"]));
    let held = &alarm.against[0];
    // All 60 queries lost: the only sign vector as extreme is the observed one.
    assert_eq!((held.ranking, held.p, held.threshold), (1, 0.5f64.powi(60), 0.025 / 4.0 / 2.0 / 2.0));
    assert_eq!(alarm.queries.len(), 5);
    assert!(alarm.queries[0].before.unwrap() - alarm.queries[0].after > 0.37, "{:?}", alarm.queries[0]);
}

#[test]
fn a_loss_that_one_more_query_undoes_is_a_notice() {
    // Of 60 queries at 1/2 some lose 1/20 each. One more query gains (60/4 + 1) / (60/2 + 1) = 16/31, what an average point
    // rests on that they lack. It undoes the loss of k queries in (1 + 0.05 / (16/31))^-k of all weighings.
    let lost = |k: usize| (0..QUERIES).map(|query| if query < k { 0.45 } else { 0.5 }).collect::<Vec<f64>>();
    let undone = |k: i32| (1.0_f64 + 0.05 / (16.0 / 31.0)).powi(-k);
    assert!(undone(40) > 0.01 && undone(60) < 0.01);
    let few = history(&[vec![0.5; QUERIES], lost(40)]);
    let told = tell(&few);
    assert!(told.alarms.is_empty() && !told.notices.is_empty(), "{:?}", told.alarms);
    // The permutation test alone is certain: 2^-40.
    let told = few.tell(&Rules { guarantee: stats::Guarantee::None, ..Rules::default() }).unwrap();
    let held = &told.alarms[0].against[0];
    assert_eq!((held.p, told.unseen), (0.5_f64.powi(40), Some(1.0)));
    assert!((held.p_unseen.unwrap() / undone(40) - 1.0).abs() < 1e-9, "{held:?}");
    let told = tell(&history(&[vec![0.5; QUERIES], lost(60)]));
    assert!((told.alarms[0].against[0].p_unseen.unwrap() / undone(60) - 1.0).abs() < 1e-9);
    // At the alarm's own level, .0016, no 60 queries that lose so little show it.
    let bounded = history(&[vec![0.5; QUERIES], lost(60)]);
    let told = bounded.tell(&Rules { guarantee: stats::Guarantee::Bounded, ..Rules::default() }).unwrap();
    assert!(undone(60) > Rules::default().threshold(1, 1) && told.alarms.is_empty());
}

#[test]
fn a_history_of_a_version_whose_alarms_asked_no_unseen_query_is_read() {
    let mut told = tell(&history(&[vec![0.5; QUERIES], vec![0.4; QUERIES]]));
    let mut json = serde_json::to_value(&told).unwrap();
    json.as_object_mut().unwrap().remove("unseen").unwrap();
    let held = json["alarms"][0]["against"].as_array_mut().unwrap();
    held.iter_mut().for_each(|one| assert!(one.as_object_mut().unwrap().remove("p_unseen").is_some()));
    told.unseen = None;
    told.alarms.iter_mut().flat_map(|alarm| &mut alarm.against).for_each(|held| held.p_unseen = None);
    assert_eq!(serde_json::from_value::<Timeline>(json).unwrap(), told);
}

#[test]
fn a_step_is_named_at_the_commit_that_lost() {
    // Forty rankings, all better than the first, have spent much of what references may. Then 20 of 60 queries lose .3.
    let better = |number| moved(&lower(&base(), -0.05), number);
    let lose = |values: &[f64]| -> Vec<f64> {
        values.iter().enumerate().map(|(at, value)| if at < 20 { value - 0.3 } else { *value }).collect()
    };
    let mut states = vec![base()];
    states.extend((0..40).map(|number| better(200 + number)));
    let low = lose(states.last().unwrap());
    states.push(low.clone());
    let told = tell(&history(&states));
    let steps: Vec<&Alarm> = told.alarms.iter().filter(|one| kinds(one) == [ReferenceKind::Before]).collect();
    let [step] = steps.as_slice() else { panic!("{:?}", told.alarms) };
    assert_eq!((step.opened.commit.as_str(), step.suspects.len(), step.open), ("c41", 1, true));
    let held = &step.against[0];
    // All 20 that moved lost.
    assert_eq!((held.from.as_str(), held.p, held.threshold), ("c40", 0.5f64.powi(20), 0.001));
    // Of the next rankings those that are as low belong to it; one that is not ends it.
    states.extend([moved(&low, 1), moved(&low, 2), better(300)]);
    let told = tell(&history(&states));
    let step = told.alarms.iter().find(|one| one.id == step.id).unwrap();
    let held = &step.against[0];
    assert_eq!(held.absorbed.len(), 2);
    assert_eq!(held.ended, Some(Ended { commit: "c44".into(), how: End::Recovered }));
    // The references count no step among them.
    assert_eq!(told.references.iter().filter(|one| one.kind == ReferenceKind::Before).count(), 1);
}

#[test]
fn a_step_that_comes_back_is_the_same_alarm() {
    let low = lower(&base(), 0.1);
    let mut history = history(&[base(), low.clone(), base(), low]);
    history.measurements.iter_mut().for_each(|one| one.golden = None);
    let told = tell(&history);
    let [alarm] = told.alarms.as_slice() else { panic!("{:?}", told.alarms) };
    assert!(alarm.open && kinds(alarm).contains(&ReferenceKind::Before));
}

#[test]
fn a_loss_smaller_than_what_counts_is_neither_alarm_nor_notice() {
    // Of 60 queries 40 lose 1e-7 each, and none gains: p = 2^-40.
    let tiny: Vec<f64> =
        base().iter().enumerate().map(|(at, value)| if at < 40 { value - 1e-7 } else { *value }).collect();
    let mut history = history(&[base(), tiny]);
    let told = tell(&history);
    assert_eq!((told.alarms.len(), told.notices.len(), told.smallest_loss), (0, 0, Some(0.002)));
    // Each of 60 loses .1; a spec that takes losses of .2 alone has its way, the last commit's.
    let small: Vec<f64> = base().iter().map(|value| value - 0.1).collect();
    history.measurements[1] = measured(1, &small);
    assert_eq!(tell(&history).alarms.len(), 1);
    history.measurements[1].alarms.smallest_loss = Some(0.2);
    let told = tell(&history);
    assert_eq!((told.alarms.len(), told.smallest_loss), (0, Some(0.2)));
}

/// Three commits, each of which blesses its ranking, as golden runs are measured.
fn blessed(states: &[Vec<f64>]) -> History {
    let mut history = history(states);
    history.measurements.iter_mut().for_each(|one| (one.golden, one.blessed) = (None, true));
    history
}

#[test]
fn a_loss_that_was_blessed_stands_until_it_is_repaired_or_accepted() {
    let low = lower(&base(), 0.1);
    let mut history = blessed(&[base(), low.clone(), moved(&low, 1)]);
    // A release of the lost ranking does not silence it either.
    history.line[2].releases = vec!["v2".into()];
    let told = tell(&history);
    let [alarm] = told.alarms.as_slice() else { panic!("{:?}", told.alarms) };
    assert_eq!((alarm.opened.commit.as_str(), alarm.open, told.standing()), ("c1", true, 1));
    assert_eq!(alarm.blessed.as_ref().unwrap().commit, "c1");
    let golden = alarm.against.iter().find(|held| held.reference == ReferenceKind::Golden).unwrap();
    assert_eq!((golden.absorbed.len(), golden.ended.as_ref()), (1, None));
    // Accepted with the bless.
    let mut accepted = history.clone();
    accepted.measurements[1].accepted = true;
    let told = tell(&accepted);
    let [alarm] = told.alarms.as_slice() else { panic!("{:?}", told.alarms) };
    assert!(alarm.acknowledged && !alarm.open && told.standing() == 0);
    assert!(alarm.against.iter().all(|held| held.ended.as_ref().unwrap().how == End::Acknowledged));
    // A further loss is seen against what was accepted.
    accepted.line.push(commit(3));
    accepted.measurements.push(measured(3, &lower(&low, 0.1)));
    assert_eq!(tell(&accepted).standing(), 1);
    // Acknowledged later.
    let mut acknowledged = history.clone();
    acknowledged.acknowledged.insert(tell(&history).alarms[0].id.clone());
    assert_eq!(tell(&acknowledged).standing(), 0);
    // Repaired.
    history.line.push(commit(3));
    history.measurements.push(Measurement { blessed: true, ..measured(3, &moved(&base(), 7)) });
    let told = tell(&history);
    assert_eq!(told.standing(), 0);
    assert!(told.alarms[0].against.iter().all(|held| held.ended.as_ref().unwrap().how == End::Recovered));
}

#[test]
fn a_return_to_an_accepted_ranking_is_not_what_was_accepted() {
    // The loss of the second ranking was accepted with its bless. A better one comes, which nobody blesses, and is lost again.
    let low = lower(&base(), 0.1);
    let mut history = history(&[base(), low.clone(), lower(&base(), -0.1), low.clone()]);
    let accepted = Golden { ranking: measured(1, &low).ranking, scores: scores(&low) };
    for number in [1, 3] {
        history.measurements[number].accepted = true;
    }
    history.measurements[1..].iter_mut().for_each(|one| one.golden = Some(accepted.clone()));
    let told = tell(&history);
    let [first, second] = told.alarms.as_slice() else { panic!("{:?}", told.alarms) };
    assert!(first.acknowledged && !first.open);
    assert_eq!((second.opened.commit.as_str(), second.acknowledged, second.open), ("c3", false, true));
}

#[test]
fn a_report_and_a_golden_run_tell_the_same_of_a_blessed_loss() {
    // Twenty rankings, each blessed in its commit; the tenth loses.
    let states: Vec<Vec<f64>> =
        (0..20).map(|at| moved(&lower(&base(), if at < 10 { 0.0 } else { 0.12 }), at / 3)).collect();
    let git = blessed(&states);
    let mut pushed = git.clone();
    for one in &mut pushed.measurements {
        // A report has the golden run that it leaves behind: its own ranking.
        one.golden = Some(Golden { ranking: one.ranking.clone(), scores: one.scores.clone() });
        one.blessed = false;
    }
    let (git, pushed) = (tell(&git), tell(&pushed));
    assert_eq!(git.alarms, pushed.alarms);
    // Of the first report nobody knows whether its golden run was there before.
    assert_eq!((&git.commits[1..], git.blessings), (&pushed.commits[1..], pushed.blessings));
    assert_eq!(
        (git.alarms.len(), git.alarms[0].opened.commit.as_str(), git.alarms[0].open),
        (1, "c10", true)
    );
}

#[test]
fn a_bless_in_the_commit_that_changes_judgments_says_nothing_of_the_ranking_before() {
    let mut history = history(&[base(), lower(&base(), 0.2)]);
    let last = &mut history.measurements[1];
    (last.inputs.judgments, last.judged) = ("new".into(), "new".into());
    last.golden = Some(Golden { ranking: last.ranking.clone(), scores: last.scores.clone() });
    let told = tell(&history);
    assert_eq!((told.standing(), told.untold().map(|epoch| epoch.from.as_str())), (0, Some("c1")));
}

#[test]
fn identical_rankings_spend_nothing() {
    let (a, b) = (base(), lower(&base(), 0.001));
    let states: Vec<Vec<f64>> =
        (0..60).map(|number| if number % 3 == 1 { b.clone() } else { a.clone() }).collect();
    let told = tell(&history(&states));
    let spent: Vec<(usize, f64)> = told.references.iter().map(|one| (one.rankings, one.used)).collect();
    assert_eq!(spent, [(1, 0.5); 3]);
    assert_eq!((told.states.len(), told.tests), (2, 3));
    let moves: Vec<Move> = told.commits.iter().take(5).map(|one| one.moved).collect();
    assert_eq!(moves, [Move::First, Move::New, Move::Return, Move::Same, Move::Return]);
    assert_eq!((told.states[0].commits, told.states[1].commits), (40, 20));
}

#[test]
fn a_thousand_null_states_alarm_at_most_at_the_stated_rate() {
    // Rankings as good as the golden one, each query as likely to gain as to lose. The chance of an alarm in any of
    // the three lines is at most .056; `cargo bench --bench history_simulation` counts thousands.
    for line in 0..3 {
        let mut states = vec![vec![0.5; 20]];
        let mut random = Stream::new(5).rng(line);
        for _ in 0..1_000 {
            states.push((0..20).map(|_| [0.4, 0.5, 0.6][random.random_range(0..3_usize)]).collect());
        }
        let told = tell(&history(&states));
        assert!(told.alarms.is_empty(), "{:?}", told.alarms);
        assert!(told.references.iter().all(|one| one.used < 1.0 && one.rankings >= 990));
        // Far more are notices, and it is said how many are to be expected.
        let notices = told.notices.len() as f64;
        assert!(10.0 < notices && notices < 1.3 * told.notices_by_chance, "{notices}");
    }
}

#[test]
fn twenty_blessings_of_minus_006_are_seen_against_the_release() {
    // Each commit moves 48 of 160 queries by .1, 29 of them down and 19 up: it loses .00625 on average, p = .097, and is
    // blessed.
    let mut states = vec![vec![0.5; 160]];
    for number in 0..20 {
        let mut next = states[number].clone();
        for place in 0..48 {
            next[(number * 48 + place) % 160] += if (place * 7 + number * 5) % 48 < 29 { -0.1 } else { 0.1 };
        }
        states.push(next);
    }
    let mut history = history(&states);
    for one in &mut history.measurements {
        (one.golden, one.blessed) = (None, true);
    }
    history.line[0].releases = vec!["v1.0".into()];
    let told = tell(&history);
    assert_eq!(told.blessings, 20);
    assert_eq!(told.references.iter().filter(|one| one.kind == ReferenceKind::Golden).count(), 21);
    let against = |kind| told.alarms.iter().flat_map(|one| &one.against).find(|held| held.reference == kind);
    assert_eq!(against(ReferenceKind::Golden), None, "no step is large enough to be seen by itself");
    let release = against(ReferenceKind::Release).unwrap();
    assert_eq!((release.release.as_deref(), release.ended.as_ref()), (Some("v1.0"), None));
    assert!(release.before - release.now > 0.02);
    // The steps behind it are named, and no single one is most of it.
    let alarm = told.alarms.iter().find(|one| kinds(one).contains(&ReferenceKind::Release)).unwrap();
    assert_eq!(alarm.steps.len(), 5);
    assert!(alarm.steps[0].difference.abs() < 0.5 * (release.before - release.now), "{:?}", alarm.steps);
}

#[test]
fn a_step_does_not_become_its_own_baseline() {
    let low = lower(&base(), 0.1);
    let mut states = vec![base(); 5];
    states.extend((0..100).map(|number| moved(&low, number)));
    let told = tell(&history(&states));
    let [alarm] = told.alarms.as_slice() else { panic!("{:?}", told.alarms.len()) };
    assert_eq!((alarm.opened.commit.as_str(), alarm.open), ("c5", true));
    // All 99 later ones belong to it, and cost nothing.
    assert!(alarm.against.iter().all(|held| held.absorbed.len() == 99 && held.ended.is_none()));
    assert!(told.references.iter().all(|one| one.rankings == 1));
}

#[test]
fn a_loss_back_to_an_old_ranking_is_told() {
    let better = lower(&base(), -0.1);
    let told = tell(&history(&[base(), better.clone(), base(), better, base()]));
    let [alarm] = told.alarms.as_slice() else { panic!("{:?}", told.alarms) };
    assert_eq!((alarm.opened.commit.as_str(), alarm.state, alarm.open), ("c2", 1, true));
    assert_eq!(kinds(alarm), [ReferenceKind::Best, ReferenceKind::Before]);
    assert_eq!((alarm.after.as_ref().unwrap().commit.as_str(), alarm.suspects.len()), ("c1", 1));
    // Of two rankings so far the better one was chosen.
    assert_eq!(alarm.against[0].p, 2.0 * 0.5f64.powi(60));
}

#[test]
fn a_ranking_that_is_lost_to_twice_is_two_alarms_with_suspects_of_their_own() {
    let low = lower(&base(), 0.1);
    let mut history = history(&[base(), low.clone(), lower(&base(), -0.1), low]);
    for one in &mut history.measurements {
        one.golden = None;
    }
    (history.measurements[0].blessed, history.measurements[2].blessed) = (true, true);
    let told = tell(&history);
    let [first, second] = told.alarms.as_slice() else { panic!("{:?}", told.alarms) };
    assert_eq!(kinds(second), [ReferenceKind::Golden, ReferenceKind::Before]);
    assert_eq!((first.state, second.state, second.opened.commit.as_str()), (2, 2, "c3"));
    let names = |of: &[CommitName]| of.iter().map(|one| one.commit.clone()).collect::<Vec<_>>();
    assert_eq!((names(&first.suspects), names(&second.suspects)), (vec!["c1".into()], vec!["c3".into()]));
    assert_eq!(second.id, format!("{}.c3", first.id));
    assert!((second.steps[0].difference + 0.2).abs() < 0.01 && second.steps.len() == 1, "{:?}", second.steps);
}

#[test]
fn fewer_leaks_are_no_loss() {
    let mut states = vec![base(); 50];
    states.push(lower(&base(), 0.25));
    for (metric, alarms) in [("nDCG@10", 1), ("Count(leak)@5", 0), ("Copies@5", 0), ("one of a team", 1)] {
        let mut history = history(&states);
        let renamed = |scores: &Scores| {
            let by_metric =
                scores.by_metric.iter().map(|(_, values)| (metric.to_owned(), values.clone())).collect();
            Arc::new(Scores { by_metric, ..scores.clone() })
        };
        for one in &mut history.measurements {
            one.scores = renamed(&one.scores);
            one.golden = one.golden.take().map(|golden| Golden { scores: renamed(&golden.scores), ..golden });
            one.gated = vec![metric.into()];
        }
        assert_eq!(tell(&history).alarms.len(), alarms, "{metric}");
    }
}

#[test]
fn an_alarm_on_one_metric_takes_in_no_loss_on_another() {
    let with = |number: usize, values: [&[f64]; 2]| {
        let mut one = measured(number, &values.concat());
        let of = |(metric, values): (&str, &[f64])| (metric.to_owned(), values.to_vec());
        let by_metric = ["RR", "AP"].into_iter().zip(values).map(of).collect();
        one.scores = Arc::new(Scores { by_metric, ..(*scores(values[0])).clone() });
        one.gated = vec!["AP".into(), "RR".into()];
        one
    };
    let (high, low) = (base(), lower(&base(), 0.1));
    let mut history = history(&[high.clone(), high.clone(), high.clone()]);
    history.measurements = vec![with(0, [&high, &high]), with(1, [&low, &high]), with(2, [&high, &low])];
    let told = tell(&history);
    assert_eq!(
        (&told.metrics[..], &told.gated[..]),
        (&["RR".to_owned(), "AP".to_owned()][..], &told.metrics[..])
    );
    let [first, second] = told.alarms.as_slice() else { panic!("{:?}", told.alarms) };
    let metric = |alarm: &Alarm| alarm.against[0].metric.clone();
    assert_eq!((metric(first), metric(second)), ("RR".to_owned(), "AP".to_owned()));
    assert_eq!((first.open, second.open), (false, true));
    assert!(first.against.iter().all(|held| held.ended.as_ref().unwrap().how == End::Recovered));
    assert!(first.against.iter().all(|held| held.absorbed.is_empty()));
}

#[test]
fn a_revert_ends_the_alarm_and_coming_back_opens_it_again() {
    let low = lower(&base(), 0.1);
    let mut told = tell(&history(&[base(), low.clone(), base()]));
    let alarm = told.alarms.remove(0);
    assert!(!alarm.open);
    assert!(
        alarm
            .against
            .iter()
            .all(|held| held.ended == Some(Ended { commit: "c2".into(), how: End::Returned }))
    );
    let told = tell(&history(&[base(), low.clone(), base(), low]));
    assert_eq!((told.alarms.len(), told.alarms[0].open), (1, true));
    // Half of the loss repaired by another ranking that is as good as the first: over.
    let told = tell(&history(&[base(), lower(&base(), 0.1), moved(&base(), 3)]));
    assert!(told.alarms[0].against.iter().all(|held| held.ended.as_ref().unwrap().how == End::Recovered));
}

#[test]
fn pushes_late_twice_or_out_of_order_give_the_same_alarms() {
    let mut states: Vec<Vec<f64>> = (0..12).map(|number| moved(&base(), number / 2)).collect();
    states.extend((0..8).map(|number| moved(&lower(&base(), 0.08), 50 + number)));
    let mut history = history(&states);
    let told = tell(&history);
    assert_eq!(told.alarms.len(), 1);
    history.measurements.reverse();
    history.measurements.extend(history.measurements[3..9].to_vec());
    history.measurements.swap(2, 7);
    assert_eq!(tell(&history), told);
    // Of two that do not say the same of one ranking it does not matter which came first.
    let mut other = history.clone();
    other.measurements.push(Measurement { golden: None, blessed: true, ..history.measurements[4].clone() });
    other.measurements.push(Measurement { varies: true, ..history.measurements[5].clone() });
    let one = tell(&other);
    other.measurements.reverse();
    assert_eq!(tell(&other), one);
    assert_eq!(one.blessings, 2, "there, and back to the golden run of the next");
    // What came late is told as if it had come in time: without it the suspects were two.
    let late = history.measurements.clone();
    history.measurements.retain(|one| one.commit != "c11");
    let before = tell(&history);
    let suspects =
        |told: &Timeline| told.alarms[0].suspects.iter().map(|one| one.commit.clone()).collect::<Vec<_>>();
    assert_eq!(suspects(&before), ["c11", "c12"]);
    history.measurements = late;
    assert_eq!(tell(&history), told);
    assert_eq!(suspects(&told), ["c12"]);
}

#[test]
fn an_acknowledged_alarm_never_returns() {
    let low = lower(&base(), 0.1);
    let mut states = vec![base(), low.clone()];
    states.extend((0..30).map(|number| moved(&low, number)));
    let mut history = history(&states);
    let open = tell(&history);
    assert!(open.alarms[0].open);
    history.acknowledged.insert(open.alarms[0].id.clone());
    let told = tell(&history);
    assert_eq!((told.alarms.len(), told.alarms[0].acknowledged, told.alarms[0].open), (1, true, false));
    // Later rankings of that height are held against what was acknowledged, and further losses are seen.
    history.line.push(commit(32));
    let mut one = measured(32, &lower(&low, 0.1));
    one.golden = history.measurements[0].golden.clone();
    history.measurements.push(one);
    let told = tell(&history);
    assert_eq!(
        (told.alarms.len(), told.alarms[1].open, told.alarms[1].opened.commit.as_str()),
        (2, true, "c32")
    );
    assert!((told.alarms[1].against[0].before - told.alarms[0].against[0].now).abs() < 1e-12);
}

#[test]
fn what_was_acknowledged_is_one_ranking_to_choose_from() {
    let low = lower(&base(), 0.1);
    let mut history = history(&[base(), low.clone(), lower(&low, 0.1)]);
    let id = tell(&history).alarms[0].id.clone();
    history.acknowledged.insert(id);
    let told = tell(&history);
    let all = [ReferenceKind::Golden, ReferenceKind::First, ReferenceKind::Best, ReferenceKind::Before];
    assert_eq!(kinds(&told.alarms[1]), all);
    assert!(told.alarms[1].against.iter().all(|held| held.p == 0.5f64.powi(60)), "{:?}", told.alarms[1]);
}

#[test]
fn a_missing_base_is_an_error_not_another_commit() {
    let mut history = history(&[base(), moved(&base(), 1), lower(&base(), 0.1)]);
    let said = |history: &History| history.tell(&Rules::default()).unwrap_err().to_string();
    history.base = Some("c7".into());
    assert_eq!(said(&history), "the base c7 is not on the line of commits: no other is taken for it");
    history.measurements.remove(1);
    history.base = Some("c1".into());
    assert_eq!(said(&history), "the base c1 was not measured: no other commit is taken for it");
    history.base = Some("c2".into());
    let told = tell(&history);
    assert_eq!((told.commits.len(), told.commits[0].moved), (1, Move::First));
    history.line.remove(2);
    history.base = None;
    assert_eq!(said(&history), "commit c2 was measured and is not on the line of commits");
    history.measurements.clear();
    assert_eq!(said(&history), "nothing was measured at any commit");
}

#[test]
fn a_gate_removed_from_the_spec_stops_alarming() {
    let mut history = history(&[base(), lower(&base(), 0.1), lower(&base(), 0.1), lower(&base(), 0.1)]);
    assert!(tell(&history).alarms[0].open);
    // The last commit's spec has no gate on it any more.
    history.measurements[3].gated.clear();
    let told = tell(&history);
    assert_eq!((told.alarms.len(), told.notices.len(), told.tests), (0, 0, 0));
    assert!((told.commits[1].differences[0].1 + 0.1).abs() < 0.01, "what happened is told all the same");
}

#[test]
fn changed_judgments_open_an_epoch_not_an_alarm() {
    let judgments = |name: &str| Inputs { judgments: name.into(), ..Inputs::default() };
    let low = lower(&base(), 0.2);
    let mut history = history(&[base(), moved(&base(), 1), low.clone(), lower(&base(), 0.26)]);
    // The second ranking once more, which scores less under the new judgments, and no golden run.
    history.measurements[2].ranking = history.measurements[1].ranking.clone();
    for one in &mut history.measurements {
        one.golden = None;
    }
    for one in &mut history.measurements[2..] {
        (one.inputs, one.judged) = (judgments("new"), "new".into());
    }
    let told = tell(&history);
    let epochs: Vec<(&str, &[Changed], bool, bool)> = told
        .epochs
        .iter()
        .map(|one| (one.from.as_str(), one.changed.as_slice(), one.anew, one.untold))
        .collect();
    // The ranking is the same, so that nothing is lost there that could not be told.
    assert_eq!(epochs, [("c0", &[][..], false, false), ("c2", &[Changed::Judgments][..], true, false)]);
    // Nothing of before is a reference; within the epoch a drop alarms.
    assert_eq!((told.alarms.len(), told.alarms[0].opened.commit.as_str()), (1, "c3"));
    let all = [ReferenceKind::First, ReferenceKind::Best, ReferenceKind::Before];
    assert_eq!(kinds(&told.alarms[0]), all);
    // Where old rankings are scored anew under today's judgments, both sides can be compared.
    for one in &mut history.measurements {
        one.judged = "new".into();
    }
    let told = tell(&history);
    assert_eq!((told.epochs.len(), told.epochs[1].anew), (2, false));
}

#[test]
fn a_loss_in_the_commit_that_changes_judgments_is_seen_against_the_golden_run() {
    // Under the new judgments all scores are lower by .1. The golden run has them beside the ranking that loses .1 more.
    let with = |changed: fn(&mut Inputs)| {
        let (now, golden) = (lower(&base(), 0.2), lower(&base(), 0.1));
        let mut history = history(&[base(), base(), now]);
        let last = &mut history.measurements[2];
        changed(&mut last.inputs);
        last.judged = "new".into();
        last.golden.as_mut().unwrap().scores = scores(&golden);
        history
    };
    let told = tell(&with(|inputs| inputs.judgments = "new".into()));
    let [alarm] = told.alarms.as_slice() else { panic!("{:?}", told.alarms) };
    assert_eq!((alarm.opened.commit.as_str(), alarm.open), ("c2", true));
    let golden = &alarm.against[0];
    assert_eq!((golden.reference, golden.p), (ReferenceKind::Golden, 0.5f64.powi(60)));
    // The second golden reference of the line, and the first ranking against it.
    assert_eq!(golden.threshold, Rules::default().threshold(2, 1));
    assert!((golden.before - golden.now - 0.1).abs() < 0.01, "{golden:?}");
    assert!((told.commits[2].differences[0].1 + 0.1).abs() < 0.01, "{:?}", told.commits[2]);
    assert_eq!((told.untold(), told.blessings), (None, 0));
    // Over other documents rankings are not held against each other, and the loss cannot be told.
    let told = tell(&with(|inputs| inputs.corpus = "new".into()));
    assert!(told.alarms.is_empty() && told.commits[2].differences.is_empty());
    assert_eq!(told.untold().unwrap().from, "c2");
}

#[test]
fn where_no_side_is_scored_again_it_is_said_that_a_loss_cannot_be_told() {
    let mut history = history(&[base(), base(), lower(&base(), 0.2)]);
    for one in &mut history.measurements {
        one.golden = None;
    }
    let last = &mut history.measurements[2];
    (last.inputs.judgments, last.judged) = ("new".into(), "new".into());
    let timeline = tell(&history);
    assert!(timeline.alarms.is_empty());
    let told = ConfigurationTimeline {
        benchmark: "b".into(),
        configuration: "c".into(),
        source: SourceKind::Reports,
        head: None,
        timeline,
        refused: vec![],
    };
    let text = report::text(&Histories::new(vec![told], vec![]), rankgate_report::report::Style::Plain, 200);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in [
        "No alarm stands at c2, the last commit measured, but not every loss can be detected.",
        "At c2 the ranking changed together with judgments: whether that lost quality is unknown. To tell, score both",
        "from c2 on other judgments: the ranking changed as well, and whether that lost quality is unknown",
    ] {
        assert!(text.contains(said), "{text}");
    }
    assert!(!text.contains("+0.0000"), "{text}");
}

#[test]
fn the_likelier_cause_of_a_loss_among_noise_is_its_largest_step() {
    // At c2 40 of 60 queries lose what the others gain, .05 on average: p = .0067 by the binomial distribution, which is
    // above .0016. A smaller loss at c4, of every query, crosses the limit.
    let gain = |at: usize| if at.is_multiple_of(3) { 0.15 } else { -0.15 };
    let noisy: Vec<f64> = base().iter().enumerate().map(|(at, value)| value + gain(at)).collect();
    let low = lower(&noisy, 0.03);
    let history = history(&[base(), base(), noisy.clone(), noisy, low]);
    let told = tell(&history);
    let [alarm] = told.alarms.as_slice() else { panic!("{:?}", told.alarms) };
    assert_eq!((alarm.opened.commit.as_str(), alarm.suspects[0].commit.as_str()), ("c4", "c4"));
    let step = alarm.earlier_step().unwrap();
    assert_eq!((step.commit.commit.as_str(), step.suspects.len()), ("c2", 1));
    assert!(step.difference < alarm.steps[1].difference);
}

#[test]
fn a_release_that_was_not_measured_is_no_reference() {
    let mut history = history(&[base(), moved(&base(), 1), lower(&base(), 0.1)]);
    history.line[1].releases = vec!["v1".into()];
    history.measurements.remove(1);
    let told = tell(&history);
    assert_eq!(told.unmeasured_releases, ["v1"]);
    assert!(told.references.iter().all(|one| one.kind != ReferenceKind::Release));
}

#[test]
fn the_best_of_many_pays_for_having_been_chosen() {
    // The best of 40 rankings as good as each other is better than the next one by chance.
    let states: Vec<Vec<f64>> = (0..41).map(|number| moved(&base(), 100 + number)).collect();
    let told = tell(&history(&states));
    assert!(told.alarms.is_empty());
    let best: Vec<f64> =
        told.notices.iter().filter(|one| one.reference == ReferenceKind::Best).map(|one| one.p).collect();
    assert!(best.len() <= 3, "{best:?}");
}

#[test]
fn rankings_that_vary_are_told_by_their_means() {
    let noisy = |number: u64, loss: f64| {
        let mut random = Stream::new(21).rng(number);
        let shift = random.random_range(-0.01..0.01) - loss;
        base().iter().map(|value| value + shift).collect::<Vec<f64>>()
    };
    let states: Vec<Vec<f64>> =
        (0..30).map(|number| noisy(number, if number < 18 { 0.0 } else { 0.05 })).collect();
    let mut history = history(&states);
    for one in &mut history.measurements {
        one.varies = true;
    }
    let told = tell(&history);
    assert!(told.alarms.is_empty() && told.tests == 0);
    let varying = told.varying.unwrap();
    assert_eq!(
        (varying.commits, varying.splits[0].from.commit.as_str(), varying.splits[0].shown),
        (30, "c18", true)
    );
    // In an epoch before it says nothing of this one, and nothing is tested there.
    let mut states: Vec<Vec<f64>> = (0..10).map(|number| noisy(number, 0.0)).collect();
    states.extend([base(), base(), lower(&base(), 0.2)]);
    let mut later = self::history(&states);
    for (number, one) in later.measurements.iter_mut().enumerate() {
        one.varies = number < 10;
        one.inputs.depth = if number < 10 { 10 } else { 20 };
        one.golden = None;
    }
    let told = tell(&later);
    assert!(told.varying.is_none());
    assert_eq!((told.alarms.len(), told.alarms[0].opened.commit.as_str(), told.tests), (1, "c12", 2));
    // Two rankings of one commit say the same of it.
    let mut twice = self::history(&states[..3]);
    twice.measurements.push(measured(1, &states[5]));
    assert!(tell(&twice).varying.is_some());
}

#[test]
fn what_watching_found_stands_until_it_is_acknowledged() {
    let mut history = history(
        &(0..40).map(|number| lower(&base(), if number < 5 { 0.0 } else { 0.4 })).collect::<Vec<_>>(),
    );
    for one in &mut history.measurements {
        one.varies = true;
    }
    let told = tell(&history);
    let [found] = told.varying.as_ref().unwrap().detected.as_slice() else { panic!() };
    assert_eq!((told.alarms.len(), told.standing(), found.stands()), (0, 1, true));
    let id = found.id.clone().unwrap();
    assert_eq!(id, format!("{}.nDCG@10", found.alarm.as_ref().unwrap().commit));
    history.acknowledged.insert(id);
    let told = tell(&history);
    let [found, since] = told.varying.as_ref().unwrap().detected.as_slice() else { panic!() };
    assert_eq!((told.standing(), found.acknowledged, since.alarm.as_ref()), (0, true, None));
    assert!((found.expected - since.expected - 0.4).abs() < 0.01);
    let told = ConfigurationTimeline {
        benchmark: String::new(),
        configuration: String::new(),
        source: SourceKind::Reports,
        head: None,
        timeline: told,
        refused: vec![],
    };
    assert!(!Histories::new(vec![told], vec![]).alarmed());
}

#[test]
fn scores_that_could_not_be_tested_are_refused() {
    let mut history = history(&[base()]);
    history.measurements[0].scores = scores(&[0.5, f64::NAN]);
    let said = history.tell(&Rules::default()).unwrap_err().to_string();
    assert_eq!(said, "commit c0: nDCG@10 has a score that is no number");
    let short = Scores { queries: vec!["q1".into(), "q2".into()], ..(*scores(&[0.5])).clone() };
    history.measurements[0].scores = Arc::new(short);
    let said = history.tell(&Rules::default()).unwrap_err().to_string();
    assert_eq!(said, "commit c0: nDCG@10 has not one score for each query");
}

#[test]
fn histories_are_read_back_as_they_were_written() {
    let worse: Vec<f64> =
        base().iter().enumerate().map(|(at, value)| value - 0.2 - at as f64 / 1e4).collect();
    let told = tell(&history(&[base(), worse.clone(), worse]));
    assert_eq!((told.alarms.len(), told.commits.len()), (1, 3));
    let timeline = ConfigurationTimeline {
        benchmark: "b".to_owned(),
        configuration: "c".to_owned(),
        source: SourceKind::Golden,
        head: Head::new("HEAD", &[commit(3)], |_| false, None),
        timeline: told,
        refused: vec![],
    };
    let written = Histories::new(
        vec![timeline],
        vec![Refused { what: "a.json".to_owned(), why: "no report".to_owned() }],
    );
    let text = serde_json::to_string(&written).unwrap();
    assert_eq!(serde_json::from_str::<Histories>(&text).unwrap(), written);
}
