//! Whether a judge is any good, for the terminal and for programs.

use rankgate::judge::Task;
use rankgate_report::benchmark::model::Verdict;

use crate::agreement::{Agreeing, WithLimits};
use crate::check::{JudgeCheck, Ordered};
use crate::error_sources::ErrorRegression;
use crate::jury::{JuryCheck, MemberAgreement};
use crate::stats::Interval;
use crate::swap::{JudgeSwap, SwappedGate};

use rankgate_report::report::internal::clean::{clean, shorten, shorten_name};
use rankgate_report::report::internal::html::document;
use rankgate_report::report::internal::json;
use rankgate_report::report::internal::markup::{el, fragment};
use rankgate_report::report::internal::number::{DECIMALS, count, counted, fixed, p_number, signed};
use rankgate_report::report::internal::page::{Block, Section, Table, Text};
use rankgate_report::report::internal::painter::html::{badge, list, matrix, section as painted, stacked};
use rankgate_report::report::internal::painter::{self, Style};

const WIDTH: usize = 80;
/// Characters of a name in a table.
const NAME: usize = 32;
/// Queries that a probe names.
const QUERIES: usize = 5;

/// The report on a judge for all its questions, at 80 columns and without colour.
///
/// None of it decides a gate: a verdict rests on the corrected interval.
#[must_use]
pub fn judge_check_text(checks: &[JudgeCheck]) -> String {
    let mut sections: Vec<Section> = checks.iter().flat_map(sections).collect();
    let faults = faults(checks);
    sections.extend(
        faults.iter().map(|fault| Section::from_blocks([Block::hanging("PROBLEM  ", clean(fault), 9)])),
    );
    painter::page(&sections, WIDTH, Style::Plain)
}

/// The same as one page, which loads nothing.
#[must_use]
pub fn judge_check_html(checks: &[JudgeCheck]) -> String {
    let faults = faults(checks);
    let name = match checks {
        [check] => clean(&check.judge),
        _ => checks.first().map_or(String::new(), |check| clean(&check.model)),
    };
    let state = match faults.len() {
        0 => badge(Verdict::Passed, "no problem found"),
        1 => badge(Verdict::Failed, "1 problem"),
        more => badge(Verdict::Failed, &format!("{} problems", count(more))),
    };
    let header = el("header")
        .child(el("p").class("overline").text("Is the judge any good?"))
        .child(el("h1").class("data").text(&name))
        .child(el("p").class("verdicts").child(state));
    let mut main = el("main");
    if !faults.is_empty() {
        let faults: Vec<Text> = faults.iter().map(|fault| clean(fault).into()).collect();
        main = main.child(el("section").child(list(&faults)));
    }
    for section in checks.iter().flat_map(sections) {
        let heading = section.heading.to_string();
        let mut part = el("section");
        if !heading.is_empty() {
            part = part.child(el("h2").text(&heading));
        }
        for block in section.parts.into_iter().flatten() {
            part = part.child(match block {
                Block::Table(table) if table.is_matrix => {
                    let corner = table.header.first().map(Text::to_string).unwrap_or_default();
                    matrix(&corner.replace(" \\ ", " against "), &table)
                }
                Block::Table(table) if !table.header.is_empty() => {
                    // On a narrow screen a table is a list without its head.
                    let title = table.header.first().map(Text::to_string).unwrap_or_default();
                    // A table below no heading is named by what its rows are.
                    let name = if heading.is_empty() { &title } else { &heading };
                    let shown = stacked(name, &table);
                    fragment().child(el("p").class("note narrow").text(&title)).child(shown)
                }
                other => painted(&Section::from_blocks([other]), &|_| None),
            });
        }
        main = main.child(part);
    }
    document(&format!("The judge {name}"), (header, main), (fragment(), ""))
}

/// What speaks against a judge, each thing once.
fn faults(checks: &[JudgeCheck]) -> Vec<String> {
    let mut faults: Vec<String> = Vec::new();
    for fault in checks.iter().flat_map(JudgeCheck::faults) {
        if !faults.contains(&fault) {
            faults.push(fault);
        }
    }
    faults
}

/// The judged unit: singular, and plural.
fn judged(check: &JudgeCheck) -> [&'static str; 2] {
    match check.task {
        None => ["document", "documents"],
        Some(Task::Claims | Task::Support) => ["claim", "claims"],
        Some(Task::Nuggets | Task::NuggetCreation) => ["nugget", "nuggets"],
        Some(Task::Citations) => ["citation", "citations"],
        Some(Task::AnswerRelevance | Task::Criterion) => ["answer", "answers"],
    }
}

fn sections(check: &JudgeCheck) -> Vec<Section> {
    let mut sections = vec![title(check)];
    let what = judged(check);
    match &check.agreement {
        Some(agreement) => sections.extend([
            agreeing(agreement, "agreement with people, which decides nothing,", what),
            confusion(check, agreement, "people \\ judge"),
            bias(check),
        ]),
        None if check.task == Some(Task::Claims) => {}
        None => sections.push(Section::from_blocks([Block::paragraph(format!(
            "There are no {} that both people and the judge have graded: `rankgate sample` draws queries for people.",
            what[1]
        ))])),
    }
    if !check.errors.is_empty() {
        sections.push(errors(check));
    }
    sections.extend(check.error_sources.as_ref().map(|found| error_sources(check, found)));
    if !check.corrections.is_empty() {
        sections.push(corrections(check));
    }
    sections.extend(check.order.as_ref().map(order));
    if !check.probes.is_empty() {
        sections.push(probes(check));
    }
    sections.push(again(check));
    sections.extend(check.jury.iter().flat_map(|jury| jury_sections(check, jury)));
    sections.extend(check.swap.iter().flat_map(|swap| swap_sections(check, swap)));
    sections
}

/// Whether it errs alike everywhere.
fn errors(check: &JudgeCheck) -> Section {
    let what = judged(check)[1];
    let title = format!("errors on {what} that people judged");
    let mut table = Table::headed([title.as_str(), "these", "others", "p"]).right([1, 2, 3]);
    for one in &check.errors {
        let group = match &one.configuration {
            Some(name) => format!("{} of {}", one.metric, shorten_name(name, NAME)),
            None => format!("{}, judged last", one.metric),
        };
        let [others, these] = one.pairs;
        table.row([group, count(these), count(others), p_number(one.p)]);
    }
    Section::from_blocks([Block::Table(table)])
}

/// What goes with its errors, and which of that is shown.
fn error_sources(check: &JudgeCheck, found: &ErrorRegression) -> Section {
    let step = if check.verdicts.is_empty() { "grades" } else { "steps" };
    let [one, several] = judged(check);
    let heading = format!(
        "how much more lenient the judge is, in {step}, on {} of {}",
        counted(found.pairs, one, several),
        counted(found.units, "query", "queries")
    );
    let mut table = Table::headed(["all others held", "effect", "interval", "p", "verdict"]).right([1, 3]);
    for one in &found.effects {
        let name = match &one.configuration {
            Some(name) => format!("{} {}", one.source, shorten_name(name, NAME)),
            None => one.source.to_string(),
        };
        let shown = |value: f64| signed(value, 2);
        let (value, interval) = match one.effect {
            Some(effect) => (shown(effect.value), limits(effect.interval, shown)),
            None => ("-".to_owned(), "all are alike in it".to_owned()),
        };
        let p = one.p_adjusted.map_or_else(|| "-".to_owned(), p_number);
        table.row([name, value, interval, p, if one.shown { "shown" } else { "" }.to_owned()]);
    }
    Section::headed(heading).part([Block::Table(table)])
}

/// What it is worth to gates: how wide intervals are with it, and by people alone.
fn corrections(check: &JudgeCheck) -> Section {
    let header = ["width of intervals", "weight", "with it", "people alone"];
    let mut table = Table::headed(header).right([1, 2, 3]);
    let width = |[low, high]: [f64; 2]| fixed(high - low, DECIMALS);
    for one in &check.corrections {
        table.row([
            shorten_name(&one.gate, 2 * NAME),
            one.weight.map_or_else(|| "-".to_owned(), |weight| fixed(weight, 2)),
            width(one.corrected),
            one.people.map_or_else(|| "-".to_owned(), width),
        ]);
    }
    Section::from_blocks([Block::Table(table)])
}

/// How far people agree with each other, at 80 columns and without colour.
#[must_use]
pub fn agreement_text(agreement: &Agreeing) -> String {
    painter::page(
        &[agreeing(agreement, "agreement of people", ["document", "documents"])],
        WIDTH,
        Style::Plain,
    )
}

/// The same as a list in JSON: two blanks of indentation, keys in the order of the fields, a newline at the end.
#[must_use]
pub fn judge_check_json(checks: &[JudgeCheck]) -> String {
    json::document(&checks).unwrap_or_default()
}

fn title(check: &JudgeCheck) -> Section {
    let all: usize = check.states.values().sum();
    let mut table = Table::default();
    let states = check.states.iter().map(|(state, number)| format!("{} {state}", count(*number)));
    let states = states.collect::<Vec<_>>().join(", ");
    table.row(["judgments".to_owned(), if all == 0 { "none".to_owned() } else { states }]);
    let served: Vec<String> =
        check.served.iter().map(|(name, number)| format!("{} ({})", clean(name), count(*number))).collect();
    if !served.is_empty() {
        table.row(["answered by".to_owned(), served.join(", ")]);
    }
    if !check.scale.is_empty() {
        let words =
            check.scale.iter().map(|(word, number)| format!("{} {}", count(*number), shorten(word, NAME)));
        table.row(["grades".to_owned(), words.collect::<Vec<_>>().join(", ")]);
    }
    Section::from_blocks([
        Block::line(format!("{} ({})", clean(&check.judge), clean(&check.model))),
        Block::Table(table),
    ])
}

fn limits(interval: Option<Interval>, shown: impl Fn(f64) -> String) -> String {
    interval
        .map_or_else(|| "no limits".to_owned(), |one| format!("[{}, {}]", shown(one.low), shown(one.high)))
}

fn agreeing(agreement: &Agreeing, whose: &str, [one, several]: [&str; 2]) -> Section {
    let heading = format!(
        "{whose} on {} of {}",
        counted(agreement.pairs, one, several),
        counted(agreement.queries, "query", "queries")
    );
    let mut table = Table::default().right([1]);
    let mut row = |name: &str, number: Option<WithLimits>| match number {
        Some(WithLimits { value, interval }) => {
            table.row([
                name.to_owned(),
                fixed(value, DECIMALS),
                limits(interval, |limit| fixed(limit, DECIMALS)),
            ]);
        }
        None => table.row([name.to_owned(), "-".to_owned(), "all grades are the same".to_owned()]),
    };
    row("equal grades", agreement.exact);
    row("kappa", agreement.kappa);
    row("quadratic kappa", agreement.quadratic_kappa);
    row("AC2 (quadratic)", agreement.ac2);
    Section::headed(heading).part([Block::Table(table)])
}

fn confusion(check: &JudgeCheck, agreement: &Agreeing, corner: &str) -> Section {
    let grades = agreement.confusion.len();
    let name = |grade: usize| match (check.verdicts.get(grade), check.scale.get(grade)) {
        (Some(verdict), _) => verdict.to_string(),
        (None, Some((word, _))) => shorten(word, NAME / 2),
        (None, None) => grade.to_string(),
    };
    let header = std::iter::once(corner.to_owned()).chain((0..grades).map(name));
    let mut table = Table { is_matrix: true, ..Table::headed(header).right(1..=grades) };
    for (grade, row) in agreement.confusion.iter().enumerate() {
        let cells = row.iter().map(|number| count(usize::try_from(*number).unwrap_or(usize::MAX)));
        table.row(std::iter::once(name(grade)).chain(cells));
    }
    Section::from_blocks([Block::Table(table)])
}

fn bias(check: &JudgeCheck) -> Section {
    let title = match check.verdicts[..] {
        [] => "judge above people, in grades",
        _ => "judge above people, in steps",
    };
    let mut table = Table::headed([title, "queries", "mean", "interval"]).right([1, 2]);
    for one in &check.bias {
        let name = one
            .segment
            .as_ref()
            .map_or_else(|| "all".to_owned(), |[key, value]| shorten(&format!("{key} = {value}"), NAME));
        let shown = |value: f64| signed(value, 2);
        table.row([name, count(one.queries), shown(one.mean), limits(one.interval, shown)]);
    }
    Section::from_blocks([Block::Table(table)])
}

fn order(order: &Ordered) -> Section {
    let mut table = Table::headed([order.metric.as_str(), "people", "judge"]).right([1, 2]);
    for (name, [people, judge]) in &order.configurations {
        table.row([shorten_name(name, NAME), fixed(*people, DECIMALS), fixed(*judge, DECIMALS)]);
    }
    let tau =
        order.tau.map_or_else(|| "there is no order to compare".to_owned(), |tau| format!("tau {tau:.2}"));
    let heading =
        format!("the configurations' order over {}: {tau}", counted(order.queries, "query", "queries"));
    Section::headed(heading).part([Block::Table(table)])
}

fn probes(check: &JudgeCheck) -> Section {
    let answered: usize = check.probes.iter().map(|probed| probed.answered).sum();
    if answered == 0 {
        return Section::from_blocks([Block::line("no probe has an answer: `rankgate judge` asks them")]);
    }
    let mut table =
        Table::headed(["questions with a known answer", "asked", "wrong", "queries"]).right([1, 2]);
    for probed in &check.probes {
        let mut queries: Vec<String> =
            probed.queries.iter().take(QUERIES).map(|query| shorten_name(query, NAME / 2)).collect();
        queries.extend((probed.queries.len() > QUERIES).then(|| "...".to_owned()));
        table.row([
            probed.probe.to_string(),
            count(probed.answered),
            count(probed.fell_for),
            queries.join(" "),
        ]);
    }
    Section::from_blocks([Block::Table(table)])
}

/// The members of a jury: how far they agree with people, with the jury and with each other, and what they have cost.
fn jury_sections(check: &JudgeCheck, jury: &JuryCheck) -> [Section; 2] {
    let kappa = |agreement: &Option<Agreeing>| {
        let kappa = agreement.as_ref().and_then(|agreement| agreement.kappa);
        kappa.map_or_else(|| "-".to_owned(), |kappa| fixed(kappa.value, DECIMALS))
    };
    let graded = format!("{} graded", judged(check)[1]);
    let header = ["member", graded.as_str(), "kappa with people", "with the jury", "tokens", "cost"];
    let mut members = Table::headed(header).right(1..=5);
    for one in &jury.members {
        members.row([
            shorten(&clean(&one.model), NAME),
            count(one.graded),
            kappa(&one.people),
            kappa(&one.jury),
            count(usize::try_from(one.tokens[0] + one.tokens[1]).unwrap_or(usize::MAX)),
            one.cost.map_or_else(|| "-".to_owned(), |cost| fixed(cost, 2)),
        ]);
    }
    let mut pairs =
        Table::headed(["agreement of two members", "equal grades", "kappa", "interval"]).right([1, 2]);
    for MemberAgreement { members: [one, other], agreement } in &jury.agreement {
        let interval = agreement.kappa.and_then(|kappa| kappa.interval);
        pairs.row([
            format!("{}, {}", shorten(&clean(one), NAME), shorten(&clean(other), NAME)),
            agreement.exact.map_or_else(|| "-".to_owned(), |exact| fixed(exact.value, DECIMALS)),
            kappa(&Some(agreement.clone())),
            limits(interval, |limit| fixed(limit, DECIMALS)),
        ]);
    }
    let heading = format!("a jury of {}, by {}", counted(jury.members.len(), "member", "members"), jury.vote);
    [Section::headed(heading).part([Block::Table(members)]), Section::from_blocks([Block::Table(pairs)])]
}

/// Another judge beside this one: how far they agree, on what people judged and on all, and what a swap would do to gates.
fn swap_sections(check: &JudgeCheck, swap: &JudgeSwap) -> Vec<Section> {
    let (what, other) = (judged(check), clean(&swap.judge));
    let mut sections = Vec::new();
    match &swap.agreement {
        Some(agreement) => sections.extend([
            agreeing(agreement, &format!("agreement with {other} ({})", clean(&swap.model)), what),
            confusion(check, agreement, "this judge \\ the other"),
        ]),
        None => sections.push(Section::from_blocks([Block::paragraph(format!(
            "There are no {} that both {} and {other} have graded.",
            what[1],
            clean(&check.judge)
        ))])),
    }
    if let Some(bias) = &swap.bias {
        let step = if check.verdicts.is_empty() { "grades" } else { "steps" };
        let said = format!(
            "{other} is above {} by {} {step} {} on average over {}",
            clean(&check.judge),
            signed(bias.mean, 2),
            limits(bias.interval, |limit| signed(limit, 2)),
            counted(bias.queries, "query", "queries")
        );
        sections.push(Section::from_blocks([Block::paragraph(said)]));
    }
    sections.push(anchors(check, swap));
    if !swap.gates.is_empty() {
        sections.push(swapped_gates(check, swap));
    }
    sections
}

/// How far people agree with both judges on what both have graded.
fn anchors(check: &JudgeCheck, swap: &JudgeSwap) -> Section {
    let anchors = &swap.anchors;
    if anchors.pairs == 0 {
        let none = "There are no anchors: people judged nothing of what both judges are asked about.";
        return Section::from_blocks([Block::paragraph(none)]);
    }
    let shared = anchors.agreement.as_ref().map_or(0, |[one, _]| one.pairs);
    let heading = format!(
        "agreement with people on {} of {}, which both judges have graded",
        count(shared),
        counted(anchors.pairs, "anchor", "anchors")
    );
    let Some(both) = &anchors.agreement else { return Section::headed(heading) };
    let mut table =
        Table::headed(["judge", "equal grades", "kappa", "interval", "quadratic kappa"]).right([1, 2, 4]);
    for (judge, agreement) in [&check.judge, &swap.judge].into_iter().zip(both) {
        let shown = |number: Option<WithLimits>| {
            number.map_or_else(|| "-".to_owned(), |number| fixed(number.value, DECIMALS))
        };
        let interval = agreement.kappa.and_then(|kappa| kappa.interval);
        table.row([
            clean(judge),
            shown(agreement.exact),
            shown(agreement.kappa),
            limits(interval, |limit| fixed(limit, DECIMALS)),
            shown(agreement.quadratic_kappa),
        ]);
    }
    Section::headed(heading).part([Block::Table(table)])
}

/// Each gate with this judge, and with the other in its place.
fn swapped_gates(check: &JudgeCheck, swap: &JudgeSwap) -> Section {
    let heading = format!(
        "with {} in place of {}, {} of {} would have another verdict",
        clean(&swap.judge),
        clean(&check.judge),
        count(swap.changed_verdicts()),
        counted(swap.gates.len(), "gate", "gates")
    );
    let shown = |gate: &SwappedGate, side: usize| {
        let value = gate.values[side].map(|value| fixed(value, DECIMALS));
        let limits = gate.intervals[side]
            .map(|[low, high]| format!("[{}, {}]", fixed(low, DECIMALS), fixed(high, DECIMALS)));
        let both: Vec<String> = value.into_iter().chain(limits).collect();
        if both.is_empty() { "-".to_owned() } else { both.join(" ") }
    };
    let mut blocks = Vec::new();
    for gate in &swap.gates {
        blocks.push(Block::line(shorten_name(&gate.gate, 2 * NAME)));
        let mut table = Table::default();
        for side in 0..2 {
            let shift =
                gate.shift().filter(|_| side == 1).map_or_else(String::new, |shift| signed(shift, DECIMALS));
            table.row([
                ["this judge", "the other"][side].to_owned(),
                gate.verdicts[side].to_string(),
                shown(gate, side),
                shift,
            ]);
        }
        blocks.push(Block::Table(table));
        blocks.extend(gate.reason.as_ref().map(|reason| Block::paragraph(clean(reason))));
    }
    Section::headed(heading).part(blocks)
}

fn again(check: &JudgeCheck) -> Section {
    let Some(again) = &check.again else { return Section::default() };
    let (what, same) = match check.verdicts[..] {
        [] => (judged(check), "the same grade"),
        _ => (["list", "lists"], "the same verdicts"),
    };
    let mut said = format!(
        "asked again, {} of {} got {same}",
        count(again.same),
        counted(again.pairs, what[0], what[1])
    );
    if let Some(drift) = again.drift {
        said += &format!("; on average the grades rose by {}", signed(drift, 2));
    }
    let served = again.served.as_ref().map(|[before, now]| {
        let names =
            |all: &[String]| if all.is_empty() { "nobody named".to_owned() } else { clean(&all.join(", ")) };
        Block::paragraph(format!("another model answered: {} before, {} now", names(before), names(now)))
    });
    Section::from_blocks(std::iter::once(Block::paragraph(said)).chain(served))
}
