//! A floor, for the terminal and for programs.

use super::report::{FloorCosts, FloorOutcome, FloorReport, HeldOut, Rate};

use rankgate_report::report::internal::clean::{clean, shorten_name};
use rankgate_report::report::internal::json::document;
use rankgate_report::report::internal::number::{count, counted, percent};
use rankgate_report::report::internal::page::{Block, Section, Table};
use rankgate_report::report::internal::painter::{self, Style};

const WIDTH: usize = 100;
const NAME: usize = 40;

/// The floor of each configuration with what it costs, at 100 columns and without colour.
#[must_use]
pub fn floor_text(reports: &[FloorReport]) -> String {
    let sections: Vec<Section> = reports.iter().flat_map(sections).collect();
    painter::page(&sections, WIDTH, Style::Plain)
}

/// The same as JSON, a list: two blanks of indentation, keys in the order of the model's fields, a newline at the end.
#[must_use]
#[expect(clippy::expect_used, reason = "the model has no maps, and a String takes any text")]
pub fn floor_json(reports: &[FloorReport]) -> String {
    document(&reports).expect("the model is JSON")
}

fn sections(report: &FloorReport) -> Vec<Section> {
    let mut sections = vec![Section::from_blocks(head(report))];
    sections.push(Section::from_blocks([Block::Table(trade_off(report))]));
    sections.push(Section::from_blocks([
        Block::line("unanswerable queries that it takes to allow a share, if none is answered:"),
        Block::Table(needed(report)),
    ]));
    if let Some(floor) = report.floor {
        sections.push(Section::from_blocks(gates(report, floor)));
    }
    sections
}

/// A share to a tenth of a percent: `5%`, `8.8%`.
fn share(value: f64) -> String {
    percent((value * 1000.0).round() / 1000.0)
}

fn head(report: &FloorReport) -> Vec<Block> {
    let name = shorten_name(&report.configuration, NAME);
    let demand = format!(
        "at most {} of unanswerable queries answered, with {} confidence",
        share(report.false_answer),
        share(report.confidence)
    );
    let halves = format!(
        "{} of {} chose it, {} tested it",
        count(report.choosing),
        counted(report.unanswerable, "unanswerable query", "unanswerable queries"),
        count(report.unanswerable - report.choosing)
    );
    let benchmark = clean(&report.benchmark);
    let mut blocks = match (report.outcome, report.floor) {
        (FloorOutcome::Chosen, Some(floor)) => vec![
            Block::line(format!("{benchmark}: floor of {name}: {floor}")),
            Block::paragraph(format!("the lowest that is shown to keep {demand}; {halves}")),
        ],
        (FloorOutcome::TooFewQueries, _) => vec![
            Block::line(format!("{benchmark}: no floor of {name} can be shown to hold")),
            Block::paragraph(too_few(report, &demand)),
        ],
        (FloorOutcome::NotNeeded | FloorOutcome::Chosen, _) => vec![
            Block::line(format!("{benchmark}: {name} needs no floor")),
            Block::paragraph(format!("without one it is shown to keep {demand}")),
        ],
    };
    blocks.extend(held_out(report).map(Block::paragraph));
    blocks.extend(report.cautions.iter().map(|caution| Block::warning("caution", caution, 4)));
    blocks
}

fn too_few(report: &FloorReport, demand: &str) -> String {
    let needed = report.needed.iter().find(|one| one.false_answer == report.false_answer);
    let (queries, more) = needed.map_or((0, 0), |one| (one.queries, one.more));
    format!(
        "{demand}, takes {} without a false answer, half of which choose; there are {}, so add {}",
        counted(queries, "unanswerable query", "unanswerable queries"),
        count(report.unanswerable),
        count(more)
    )
}

fn held_out(report: &FloorReport) -> Option<String> {
    let costs = report.trade_off.iter().find(|costs| costs.chosen)?;
    let Rate { events, queries, at_most } = costs.held_out;
    let seen = format!("{} of {} answered there, at most {}", count(events), count(queries), share(at_most));
    Some(match report.held_out? {
        HeldOut::Shown => format!("the other half shows the same: {seen}"),
        HeldOut::Open => format!("the other half neither shows nor contradicts it: {seen}"),
        HeldOut::Broken => format!("the other half contradicts it: {seen}; do not use it"),
    })
}

fn trade_off(report: &FloorReport) -> Table {
    let header = ["floor", "chosen by", "at most", "tested by", "at most", "false silences", "at most"];
    let mut table = Table::headed(header).right(1..7);
    for costs in &report.trade_off {
        let FloorCosts { floor, chosen, choosing, held_out, false_silences } = costs;
        let mark = if *chosen { "*" } else { "" };
        let floor = floor.map_or("none".to_owned(), |floor| format!("{floor}{mark}"));
        let mut row = vec![floor];
        for rate in [choosing, held_out, false_silences] {
            row.push(format!("{} of {}", count(rate.events), count(rate.queries)));
            row.push(share(rate.at_most));
        }
        table.row(row);
    }
    table
}

fn needed(report: &FloorReport) -> Table {
    let mut table = Table::headed(["share", "queries", "more than today"]).right(0..3);
    for one in &report.needed {
        table.row([share(one.false_answer), count(one.queries), count(one.more)]);
    }
    table
}

/// What to write into the spec, and what the gate says today.
fn gates(report: &FloorReport, floor: f64) -> Vec<Block> {
    let name = clean(&report.configuration);
    let rate = report.false_answer;
    let silences = report.trade_off.iter().find(|costs| costs.chosen).map_or(1.0, |costs| {
        // Room for today's limit.
        (costs.false_silences.at_most * 100.0).ceil() / 100.0
    });
    let mut blocks = vec![
        Block::line("in the spec, so that every run tests it on that day's scores:"),
        Block::preformatted(
            format!(
                "configurations:\n  {name}: {{..., floor: {floor}}}\nthresholds:\n  - {{name: floor-holds, metric: FalseAnswer, \
                 max: {rate}, bound: upper, for: {name}}}\n  - {{metric: FalseSilence, max: {silences}, for: {name}}}"
            ),
            8,
        ),
    ];
    if let Some(gate) = report.gate {
        let upper = share(gate.upper);
        blocks.push(Block::paragraph(match gate.passes {
            true => format!("today floor-holds passes: the upper bound of all unanswerable queries is {upper}"),
            false => format!(
                "today floor-holds fails: the upper bound of all unanswerable queries, an end of a two-sided interval, is \
                 {upper}; add queries, or allow that much"
            ),
        }));
    }
    blocks
}
