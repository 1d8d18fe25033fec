//! Any text is a metric or an error; a metric's name reads back, and its value of any ranking is a number.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rankgate::metric::{JudgedRanking, Metric};
use rankgate_fuzz::is_message;

fuzz_target!(|input: (&str, Vec<Option<i32>>, Vec<i32>, i32)| {
    let (name, ranked, judged, relevant_from) = input;
    let metric = match name.parse::<Metric>() {
        Ok(metric) => metric,
        Err(error) => return is_message(&error.to_string()),
    };
    let canonical = metric.to_string();
    let again = canonical.parse::<Metric>().unwrap_or_else(|error| panic!("{canonical} of {name}: {error}"));
    assert_eq!(again, metric);
    assert_eq!(again.to_string(), canonical);
    let judged = ranked.iter().flatten().copied().chain(judged).collect();
    let ranking = JudgedRanking::new(ranked, judged).with_relevant_from(relevant_from);
    let value = metric.try_compute(&ranking).unwrap_or_else(|error| panic!("{metric}: {error}"));
    assert!(metric.range().contains(&value), "{metric}: {value}");
    assert!(metric.compute(&ranking.without_unjudged()).is_finite());
});
