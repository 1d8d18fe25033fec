//! A sweep, for the terminal, as a page and for programs.

use std::collections::BTreeMap;

use rankgate_report::report::internal::clean::{clean, shorten_name};
use rankgate_report::report::internal::html;
use rankgate_report::report::internal::json::document;
use rankgate_report::report::internal::markup::{el, fragment};
use rankgate_report::report::internal::number::{
    DECIMALS, count, counted, fixed, interval, p_against, p_number, percent, signed,
};
use rankgate_report::report::internal::page::{Block, Section, Table};
use rankgate_report::report::internal::painter::{self, Style};

use super::looks::Look;
use super::report::{TuneReport, TunedSetting};

const WIDTH: usize = 100;
const NAME: usize = 40;
/// Settings of a larger sweep that are shown; the JSON form has all of them.
const SHOWN: usize = 24;

/// Each sweep: what is unjudged, the curve, how flat its top is, and what the locked half says; at 100 columns, without colour.
#[must_use]
pub fn tune_text(reports: &[TuneReport]) -> String {
    let sections: Vec<Section> = reports.iter().flat_map(|report| sections(report, SHOWN)).collect();
    painter::page(&sections, WIDTH, Style::Plain)
}

/// The same as a page of HTML that needs nothing else, with every setting and the curve drawn.
#[must_use]
pub fn tune_page(reports: &[TuneReport]) -> String {
    let header =
        el("header").child(el("p").class("overline").text("Tuning")).child(el("h1").text("Settings"));
    let section = |report: &TuneReport| {
        let painted = sections(report, usize::MAX);
        let painted = painted.iter().map(|section| painter::html::section(section, &|_| None));
        el("section")
            .child(el("h2").class("data").text(&title(report)))
            .child(super::curve::curve(report))
            .children(painted)
    };
    let main = el("main").children(reports.iter().map(section));
    html::document("Tuning of retrieval settings", (header, main), (fragment(), ""))
}

/// The same as JSON, a list: two blanks of indentation, keys in the order of the model's fields, a newline at the end.
#[must_use]
#[expect(clippy::expect_used, reason = "keys of the model's maps are strings, and a String takes any text")]
pub fn tune_json(reports: &[TuneReport]) -> String {
    document(&reports).expect("the model is JSON")
}

fn title(report: &TuneReport) -> String {
    format!("{}: {}", clean(&report.benchmark), shorten_name(&report.configuration, NAME))
}

/// Values of a setting in the order of the sweep's keys: `k 60, weights [0.3, 0.7]`.
pub(super) fn label(keys: &[String], values: &BTreeMap<String, String>) -> String {
    let value =
        |key: &String| values.get(key).map_or_else(|| "-".to_owned(), |value| clean(value).to_string());
    match keys {
        [key] => format!("{} {}", clean(key), value(key)),
        keys => {
            keys.iter().map(|key| format!("{} {}", clean(key), value(key))).collect::<Vec<_>>().join(", ")
        }
    }
}

fn sections(report: &TuneReport, shown: usize) -> Vec<Section> {
    let metric = clean(&report.metric);
    let mut head = vec![Block::line(format!(
        "{}: {} of {}, on {metric}",
        title(report),
        counted(report.settings.len(), "setting", "settings"),
        report.keys.iter().map(|key| clean(key).to_string()).collect::<Vec<_>>().join(", "),
    ))];
    if report.lower_is_better {
        head.push(Block::line(format!("less is better of {metric}: a difference below 0 is a gain")));
    }
    head.push(Block::paragraph(format!(
        "{} choose, {} confirm, halved by a hash of their {}; {}",
        counted(report.dev, "query", "queries"),
        count(report.locked),
        report.cluster.as_ref().map_or("ids".to_owned(), |key| format!("`{}`", clean(key))),
        match report.asked {
            0 => "no retriever was asked again".to_owned(),
            asked => format!("{} to retrievers", counted(asked as usize, "question", "questions")),
        },
    )));
    let mut all = vec![Section::from_blocks(head), Section::from_blocks(unjudged(report))];
    all.push(Section::from_blocks(curve(report, shown)));
    all.push(Section::from_blocks(choice(report)));
    all.push(Section::from_blocks(locked(report)));
    all
}

/// What nobody judged, before anything else: a setting that returns more of it looks worse than it is.
fn unjudged(report: &TuneReport) -> Vec<Block> {
    let top = report.judged_at;
    let share = |setting: &TunedSetting| percent((setting.unjudged / top as f64 * 1000.0).round() / 1000.0);
    let by_share = |a: &&TunedSetting, b: &&TunedSetting| a.unjudged.total_cmp(&b.unjudged);
    let (Some(least), Some(most)) =
        (report.settings.iter().min_by(by_share), report.settings.iter().max_by(by_share))
    else {
        return Vec::new();
    };
    let named =
        |setting: &TunedSetting| format!("{} ({})", share(setting), label(&report.keys, &setting.values));
    let mut text =
        format!("unjudged in the first {top}: today {}, settings {}", share(&report.today), named(least));
    if most.unjudged != least.unjudged {
        text += &format!(" to {}", named(most));
    }
    let mut blocks = vec![Block::line(text)];
    blocks.extend(report.cautions.iter().map(|caution| Block::warning("caution", caution, 6)));
    blocks
}

fn curve(report: &TuneReport, shown: usize) -> Vec<Block> {
    let header = [
        "on the choosing half".to_owned(),
        report.metric.clone(),
        of_difference(report).to_owned(),
        format!("{} CI (t)", percent(report.confidence)),
        "unjudged".to_owned(),
        String::new(),
    ];
    let mut table = Table::headed(header).right(1..5);
    let mut row = |name: String, setting: &TunedSetting, mark: &str| {
        let limits = setting.interval.map_or("-".to_owned(), |limits| interval(limits, DECIMALS));
        table.row([
            name,
            fixed(setting.mean, DECIMALS),
            signed(setting.difference, DECIMALS),
            limits,
            fixed(setting.unjudged, 2),
            mark.to_owned(),
        ]);
    };
    row(format!("today: {}", label(&report.keys, &report.today.values)), &report.today, "");
    let best = best_settings(&report.settings, report.lower_is_better, shown);
    for at in &best {
        let setting = &report.settings[*at];
        let mark = match (report.best == Some(*at), setting.in_plateau) {
            (true, _) => "best",
            (false, true) => "may be the best",
            (false, false) => "",
        };
        row(label(&report.keys, &setting.values), setting, mark);
    }
    let mut blocks = vec![Block::Table(table)];
    let left = report.settings.len() - best.len();
    if left > 0 {
        blocks.push(Block::line(format!(
            "and {}, all in --format json",
            counted(left, "worse setting", "worse settings")
        )));
    }
    blocks
}

/// What a setting's mean less today's is called: of a metric of which less is better a gain is below 0.
pub(super) fn of_difference(report: &TuneReport) -> &'static str {
    if report.lower_is_better { "difference" } else { "gain" }
}

/// The positions of the settings that are shown, in the order of the sweep: the best ones.
fn best_settings(settings: &[TunedSetting], lower_is_better: bool, shown: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..settings.len()).collect();
    if order.len() > shown {
        let loss = |at: usize| if lower_is_better { settings[at].mean } else { -settings[at].mean };
        order.sort_by(|a, b| loss(*a).total_cmp(&loss(*b)).then(a.cmp(b)));
        order.truncate(shown);
        order.sort_unstable();
    }
    order
}

fn choice(report: &TuneReport) -> Vec<Block> {
    let Some(best) = report.best else {
        return vec![Block::line(
            "no setting is better than today's on the choosing half: there is nothing to confirm",
        )];
    };
    let plateau = report.settings.iter().filter(|setting| setting.in_plateau).count();
    let mut table = Table::default();
    let best = &report.settings[best];
    table.row(["best".to_owned(), signed(best.difference, DECIMALS), label(&report.keys, &best.values)]);
    table.row([
        "nested".to_owned(),
        signed(report.nested, DECIMALS),
        format!("the {} of choosing, on queries that did not choose", of_difference(report)),
    ]);
    let mut blocks = vec![Block::Table(table)];
    blocks.push(Block::paragraph(format!(
        "{} of {} may be the best in truth, with {} confidence",
        count(plateau),
        counted(report.settings.len(), "setting", "settings"),
        percent(report.confidence)
    )));
    blocks
}

fn locked(report: &TuneReport) -> Vec<Block> {
    let Some(look) = &report.look else {
        return match report.best {
            None => Vec::new(),
            Some(_) => vec![Block::line("the locked half was not looked at")],
        };
    };
    let mut table = Table::default();
    let side = |name: &str, text: String| [name.to_owned(), text];
    let limits = look.interval.map_or(String::new(), |limits| {
        format!("   {} CI {}", percent(report.confidence), interval(limits, DECIMALS))
    });
    table.row(side(
        "locked half",
        format!(
            "{}{limits}   {}",
            signed(look.difference, DECIMALS),
            counted(look.queries, "query", "queries")
        ),
    ));
    let against = p_against(look.p, look.level, look.p <= look.level);
    table.row(side(&format!("look {}", look.look), format!("one-sided {against}: {}", verdict(look))));
    let mut blocks = vec![Block::Table(table)];
    if report.looked_before {
        blocks.push(Block::paragraph("the same scores were looked at before: this is no new look"));
    }
    blocks.extend(advice(report, look).into_iter().map(Block::paragraph));
    blocks
}

fn verdict(look: &Look) -> &'static str {
    if look.shown { "a gain is shown" } else { "no gain is shown" }
}

fn advice(report: &TuneReport, look: &Look) -> Vec<String> {
    let mut advice = vec![match look.shown {
        true => format!("write {} into the spec, and bless it", label(&report.keys, &look.chosen)),
        false => {
            "keep what stands, or take another setting that may be the best for reasons of its own".to_owned()
        }
    }];
    let is_open = !look.shown && look.difference * report.nested > 0.0;
    if let Some(queries) = report.queries_needed.filter(|queries| is_open && *queries > look.queries as u64) {
        let queries = usize::try_from(queries).unwrap_or(usize::MAX);
        advice.push(format!(
            "about {} in the locked half would show a gain like the nested one",
            counted(queries, "query", "queries")
        ));
    }
    advice.push(format!(
        "{} so far, kept in the golden folder: commit it; the next needs a one-sided p <= {}",
        counted(report.looks, "look", "looks"),
        p_number(look.level * look.look as f64 / (report.looks + 1) as f64)
    ));
    advice
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_settings_are_shown_whichever_end_of_a_metric_is_best() {
        let setting = |mean| TunedSetting {
            values: std::collections::BTreeMap::new(),
            unjudged: 0.0,
            mean,
            difference: 0.0,
            interval: None,
            in_plateau: false,
        };
        let settings = [0.3, 0.1, 0.2, 0.4].map(setting);
        assert_eq!(best_settings(&settings, false, 2), [0, 3]);
        assert_eq!(best_settings(&settings, true, 2), [1, 2]);
        assert_eq!(best_settings(&settings, true, 4), [0, 1, 2, 3]);
    }
}
