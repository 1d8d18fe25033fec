//! A history, as a tree.

use std::time::{Duration, UNIX_EPOCH};

use crate::metric::Polarity;
use crate::model::Verdict;
use crate::report::alarm_state::AlarmState;
use crate::report::clean::{shorten, shorten_name};
use crate::report::message::moved_queries;
use crate::report::number::{DECIMALS, change, count, counted, fixed, p_number, percent, score};
use crate::report::phrases::counts;
use crate::report::tree::{Block, Kind, Part, Role, Section, Table, Text};
use crate::utc::utc;
use crate::{
    Alarm, CommitName, ConfigurationTimeline, Entry, Epoch, Head, Move, ReferenceComparison, ReferenceKind,
    ReferenceReport, Refused, SourceKind, State, Timeline, Varying,
};

/// Characters of a commit's id, of its subject and of names.
const ID: usize = 8;
const SUBJECT: usize = 40;
const NAME: usize = 40;
/// Suspects, commits and notices that are listed; JSON has all.
const SUSPECTS: usize = 10;
const COMMITS: usize = 40;
const NOTICES: usize = 10;
const REFUSED: usize = 20;
/// Seconds of a week, and metrics that are shown beside it or named in a badge.
const WEEK: i64 = 7 * 24 * 60 * 60;
const LATELY: usize = 4;

/// All of it, for the terminal.
pub(super) fn sections(told: &ConfigurationTimeline) -> Vec<Section> {
    let timeline = &told.timeline;
    let mut sections = Vec::from([head(told)]);
    for AlarmView { heading, against, mut behind, .. } in alarms(timeline) {
        behind.parts.insert(0, Part::from([Block::Table(against)]));
        sections.push(Section { heading, ..behind });
    }
    sections.extend(timeline.varying.as_ref().map(varying));
    let titled = [
        ("notices", notices(timeline), noticed(timeline)),
        ("references and what they have spent", references(timeline), spending(timeline)),
        ("commits", commits(timeline), listed(timeline)),
    ];
    for (title, table, note) in titled {
        if !table.is_empty() {
            let note = Some(note).filter(|note| !note.is_empty()).map(Block::paragraph);
            sections.push(Section::headed(title).part([Block::Table(table)]).part(note));
        }
    }
    sections.extend(refused(&told.refused, "what could not be read"));
    sections
}

pub(super) fn refused(refused: &[Refused], title: &str) -> Option<Section> {
    if refused.is_empty() {
        return None;
    }
    let line = |one: &Refused| Text::from(format!("{}: {}", shorten_name(&one.what, 60), one.why));
    let mut lines: Vec<Text> = refused.iter().take(REFUSED).map(line).collect();
    if let more @ 1.. = refused.len().saturating_sub(REFUSED) {
        lines.push(format!("and {} more", count(more)).into());
    }
    Some(Section::headed(format!("{title} ({})", count(refused.len()))).part([Block::List(lines)]))
}

/// The source, its extent, and the alarms that stand at the last commit.
fn head(told: &ConfigurationTimeline) -> Section {
    let title =
        format!("{}, {}", shorten_name(&told.benchmark, NAME), shorten_name(&told.configuration, NAME));
    let section = Section::headed(title).kind(Kind::Title).part([Block::paragraph(summary(told))]);
    let epochs: Vec<Text> = told.timeline.epochs.iter().filter_map(epoch).collect();
    let section = section.part([Block::Table(values(&told.timeline))]);
    let lately = lately(&told.timeline);
    let section = if lately.is_empty() { section } else { section.part([Block::Table(lately)]) };
    if epochs.is_empty() { section } else { section.part([Block::List(epochs)]) }
}

/// In sentences.
pub(super) fn summary(told: &ConfigurationTimeline) -> Text {
    let timeline = &told.timeline;
    let standing = timeline.standing();
    let mut text = looked_at(told);
    if timeline.varying.is_some() {
        text = text.and(
            "Asking again gives other rankings, so that commits are held against each other by their means. ",
        );
    }
    if !timeline.is_watched() {
        let none = match timeline.unwatched.is_empty() {
            true => "No gate stands on any metric at the last commit, so that nothing can alarm.",
            false => {
                "No gate stands on a metric that alarms watch at the last commit, so that nothing can alarm."
            }
        };
        return text
            .and(none)
            .and(unwatched(timeline))
            .and(told.head.as_ref().map_or(Text::default(), |head| of_head(head, told.source)));
    }
    // What is known of is told of: the line may have gone on since.
    let last = timeline.commits.last().map_or(String::new(), |entry| short(&entry.commit.commit));
    let at = match told.source {
        SourceKind::Golden => format!("on the golden run of {last}"),
        SourceKind::Reports | SourceKind::Runs => format!("at {last}, the last commit measured"),
    };
    text = match standing {
        0 if timeline.untold().is_some() => text.and(Text::with_role(
            Role::Verdict(Verdict::Inconclusive),
            format!("No alarm stands {at}, but not every loss can be detected."),
        )),
        0 => {
            let verdict = if timeline.unwatched.is_empty() { Verdict::Passed } else { Verdict::Reported };
            text.and(Text::with_role(Role::Verdict(verdict), format!("No alarm stands {at}.")))
        }
        _ => text.and(Text::with_role(
            Role::Verdict(Verdict::Failed),
            format!("{} {at}.", counted(standing, "alarm stands", "alarms stand")),
        )),
    };
    text = text.and(told.head.as_ref().map_or(Text::default(), |head| of_head(head, told.source)));
    let mut rest = unwatched(timeline);
    if timeline.blessings > 0 {
        rest += &format!(
            " {}, {} of them in the 90 days before the last commit looked at.",
            counted(
                timeline.blessings,
                "blessing replaced the golden run",
                "blessings replaced the golden run"
            ),
            count(timeline.blessings_lately)
        );
    }
    if let Some(epoch) = timeline.untold() {
        rest += &untold(epoch);
    }
    if !timeline.unmeasured_releases.is_empty() {
        rest += &format!(
            " Not measured, so that nothing is held against them: {}.",
            timeline.unmeasured_releases.join(", ")
        );
    }
    text.and(rest)
}

/// What gates stand on and alarms do not watch, and why.
fn unwatched(timeline: &Timeline) -> String {
    let mut why: Vec<(&str, Vec<String>)> = Vec::new();
    for metric in &timeline.unwatched {
        let reason = if !timeline.metrics.contains(metric) {
            "of which a report has no score for each query"
        } else if Polarity::of_name(metric) == Polarity::LessIsBetter {
            "of which less is better"
        } else {
            "of which nothing says whether more is better"
        };
        let name = shorten_name(metric, NAME);
        match why.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(name),
            None => why.push((reason, vec![name])),
        }
    }
    if why.is_empty() {
        return String::new();
    }
    let why: Vec<String> =
        why.iter().map(|(reason, names)| format!("{} ({reason})", names.join(", "))).collect();
    format!(" Not watched by alarms: {}. Only the gates of a report limit them.", why.join("; "))
}

/// The history's source.
fn looked_at(told: &ConfigurationTimeline) -> Text {
    let (what, how) = match told.source {
        SourceKind::Golden => ("golden runs", "scored under today's judgments"),
        SourceKind::Reports => ("reports", "with the scores of their day"),
        SourceKind::Runs => ("runs beside reports", "scored under today's judgments"),
    };
    let timeline = &told.timeline;
    Text::from(format!(
        "Looked at: {what} of {}, {how}; {}. ",
        counted(timeline.commits.len(), "commit", "commits"),
        counted(timeline.states.len(), "distinct ranking", "distinct rankings")
    ))
}

/// What the newest commit of the line is, and what its own gates say.
fn of_head(head: &Head, source: SourceKind) -> Text {
    let mut text =
        Text::from(format!(" {} is {}", shorten_name(&head.name, NAME), short(&head.commit.commit)));
    if head.measured {
        text = text.and(".");
    } else {
        let (none, unknown) = match source {
            SourceKind::Golden => ("changes no golden run", "was not looked at"),
            SourceKind::Reports | SourceKind::Runs => ("was not measured", "is not known"),
        };
        let later = counted(head.behind, "commit later, and", "commits later, and");
        text = text.and(format!(", {later} ")).and(Text::with_role(
            Role::Verdict(Verdict::Inconclusive),
            format!("{none}: what it ranks {unknown}"),
        ));
        text = text.and(".");
    }
    match head.gates.map(|gates| counts(&gates)).filter(|counts| !counts.is_empty()) {
        Some(counts) => text.and(" The gates of its report: ").and(counts).and("."),
        None if head.gates.is_some() => text.and(" Its report decides no gate."),
        None if head.measured => text,
        None => text.and(" No report of it was found."),
    }
}

/// The state of the newest commit in few words, where it is not as good as no alarm: for a badge.
pub(super) fn head_state(told: &ConfigurationTimeline) -> Option<(Verdict, String)> {
    let head = told.head.as_ref()?;
    let worst = head.gates.and_then(|gates| gates.worst()).filter(|worst| !worst.is_ok());
    let name = shorten_name(&head.name, NAME);
    let name = if name == "HEAD" { name } else { format!("newest commit of {name}") };
    match (worst, head.measured) {
        (Some(worst), _) => Some((worst, format!("{name}: {}", counts(&head.gates?)))),
        (None, false) => {
            let what = if told.source == SourceKind::Golden { "not looked at" } else { "not measured" };
            Some((Verdict::Inconclusive, format!("{name} {what}")))
        }
        (None, true) => None,
    }
}

/// Each metric at the first commit that can be compared with the last, and at the last.
pub(super) fn values(timeline: &Timeline) -> Table {
    let mut table =
        Table::headed(["metric", "first", "highest", "now", "change", "gate"]).right([1, 2, 3, 4]);
    let since = timeline.commits.iter().rposition(|entry| entry.moved == Move::First).unwrap_or(0);
    let entries = &timeline.commits[since..];
    for metric in &timeline.metrics {
        let at = |entry: &Entry| mean(timeline, entry, metric);
        let (Some(first), Some(now)) = (entries.first().and_then(at), entries.last().and_then(at)) else {
            continue;
        };
        let highest = entries.iter().filter_map(at).fold(first, f64::max);
        let gate = if timeline.gated.contains(metric) { "yes" } else { "-" };
        // Of one commit there is no change.
        let changed = if entries.len() > 1 { change_of(metric, now - first) } else { Text::from("-") };
        let shown = |value| Text::from(score(metric, value));
        let name = Text::from(shorten_name(metric, NAME));
        table.row([name, shown(first), shown(highest), shown(now), changed, gate.into()]);
    }
    table
}

/// What happened since a week before the last commit, and since the last release before it: for who looks once a week.
pub(super) fn lately(timeline: &Timeline) -> Table {
    let Some((last, before)) = timeline.commits.split_last() else { return Table::default() };
    let begin = timeline.commits.iter().rposition(|entry| entry.moved == Move::First).unwrap_or(0);
    let comparable = begin.min(before.len())..before.len();
    let a_week_ago = last.commit.time.saturating_sub(WEEK);
    let week = before[comparable.clone()].iter().rposition(|entry| entry.commit.time <= a_week_ago);
    let release = before[comparable].iter().rposition(|entry| !entry.releases.is_empty());
    let gated = timeline.metrics.iter().filter(|metric| timeline.gated.contains(metric));
    let shown: Vec<&String> = gated.take(LATELY).collect();
    let header = ["since", "commits", "new rankings", "blessings", "alarms"].map(str::to_owned);
    let header = header.into_iter().chain(shown.iter().map(|metric| shorten_name(metric, NAME)));
    let mut table = Table::headed(header).right(1..5 + shown.len());
    let release_name = |at: usize| {
        let names: Vec<String> =
            timeline.commits[at].releases.iter().map(|one| shorten_name(one, NAME)).collect();
        format!("{}, the last release before", names.join(", "))
    };
    let rows = [
        week.filter(|at| Some(*at) != release).map(|at| (begin + at, "the week before".to_owned())),
        release.map(|at| (begin + at, release_name(begin + at))),
    ];
    for (at, name) in rows.into_iter().flatten() {
        let from = &timeline.commits[at];
        let later = &timeline.commits[at + 1..];
        let alarms =
            timeline.alarms.iter().filter(|alarm| later.iter().any(|one| one.commit == alarm.opened));
        let mut cells = Vec::from([
            Text::from(format!("{name}: {} of {}", short(&from.commit.commit), day(from.commit.time))),
            count(later.len()).into(),
            count(later.iter().filter(|one| one.moved == Move::New).count()).into(),
            count(later.iter().filter(|one| one.blessed).count()).into(),
            count(alarms.count()).into(),
        ]);
        cells.extend(shown.iter().map(|metric| {
            let both = mean(timeline, from, metric).zip(mean(timeline, last, metric));
            both.map_or(Text::default(), |(before, now)| change_of(metric, now - before))
        }));
        table.row(cells);
    }
    table
}

/// Whether alarms stand, whether that is known of each loss, and what gates stand on that alarms do not watch.
pub(super) fn standing(all: &[ConfigurationTimeline]) -> (Verdict, String) {
    let unknown = all.iter().filter(|one| one.timeline.untold().is_some()).count();
    let beside = not_watched(all);
    match all.iter().map(|one| one.timeline.standing()).sum() {
        0 if unknown > 0 => (
            Verdict::Inconclusive,
            format!("no alarm stands, but not every loss can be detected{}", beside.unwrap_or_default()),
        ),
        // What nobody watches is no better for it.
        0 => match beside {
            Some(beside) => (Verdict::Reported, format!("no alarm stands{beside}")),
            None => (Verdict::Passed, "no alarm stands".to_owned()),
        },
        some => (Verdict::Failed, counted(some, "alarm stands", "alarms stand")),
    }
}

/// The metrics that gates stand on and alarms do not watch, in few words; that nothing is watched, where that is so.
fn not_watched(all: &[ConfigurationTimeline]) -> Option<String> {
    let mut names: Vec<&String> = Vec::new();
    for metric in all.iter().flat_map(|one| &one.timeline.unwatched) {
        if !names.contains(&metric) {
            names.push(metric);
        }
    }
    if !all.is_empty() && !all.iter().any(|one| one.timeline.is_watched()) {
        return Some("; no gate is on what alarms watch".to_owned());
    }
    let shown: Vec<String> = names.iter().take(LATELY).map(|name| shorten_name(name, NAME)).collect();
    let more = match names.len().saturating_sub(LATELY) {
        0 => String::new(),
        more => format!(" and {} more", count(more)),
    };
    (!names.is_empty()).then(|| format!("; not watched: {}{more}", shown.join(", ")))
}

/// A change of a metric, which is a gain or a loss where anything says which way is better.
fn change_of(metric: &str, by: f64) -> Text {
    let text = change(by, DECIMALS);
    let role = match Polarity::of_name(metric) {
        Polarity::MoreIsBetter => return text,
        // A change the other way is what this one is worth.
        Polarity::LessIsBetter => change(-by, DECIMALS).spans().first().map_or(Role::Plain, |span| span.role),
        Polarity::Unknown => Role::Plain,
    };
    Text::with_role(role, text.to_string())
}

fn mean(timeline: &Timeline, entry: &Entry, metric: &str) -> Option<f64> {
    let state = timeline.states.get(entry.state.checked_sub(1)?)?;
    state.values.iter().find(|value| value.metric == metric).map(|value| value.mean)
}

/// That the ranking changed with the inputs, and what would tell whether it lost.
fn untold(epoch: &Epoch) -> String {
    let text = format!(
        " At {} the ranking changed together with {}: whether that lost quality is unknown.",
        short(&epoch.from),
        changed(epoch)
    );
    if !epoch.changed.iter().all(|changed| changed.is_of_scoring()) {
        return text;
    }
    text + " To tell, score both rankings the same way: name the spec beside the reports, or rescore on the server."
}

fn changed(epoch: &Epoch) -> String {
    let changed: Vec<String> = epoch.changed.iter().map(ToString::to_string).collect();
    changed.join(", ")
}

/// That inputs changed.
pub(super) fn epoch(epoch: &Epoch) -> Option<Text> {
    if epoch.changed.is_empty() {
        return None;
    }
    let how = match (epoch.anew, epoch.untold) {
        (false, _) => "both sides are scored under today's",
        (true, true) => "the ranking changed as well, and whether that lost quality is unknown",
        (true, false) => "of what was before, at most the golden run is held against what came after",
    };
    Some(format!("from {} on other {}: {how}", short(&epoch.from), changed(epoch)).into())
}

/// An alarm as it is shown: its subject, its size against each reference, and its details.
pub(super) struct AlarmView {
    pub(super) id: String,
    /// The first commit that has the ranking.
    pub(super) commit: String,
    pub(super) open: bool,
    pub(super) heading: Text,
    pub(super) against: Table,
    pub(super) behind: Section,
}

/// Those that stand first, each with its details.
pub(super) fn alarms(timeline: &Timeline) -> Vec<AlarmView> {
    let (open, over): (Vec<&Alarm>, Vec<&Alarm>) = timeline.alarms.iter().partition(|alarm| alarm.open);
    open.into_iter().rev().chain(over.into_iter().rev()).map(|one| alarm(one, timeline)).collect()
}

fn alarm(alarm: &Alarm, timeline: &Timeline) -> AlarmView {
    let largest = alarm.largest();
    let loss = largest.map_or(String::new(), |held| {
        let metric = shorten_name(&held.metric, NAME);
        format!("{metric} lost {} against {}", fixed(held.before - held.now, DECIMALS), held.reference)
    });
    let state = AlarmState::new(alarm.open, alarm.acknowledged);
    let heading = Text::with_role(Role::Verdict(state.verdict()), state.word()).and(format!(
        " {}: {loss} at {} ({})",
        alarm.id,
        short(&alarm.opened.commit),
        day(alarm.opened.time)
    ));
    let mut against = Table::headed(["against", "metric", "before", "now", "p", "limit"]).right(2..6);
    let mut since: Vec<Text> = Vec::new();
    for held in &alarm.against {
        let name = reference(&held.reference.to_string(), held.release.as_deref());
        against.row([
            Text::from(&name),
            shorten_name(&held.metric, NAME).into(),
            score(&held.metric, held.before).into(),
            Text::with_role(Role::Loss, score(&held.metric, held.now)),
            p_number(held.p).into(),
            p_number(held.threshold).into(),
        ]);
        let line = Text::from(format!("{name}, from {}: {}", short(&held.from), ending(held)));
        if !since.contains(&line) {
            since.push(line);
        }
    }
    if let Some(blessed) = alarm.blessed.as_ref().filter(|_| alarm.open) {
        since.push(Text::from(format!(
            "golden since {}: the bless accepted the ranking for its gate, and said nothing of the loss",
            short(&blessed.commit)
        )));
    }
    let mut section = Section::default().kind(Kind::Message).part([Block::List(since)]);
    // Where another step is the largest, it is a likelier cause than the one at which the loss crossed its limit.
    section = match alarm.earlier_step() {
        Some(_) => section.part(steps(alarm)),
        None => section,
    };
    section = section.part(suspects(alarm));
    if alarm.earlier_step().is_none() && alarm.steps.len() > 1 {
        section = section.part(steps(alarm));
    }
    if !alarm.queries.is_empty() {
        let cutoff = largest.and_then(|held| held.metric.parse::<crate::metric::Metric>().ok());
        let cutoff = cutoff.and_then(|metric| metric.cutoff()).unwrap_or(0);
        let heading = Block::line("queries that lost most, and their judged documents:");
        section = section.part([heading, moved_queries(&alarm.queries, cutoff)]);
    }
    let state = timeline.states.iter().find(|state| state.number == alarm.state);
    if let Some(State { commits: later @ 2.., .. }) = state {
        section = section
            .part([Block::paragraph(format!("{} have this ranking.", counted(*later, "commit", "commits")))]);
    }
    let (id, commit) = (alarm.id.clone(), alarm.opened.commit.clone());
    AlarmView { id, commit, open: alarm.open, heading, against, behind: section }
}

fn reference(kind: &str, release: Option<&str>) -> String {
    release.map_or(kind.to_owned(), |release| format!("{kind}, {}", shorten_name(release, NAME)))
}

fn ending(held: &ReferenceComparison) -> String {
    match &held.ended {
        Some(ended) => format!("until {}: {}", short(&ended.commit), ended.how),
        None if held.absorbed.is_empty() => "stands".to_owned(),
        None => format!("stands, {} since", counted(held.absorbed.len(), "ranking", "rankings")),
    }
}

/// The largest steps, each with the commits that may have done it.
fn steps(alarm: &Alarm) -> Part {
    let mut steps = Table::default().right([0]);
    for step in &alarm.steps {
        let name = match step.suspects.len().saturating_sub(1) {
            0 => subject(&step.commit),
            more => {
                subject(&step.commit).and(format!(", or {} before it", counted(more, "commit", "commits")))
            }
        };
        steps.row([change(step.difference, DECIMALS), short(&step.commit.commit).into(), name]);
    }
    Part::from([Block::line("its largest steps:"), Block::Table(steps)])
}

/// The commits that may have done it.
fn suspects(alarm: &Alarm) -> Part {
    let number = alarm.suspects.len();
    let which = match (&alarm.after, number) {
        (Some(after), 1) => {
            format!("the one commit after {}, which has the ranking before:", short(&after.commit))
        }
        (Some(after), _) => {
            format!(
                "one of {} commits after {}, the last with the ranking before:",
                count(number),
                short(&after.commit)
            )
        }
        (None, _) => "nothing was measured before:".to_owned(),
    };
    let heading = match alarm.earlier_step() {
        Some(_) => format!("the limit was crossed by {which}"),
        None => which,
    };
    let line = |one: &CommitName| {
        let author = match one.author.is_empty() {
            true => String::new(),
            false => format!(" ({})", shorten_name(&one.author, NAME)),
        };
        Text::from(format!("{} {}{author}", short(&one.commit), shorten(&one.subject, SUBJECT * 2)))
    };
    let mut lines: Vec<Text> = alarm.suspects.iter().rev().take(SUSPECTS).map(line).collect();
    if let more @ 1.. = number.saturating_sub(SUSPECTS) {
        lines.push(format!("and {} more", count(more)).into());
    }
    Part::from([Block::paragraph(heading), Block::List(lines)])
}

/// The report where a second pass gives another ranking.
pub(super) fn varying(varying: &Varying) -> Section {
    let mut splits = Table::headed(["metric", "before", "after", "change", "p", "from"]).right([1, 2, 3, 4]);
    for split in &varying.splits {
        let word = if split.shown { "shown" } else { "not shown" };
        splits.row([
            Text::from(shorten_name(&split.metric, NAME)),
            fixed(split.before, DECIMALS).into(),
            fixed(split.after, DECIMALS).into(),
            change_of(&split.metric, split.after - split.before),
            p_number(split.p).into(),
            format!("{} ({word})", short(&split.from.commit)).into(),
        ]);
    }
    let watched = varying.detected.iter().map(|one| {
        let state = AlarmState::new(one.stands(), one.acknowledged);
        // One that was not reached is over without having been an alarm.
        let word = if state == AlarmState::Over { String::new() } else { format!("{} ", state.word()) };
        let at = one.alarm.as_ref().zip(one.id.as_ref());
        let at = at.map(|(commit, id)| format!("{id}: reached at {}", short(&commit.commit)));
        Text::with_role(Role::Verdict(state.verdict()), word).and(format!(
            "{}, watched commit by commit from {} on: evidence {} of {}, {}",
            shorten_name(&one.metric, NAME),
            fixed(one.expected, DECIMALS),
            fixed(one.evidence, 1),
            fixed(one.limit, 0),
            at.unwrap_or("not reached".to_owned())
        ))
    });
    let about = format!(
        "The best split of {} in a higher and a lower part; p by permuting the commits.",
        counted(varying.commits, "commit", "commits")
    );
    Section::headed("rankings that vary")
        .part([Block::paragraph(about), Block::Table(splits)])
        .part([Block::List(watched.collect())])
}

/// The newest of them.
pub(super) fn notices(timeline: &Timeline) -> Table {
    let mut table = Table::headed(["commit", "against", "metric", "change", "p", "subject"]).right([3, 4]);
    for notice in timeline.notices.iter().rev().take(NOTICES) {
        table.row([
            Text::from(short(&notice.commit.commit)),
            notice.reference.to_string().into(),
            shorten_name(&notice.metric, NAME).into(),
            change_of(&notice.metric, notice.difference),
            p_number(notice.p).into(),
            subject(&notice.commit),
        ]);
    }
    table
}

/// How many there are, those that are not listed included, and how many chance gives.
pub(super) fn noticed(timeline: &Timeline) -> String {
    let count = timeline.notices.len();
    let listed = if count > NOTICES { format!(" (the newest {NOTICES} are listed)") } else { String::new() };
    format!(
        "{}{listed} at p <= {}, unadjusted; of {} chance gives up to {}.",
        counted(count, "notice", "notices"),
        p_number(timeline.notice),
        counted(timeline.tests, "test", "tests"),
        fixed(timeline.notices_by_chance, 1)
    )
}

/// Those that stand at the last commit.
pub(super) fn references(timeline: &Timeline) -> Table {
    let mut table = Table::headed([
        "reference",
        "from",
        "of its kind",
        "budget",
        "rankings held against it",
        "budget used",
    ])
    .right(2..6);
    let standing = |one: &&ReferenceReport| {
        one.until.is_none() && one.kind != ReferenceKind::Before && !timeline.gated.is_empty()
    };
    for one in timeline.references.iter().filter(standing).filter(|_| timeline.varying.is_none()) {
        table.row([
            Text::from(reference(&one.kind.to_string(), one.release.as_deref())),
            short(&one.from).into(),
            count(one.number).into(),
            p_number(one.budget).into(),
            count(one.rankings).into(),
            percent((one.used * 100.0).round() / 100.0).into(),
        ]);
    }
    table
}

/// What that adds up to.
pub(super) fn spending(timeline: &Timeline) -> String {
    let references = timeline.references.iter().filter(|one| one.kind != ReferenceKind::Before).count();
    let mut text = format!(
        "The k-th ranking against the j-th reference of a kind alarms at p <= {} / (j (j + 1) k (k + 1)). The chance \
         of any false alarm on this line is at most {}. That holds however often references are replaced, and \
         whatever the rankings have to do with each other. So far there were {}.",
        p_number(timeline.alpha_of_kind()),
        p_number(timeline.alpha),
        counted(references, "reference", "references")
    );
    if let Some(step) = timeline.step {
        text += &format!(
            " Each new ranking is held against the one before as well, at p <= {}: that is the chance of a false alarm \
             for each of them.",
            p_number(step)
        );
    }
    text
}

/// The newest commits at which something happened.
pub(super) fn commits(timeline: &Timeline) -> Table {
    let shown: Vec<&String> = timeline.metrics.iter().take(2).collect();
    let mut header = Vec::from(["commit".to_owned(), "date".to_owned(), "ranking".to_owned()]);
    for metric in &shown {
        header.extend([shorten_name(metric, NAME), "change".to_owned()]);
    }
    header.extend(["event".to_owned(), "subject".to_owned()]);
    let columns = header.len();
    let mut table = Table::headed(header).right(2..columns - 2);
    for entry in shown_commits(timeline) {
        let mut cells = Vec::from([
            Text::from(short(&entry.commit.commit)),
            day(entry.commit.time).into(),
            entry.state.to_string().into(),
        ]);
        for metric in &shown {
            let value = mean(timeline, entry, metric).map_or(String::new(), |value| score(metric, value));
            let moved = entry.differences.iter().find(|(name, _)| name == *metric);
            cells.extend([value.into(), moved.map_or(Text::default(), |(_, by)| change_of(metric, *by))]);
        }
        cells.extend([marks(entry, timeline), subject(&entry.commit)]);
        table.row(cells);
    }
    table
}

/// Those, the newest first.
pub(super) fn shown_commits(timeline: &Timeline) -> impl Iterator<Item = &Entry> {
    happened(timeline).rev().take(COMMITS)
}

fn happened(timeline: &Timeline) -> impl DoubleEndedIterator<Item = &Entry> {
    timeline
        .commits
        .iter()
        .filter(|entry| entry.moved != Move::Same || !entry.releases.is_empty() || entry.blessed)
}

pub(super) fn listed(timeline: &Timeline) -> String {
    let (all, happened) = (timeline.commits.len(), happened(timeline).count());
    let mut parts = Vec::new();
    if happened > COMMITS {
        parts
            .push(format!("the newest {COMMITS} of {} commits at which something happened", count(happened)));
    }
    if all > happened {
        let same = counted(all - happened, "commit", "commits");
        parts.push(format!("{same} changed nothing"));
    }
    parts.join("; ")
}

/// What happened at a commit, in words.
fn marks(entry: &Entry, timeline: &Timeline) -> Text {
    let alarmed = timeline.alarmed_at(&entry.commit.commit, None);
    let mut words: Vec<String> = Vec::new();
    match entry.moved {
        Move::First => words.push("first".to_owned()),
        Move::Return => words.push("back".to_owned()),
        Move::New | Move::Same => {}
    }
    if timeline.epochs.iter().skip(1).any(|epoch| epoch.from == entry.commit.commit) {
        words.push("epoch".to_owned());
    }
    words.extend(entry.releases.iter().map(|release| shorten_name(release, NAME)));
    let text = Text::from(words.join(", "));
    match alarmed {
        true if text.is_empty() => Text::with_role(Role::Verdict(Verdict::Failed), "alarm"),
        true => Text::with_role(Role::Verdict(Verdict::Failed), "alarm").and(", ").and(text),
        false => text,
    }
}

fn subject(commit: &CommitName) -> Text {
    shorten(&commit.subject, SUBJECT).into()
}

pub(super) fn short(id: &str) -> String {
    shorten(&id.chars().take(ID).collect::<String>(), ID)
}

pub(super) fn day(seconds: i64) -> String {
    let since = Duration::from_secs(u64::try_from(seconds).unwrap_or(0));
    // A clock shows no other.
    let Some(time) = UNIX_EPOCH.checked_add(since) else { return "no day".to_owned() };
    utc(time).chars().take("2026-11-22".len()).collect()
}
