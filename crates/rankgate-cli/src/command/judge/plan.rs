//! The questions of a judge and their cost, in numbers.

use rankgate::benchmark::Benchmark;
use rankgate::judge::Task;
use rankgate_judge::{Assessment, Questions, expected_tokens};

use super::tally::states;

pub(super) fn judgments(number: usize) -> String {
    counted(number, "judgment", "judgments")
}

pub(in crate::command) fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number as u64), if number == 1 { one } else { many })
}

/// `23,000`
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The questions and their cost.
pub(in crate::command) fn planned(benchmark: &Benchmark, questions: &Questions) -> String {
    let Questions { judge, pairs, probes, missing, by_others, .. } = questions;
    let mut text = format!("{}: judge {} ({})\n", benchmark.name(), judge.id(), judge.model);
    let asked = pairs.len() - probes;
    let what = match questions.task {
        None => counted(asked, "document", "documents"),
        Some(Task::NuggetCreation) => counted(asked, "query", "queries") + " with relevant documents",
        Some(_) => counted(asked, "question", "questions") + " about answers",
    };
    let what = match probes {
        0 => what,
        probes => format!("{what} and {}", counted(*probes, "probe", "probes")),
    };
    text += &match missing.len() {
        0 => format!("{what}, all of them on file{}: nothing is asked\n", on_file_without_grade(questions)),
        some => format!("{what}, {} of them not on file\n", grouped(some as u64)),
    };
    for (other, number) in by_others {
        let have = if *number == 1 { "has a judgment" } else { "have a judgment" };
        text += &format!(
            "  {} of these {have} by {other}: prompt, model or a parameter is another now\n",
            grouped(*number as u64)
        );
    }
    if missing.is_empty() {
        return text;
    }
    // Each member of a jury is asked.
    let samples = u64::from(judge.samples.max(1)) * judge.judges_to_ask().len() as u64;
    let requests = missing.len() as u64 * samples;
    let bytes: u64 = missing.iter().map(|pair| questions.prompt_bytes(pair)).sum();
    let read = expected_tokens(bytes) * samples;
    let longest = judge.parameters.get("max-tokens").and_then(serde_json::Value::as_u64);
    let written = longest.map(|longest| longest * requests);
    text += &format!("{} requests, about {} tokens read", grouped(requests), grouped(read));
    text += &written.map_or_else(String::new, |written| format!(", at most {} written", grouped(written)));
    if let (Some(prices), Some(written)) =
        (Assessment::new(benchmark).judge_budget().and_then(|budget| budget.prices), written)
    {
        text += &format!("; at most {:.2}", prices.cost([read, written]));
    }
    text + "\n"
}

/// `, 3 of them without a grade (2 refused, 1 empty)`
pub(super) fn on_file_without_grade(questions: &Questions) -> String {
    let without: usize = questions.without_grade.values().sum();
    if without == 0 {
        return String::new();
    }
    let states = states(&questions.without_grade);
    format!(", {} of them without a grade ({})", grouped(without as u64), states.trim_start_matches(": "))
}
