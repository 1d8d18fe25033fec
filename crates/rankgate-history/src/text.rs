//! A timeline as text.

use std::fmt::Write;
use std::time::{Duration, UNIX_EPOCH};

use rankgate_core::internal::utc;

use crate::measured::Commit;
use crate::timeline::{Alarm, Entry, Histories, Timeline};

/// Characters of the first line of a commit's message.
const SUBJECT: usize = 60;
/// Commits that are listed, the newest.
const COMMITS: usize = 40;

/// Histories as text, for a terminal.
pub fn text(all: &Histories) -> String {
    let mut text = String::new();
    for one in &all.histories {
        if !text.is_empty() {
            text.push('\n');
        }
        timeline(one, &mut text);
    }
    for one in &all.unplaced {
        push(&mut text, format_args!("not placed: {}: {}", printable(&one.what), printable(&one.why)));
    }
    text
}

fn timeline(told: &Timeline, text: &mut String) {
    push(text, format_args!("{}", headline(told)));
    for alarm in &told.alarms {
        text.push('\n');
        alarm_text(alarm, text);
    }
    text.push('\n');
    let titles: String = told.metrics.iter().map(|metric| format!("  {metric:>10}")).collect();
    push(text, format_args!("{:8}  {:10}  {:>7}{titles}", "commit", "date", "ranking"));
    let skipped = told.commits.len().saturating_sub(COMMITS);
    for entry in &told.commits[skipped..] {
        let means: String = told.metrics.iter().map(|metric| mean(entry, metric)).collect();
        let marks = marks(told, entry);
        let marks = if marks.is_empty() { marks } else { format!("  [{marks}]") };
        let (day, subject) = (day(entry.commit.time), subject(&entry.commit));
        let (id, ranking) = (entry.commit.short(), entry.ranking);
        push(text, format_args!("{id:8}  {day:10}  {ranking:>7}{means}  {subject}{marks}"));
    }
    if skipped > 0 {
        push(text, format_args!("({skipped} older commits: --format json or --page)"));
    }
}

fn push(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = text.write_fmt(line);
    text.push('\n');
}

pub(crate) fn headline(told: &Timeline) -> String {
    let open = told.open().count();
    let alarms = match (open, told.alarms.len()) {
        (0, 0) => "no alarm".to_owned(),
        (0, all) => format!("no open alarm ({all} ended or acknowledged)"),
        (open, _) => counted(open, "open alarm"),
    };
    format!(
        "{} · {}: {}, {}, {alarms}",
        printable(&told.benchmark),
        printable(&told.configuration),
        counted(told.commits.len(), "measured commit"),
        counted(told.rankings, "ranking"),
    )
}

pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn alarm_text(alarm: &Alarm, text: &mut String) {
    let state = if alarm.is_open() { "ALARM" } else { "ended" };
    let state = if alarm.acknowledged { "acknowledged" } else { state };
    push(text, format_args!("{state}: {}", sentence(alarm)));
    for held in &alarm.against {
        let p = format_p(held.p);
        let (reference, before, now, level) = (held.reference, held.before, held.now, held.level);
        push(text, format_args!("  against {reference}: {before:.4} -> {now:.4}, p {p} (level {level:.2e})"));
    }
    let suspects: Vec<String> =
        alarm.suspects.iter().rev().take(5).map(|one| format!("{} {}", one.short(), subject(one))).collect();
    if alarm.suspects.len() > 1 {
        push(text, format_args!("  suspects: {}", suspects.join("; ")));
    }
    let queries: Vec<String> = alarm
        .queries
        .iter()
        .map(|one| format!("{} {:.4} -> {:.4}", printable(&one.query), one.before, one.now))
        .collect();
    if !queries.is_empty() {
        push(text, format_args!("  queries: {}", queries.join(", ")));
    }
    match &alarm.note {
        Some(note) => push(text, format_args!("  note: {}", printable(note))),
        None if alarm.is_open() => push(text, format_args!("  id: {}", alarm.id)),
        None => {}
    }
}

/// What happened, in one sentence.
pub(crate) fn sentence(alarm: &Alarm) -> String {
    let fell = alarm.against.first().map_or(0.0, |held| held.before - held.now);
    let cause = alarm.cause();
    let mut said = format!(
        "{} fell by {fell:.4} in {} \"{}\" ({}{})",
        alarm.metric,
        cause.short(),
        subject(cause),
        day(cause.time),
        if cause.author.is_empty() { String::new() } else { format!(", {}", printable(&cause.author)) },
    );
    if alarm.largest_step.is_some() {
        said += &format!(", the largest of several steps; significant since {}", alarm.commit.short());
    }
    if let Some(ended) = &alarm.ended {
        said +=
            &format!("; ended in {} because {}", ended.commit.get(..8).unwrap_or(&ended.commit), ended.why);
    }
    said
}

/// A p-value: `0.0012`, or `< 1e-5`.
pub(crate) fn format_p(p: f64) -> String {
    match p {
        p if p < 1e-5 => "< 1e-5".to_owned(),
        p if p < 1e-3 => format!("= {p:.1e}"),
        p => format!("= {p:.4}"),
    }
}

fn mean(entry: &Entry, metric: &str) -> String {
    entry.means.get(metric).map_or(format!("  {:>10}", "-"), |mean| format!("  {mean:>10.4}"))
}

/// What is special about a commit: an alarm, a release, changed inputs.
pub(crate) fn marks(told: &Timeline, entry: &Entry) -> String {
    let id = &entry.commit.id;
    let mut marks: Vec<String> = Vec::new();
    let alarms = told.alarms.iter().filter(|alarm| alarm.commit.id == *id);
    marks.extend(alarms.map(|alarm| format!("alarm: {}", alarm.metric)));
    let ended = told.alarms.iter().filter(|alarm| alarm.ended.as_ref().is_some_and(|end| end.commit == *id));
    marks.extend(ended.map(|alarm| format!("alarm ended: {}", alarm.metric)));
    marks.extend(entry.commit.releases.iter().map(|release| format!("release {}", printable(release))));
    if !entry.changed.is_empty() {
        marks.push(format!("changed: {}", entry.changed.join(", ")));
    }
    marks.join(", ")
}

pub(crate) fn subject(commit: &Commit) -> String {
    let whole = printable(&commit.subject);
    match whole.char_indices().nth(SUBJECT) {
        Some((end, _)) => format!("{}...", &whole[..end]),
        None => whole,
    }
}

/// The text without characters that a terminal obeys.
pub(crate) fn printable(text: &str) -> String {
    let is_odd =
        |one: char| one.is_control() || matches!(one, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|one| if is_odd(one) { '\u{fffd}' } else { one }).collect()
}

/// The day of seconds since 1970: `2026-11-22`.
pub fn day(seconds: i64) -> String {
    // No commit of a retriever is older than 1970, nor younger than the year 9999.
    let seconds = u64::try_from(seconds).unwrap_or(0).min(253_402_300_799);
    utc::utc(UNIX_EPOCH + Duration::from_secs(seconds)).chars().take(10).collect()
}
