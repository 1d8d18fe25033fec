//! Two leaderboards, for the terminal.

use rankgate_report::report::internal::clean::clean;
use rankgate_report::report::internal::number::{count, fixed};
use rankgate_report::report::internal::page::{Block, Section, Table};
use rankgate_report::report::internal::painter::{self, Style};

use super::{WIDTH, labels, widths};
use crate::{LeaderboardBasis, Leaderboards};

const DECIMALS: usize = 4;

/// Two leaderboards: how far they agree, then the runs in the order of the first.
#[must_use]
pub fn leaderboards(both: &Leaderboards, style: Style, width: usize) -> String {
    let sections = [
        Section::from_blocks(head(both)),
        Section::from_blocks([Block::Table(coefficients(both))]),
        Section::from_blocks([Block::Table(runs(both, width))]),
    ];
    painter::page(&sections, widths(width), style)
}

fn head(both: &Leaderboards) -> Vec<Block> {
    let basis = |basis: &LeaderboardBasis| {
        let (judgments, metric) = (clean(&basis.judgments), clean(&basis.metric));
        format!("{metric} by {judgments} ({} queries)", count(basis.queries))
    };
    vec![
        Block::line(format!("{} runs on two leaderboards", count(both.runs.len()))),
        Block::line(format!("  first   {}", basis(&both.first))),
        Block::line(format!("  second  {}", basis(&both.second))),
    ]
}

fn coefficients(both: &Leaderboards) -> Table {
    let mut table = Table::headed(["agreement", "value", ""]).right(1..2);
    let tau = both.kendall_tau.map_or("none".to_owned(), |tau| fixed(tau, DECIMALS));
    table.row(["Kendall's tau-b".to_owned(), tau, String::new()]);
    let symmetric = format!("the first is the truth; symmetric {}", fixed(both.tau_ap_symmetric, DECIMALS));
    table.row(["tauAP".to_owned(), fixed(both.tau_ap, DECIMALS), symmetric]);
    let persistence = format!("p = {}", both.persistence);
    table.row(["rank-biased overlap".to_owned(), fixed(both.rank_biased_overlap, DECIMALS), persistence]);
    table
}

fn runs(both: &Leaderboards, width: usize) -> Table {
    let names = labels(both.runs.iter().map(|run| run.run.as_str()), width.saturating_sub(WIDTH / 2));
    let mut table = Table::headed(["run", "first", "second", "moves", "first", "second"]).right(1..6);
    for (run, name) in both.runs.iter().zip(names) {
        let [first, second] = run.ranks;
        let moves = match (first > second, first.abs_diff(second)) {
            (_, 0) => String::new(),
            (true, up) => format!("{up} up"),
            (false, down) => format!("{down} down"),
        };
        let mut row = vec![name, count(first), count(second), moves];
        row.extend(run.values.map(|value| fixed(value, DECIMALS)));
        table.row(row);
    }
    table
}
