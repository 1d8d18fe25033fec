//! Histories that were made, told.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails")]

use std::collections::BTreeMap;
use std::sync::Arc;

use rankgate_core::stats::Stream;
use rankgate_history::{
    Commit, Histories, History, Inputs, Measurement, ReferenceKind, Rules, Scores, Standing, Timeline, page,
    read_report, tell, text,
};

const QUERIES: usize = 100;
const METRIC: &str = "nDCG@10";

fn standing(values: &[f64]) -> Standing {
    let ids = (0..values.len()).map(|query| format!("q{query:03}")).collect();
    let by_metric = vec![(METRIC.to_owned(), values.to_vec())];
    Standing {
        ranking: values.iter().map(|value| format!("{:x}", value.to_bits())).collect(),
        scores: Arc::new(Scores { queries: ids, groups: None, by_metric }),
    }
}

/// A commit for each list of scores, whose ranking is golden from then on.
struct Made {
    line: Vec<Commit>,
    measurements: Vec<Measurement>,
    acknowledged: BTreeMap<String, String>,
}

impl Made {
    fn new(states: &[Vec<f64>]) -> Self {
        let commit = |number: usize| Commit {
            id: format!("{number:08}ffff"),
            time: 86_400 * number as i64,
            subject: format!("Change <{number}>"),
            author: "Ada".into(),
            releases: Vec::new(),
        };
        let measurement = |(number, values): (usize, &Vec<f64>)| Measurement {
            commit: commit(number).id,
            now: standing(values),
            golden: Some(standing(values)),
            accepted: false,
            inputs: Inputs::default(),
            gated: vec![METRIC.to_owned()],
        };
        Self {
            line: (0..states.len()).map(commit).collect(),
            measurements: states.iter().enumerate().map(measurement).collect(),
            acknowledged: BTreeMap::new(),
        }
    }

    fn tell(&self) -> Timeline {
        let history = History {
            benchmark: "shop",
            configuration: "words",
            line: &self.line,
            measurements: &self.measurements,
            acknowledged: self.acknowledged.clone(),
        };
        tell(&history, &Rules::default()).unwrap()
    }
}

fn base() -> Vec<f64> {
    (0..QUERIES).map(|query| 0.4 + (query * 37 % 41) as f64 / 100.0).collect()
}

/// The same with every query lower by about `loss`.
fn lower(values: &[f64], loss: f64) -> Vec<f64> {
    let share = |query: usize| 0.5 + (query * 17 % 11) as f64 / 10.0;
    values.iter().enumerate().map(|(query, value)| value - loss * share(query)).collect()
}

/// The same with every third query moved by chance.
fn moved(values: &[f64], seed: u64) -> Vec<f64> {
    use rand_chacha::rand_core::Rng;
    let mut random = Stream::new(9).rng(seed);
    let mut unit = || f64::from(random.next_u32()) / f64::from(u32::MAX) - 0.5;
    let one = |(query, value): (usize, &f64)| if query % 3 == 0 { value + unit() / 5.0 } else { *value };
    values.iter().enumerate().map(one).collect()
}

#[test]
fn a_step_is_named_with_its_commit_and_ends_when_the_ranking_goes_back() {
    let mut states = vec![base(); 12];
    states.extend([lower(&base(), 0.04), lower(&base(), 0.04), base(), base()]);
    let made = Made::new(&states);
    let told = made.tell();
    let [alarm] = told.alarms.as_slice() else { panic!("{:?}", told.alarms) };
    assert_eq!(alarm.id, "00000012.words.nDCG@10");
    assert_eq!((alarm.cause().id.as_str(), alarm.suspects.len()), ("00000012ffff", 1));
    let ended = alarm.ended.as_ref().unwrap();
    assert_eq!((ended.commit.as_str(), ended.why), ("00000014ffff", "the ranking went back"));
    assert_eq!((told.rankings, told.open().count()), (2, 0));
    // The golden ranking, the previous and the first are one ranking, which is named once.
    let kinds: Vec<ReferenceKind> = alarm.against.iter().map(|held| held.reference).collect();
    assert_eq!(kinds, [ReferenceKind::Golden]);
    assert_eq!(alarm.against[0].level, 0.05);
    assert_eq!(alarm.queries.len(), 5);
}

#[test]
fn of_eight_harmless_histories_at_most_one_alarms() {
    let alarmed = |history: u64| {
        let mut states = vec![base()];
        for commit in 0..19 {
            states.push(moved(&states[commit as usize], 1_000 * history + commit));
        }
        usize::from(!Made::new(&states).tell().alarms.is_empty())
    };
    assert!((0..8).map(alarmed).sum::<usize>() <= 1);
}

#[test]
fn a_slow_loss_is_seen_against_the_first_ranking_and_the_release() {
    let mut states: Vec<Vec<f64>> = (0..9).map(|at| lower(&base(), 0.006 * f64::from(at))).collect();
    states[5] = lower(&states[4], 0.02);
    let mut made = Made::new(&states);
    made.line[1].releases = vec!["v1".into()];
    let told = made.tell();
    assert!(!told.alarms.is_empty());
    let all = told.alarms.iter().flat_map(|alarm| &alarm.against).map(|held| held.reference);
    assert!(all.collect::<Vec<_>>().contains(&ReferenceKind::First));
}

#[test]
fn an_acknowledged_alarm_is_not_open_and_its_ranking_is_the_next_reference() {
    let low = lower(&base(), 0.1);
    let mut made = Made::new(&[base(), low.clone(), low.clone()]);
    assert_eq!(made.tell().open().count(), 1);
    made.acknowledged.insert("00000001.words.nDCG@10".into(), "the price of freshness".into());
    let told = made.tell();
    assert_eq!((told.open().count(), told.alarms[0].note.as_deref()), (0, Some("the price of freshness")));
    // A further loss is another alarm.
    let mut further = Made::new(&[base(), low.clone(), lower(&low, 0.1)]);
    further.acknowledged = made.acknowledged.clone();
    let open: Vec<String> = further.tell().open().map(|alarm| alarm.id.clone()).collect();
    assert_eq!(open, ["00000002.words.nDCG@10"]);
    // A bless that accepts the loss does the same.
    made.acknowledged.clear();
    made.measurements[1].accepted = true;
    assert_eq!(made.tell().open().count(), 0);
}

#[test]
fn a_small_loss_or_one_of_other_inputs_raises_no_alarm() {
    let tiny: Vec<f64> = base().iter().map(|value| value - 0.001).collect();
    assert!(Made::new(&[base(), tiny]).tell().alarms.is_empty());
    let mut made = Made::new(&[base(), lower(&base(), 0.1), lower(&base(), 0.2)]);
    made.measurements[2].inputs.judgments = "more".into();
    let told = made.tell();
    assert_eq!(told.commits[2].changed, ["judgments"]);
    assert_eq!(told.alarms[0].ended.as_ref().unwrap().why, "the inputs changed");
    assert_eq!(told.alarms.len(), 1);
}

#[test]
fn text_and_page_print_what_happened_without_markup_of_commits() {
    let mut made = Made::new(&[base(), lower(&base(), 0.1)]);
    made.line[1].subject = "Drop <b>the</b> stemmer\u{1b}[31m".into();
    let all = Histories { histories: vec![made.tell()], unplaced: Vec::new() };
    let text = text(&all);
    assert!(text.starts_with("shop · words: 2 measured commits, 2 rankings, 1 open alarm\n"), "{text}");
    assert!(text.contains("ALARM: nDCG@10 fell by 0.0"), "{text}");
    assert!(text.contains("in 00000001 \"Drop <b>the</b> stemmer\u{fffd}[31m\" (1970-01-02, Ada)"), "{text}");
    let page = page(&all);
    assert!(page.contains("Drop &lt;b&gt;the&lt;/b&gt; stemmer") && !page.contains("<script"), "{page}");
}

#[test]
fn scores_that_are_no_numbers_are_refused_with_the_query() {
    let mut made = Made::new(&[base()]);
    let mut values = base();
    values[7] = f64::NAN;
    made.measurements[0].now = standing(&values);
    let history = History { line: &made.line, measurements: &made.measurements, ..History::default() };
    let error = tell(&history, &Rules::default()).unwrap_err().to_string();
    assert_eq!(error, "commit 00000000ffff: nDCG@10 of query q007 is not a finite number");
}

#[test]
fn a_report_without_a_commit_or_scores_is_refused_with_the_reason() {
    let schema = rankgate_report::benchmark::model::SCHEMA;
    let unmeasured = format!("{{\"schema\": {schema}, \"benchmark\": \"x\"}}");
    for (report, expected) in [
        ("{", "this is not a report of rankgate: "),
        (r#"{"schema": 99, "benchmark": "x"}"#, "`schema` is 99; this version of rankgate reads "),
        (&unmeasured, "it has no `history`, because nothing was measured"),
    ] {
        let error = read_report(report.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}
