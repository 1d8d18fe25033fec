//! Changes of golden files by a blessing, and what is accepted with them.

use crate::metric::Polarity;
use crate::model::{Blessing, Bound, BrokenThreshold, GoldenFile, Limit, Report};
use crate::output::Written;

use super::clean::clean;
use super::number::{DECIMALS, count, fixed, queries, score, signed};
use super::painter::markdown::escape;
use super::phrases;

/// A golden file that is longer is one to think about before it is committed.
const LARGE: u64 = 1_000_000;

/// The result of a blessing, as Markdown for reviewers: by configuration which golden files it wrote or
/// left, how metrics and rankings changed against what was blessed before, and which thresholds fail. Empty
/// where nothing was blessed.
#[must_use]
pub fn golden_files(report: &Report) -> String {
    if report.blessings.is_empty() {
        return String::new();
    }
    let tag = report.blessings.iter().find_map(|blessing| blessing.tag.as_deref());
    let done = tag.map_or("Blessed".to_owned(), |tag| format!("Tagged {}", clean(tag)));
    let mut text = format!("### {done}: {}\n", escape(&report.benchmark));
    for blessing in &report.blessings {
        text += "\n";
        text += &configuration(report, blessing);
    }
    text
}

/// Why the files of a configuration were not blessed, in one sentence.
#[must_use]
pub fn refusal(benchmark: &str, blessing: &Blessing) -> String {
    let failing: Vec<String> = blessing
        .failing
        .iter()
        .map(|threshold| format!("{} ({})", broken(threshold), clean(&threshold.gate)))
        .collect();
    let (benchmark, configuration) = (clean(benchmark), clean(&blessing.configuration));
    if let Some(tag) = &blessing.tag {
        let what = match blessing.moved {
            0 => "has other queries or other answers".to_owned(),
            moved => format!(
                "is another ranking of it, and {} of {} differ",
                count(moved),
                queries(blessing.queries)
            ),
        };
        let tag = clean(tag);
        return format!("{benchmark}: {configuration} is not tagged {tag}: golden@{tag} {what}");
    }
    format!(
        "{}: {} is not blessed while its thresholds fail: {}",
        benchmark,
        configuration,
        failing.join("; ")
    )
}

fn configuration(report: &Report, blessing: &Blessing) -> String {
    let files: Vec<String> = blessing.files.iter().map(file).collect();
    let files = match (blessing.refused, &blessing.tag) {
        (false, _) => files.join(", "),
        (true, None) => "not blessed".to_owned(),
        (true, Some(_)) => {
            "not tagged, since the tag is that of another ranking or of other answers".to_owned()
        }
    };
    let mut text = format!("**{}**: {files}\n", escape(&blessing.configuration));
    let changed = blessing.metrics.iter().any(|metric| metric.worse + metric.better > 0);
    if changed {
        text += "\n";
        text += &table(blessing);
    }
    let mut notes = Vec::new();
    let replaced = |file: &GoldenFile| file.written == Written::Changed && file.file.ends_with(".run");
    if blessing.queries == 0 && blessing.files.iter().any(replaced) {
        notes.push(
            "compared with nothing: the run that it replaces could not be read, or has no query in common"
                .to_owned(),
        );
    }
    if blessing.queries == 0 && !blessing.metrics.is_empty() {
        let values =
            blessing.metrics.iter().map(|one| format!("{} {}", one.metric, score(&one.metric, one.after)));
        notes.push(escape(&values.collect::<Vec<_>>().join(", ")));
    } else if blessing.moved > 0 {
        let unchanged = if changed { "" } else { ", and no metric" };
        notes.push(format!(
            "the rankings of {} of {} changed{unchanged}",
            count(blessing.moved),
            queries(blessing.queries)
        ));
    }
    if !blessing.inputs.is_empty() {
        notes.push(format!("changed inputs: {}", phrases::input_words(&blessing.inputs)));
    }
    for threshold in &blessing.failing {
        let fails = if threshold.held.is_some() { "it fails" } else { "it could not be decided" };
        let why = match (blessing.refused, blessing.queries) {
            _ if blessing.tag.is_some() => "",
            (true, _) => "refused because ",
            (false, 0) => "blessed for the first time although ",
            (false, _) => "forced although ",
        };
        let seen = escape(&broken(threshold));
        notes.push(format!("{why}{fails}: {seen} (`{}`)", clean(&threshold.gate)));
    }
    if blessing.files.iter().any(|file| file.bytes > LARGE && file.written != Written::Unchanged) {
        let depth = phrases::depth(report).map(|depth| depth.to_string());
        let depth = depth.unwrap_or_else(|| "`depth` says how many results of a query are kept".to_owned());
        notes.push(format!("large for a file that is committed: {depth}"));
    }
    if !notes.is_empty() {
        text += "\n";
        text.extend(notes.iter().map(|note| format!("- {note}\n")));
    }
    text
}

fn file(file: &GoldenFile) -> String {
    let what = match file.written {
        Written::New => "new",
        Written::Changed => "changed",
        Written::Unchanged => "unchanged",
    };
    let path = clean(&file.file);
    let path = if path.contains('`') { escape(&path) } else { format!("`{path}`") };
    match file.bytes {
        large if large > LARGE => format!("{what} {path} ({} MB)", fixed(large as f64 / 1e6, 1)),
        _ => format!("{what} {path}"),
    }
}

/// What a threshold saw: `nDCG@10 0.2200 < 0.3000`.
fn broken(threshold: &BrokenThreshold) -> String {
    let bound = match threshold.bound {
        Bound::Mean => String::new(),
        bound @ (Bound::Lower | Bound::Upper) => format!("{bound} bound of "),
        Bound::EveryQuery => "a query's ".to_owned(),
    };
    let metric = format!("{bound}{}", clean(&threshold.metric));
    let number = |value: f64| score(&threshold.metric, value);
    let Some(held) = threshold.held else { return format!("{metric} is not known") };
    match (threshold.broken, threshold.min, threshold.max) {
        (Some(Limit::Min), Some(min), _) => format!("{metric} {} < {}", number(held), number(min)),
        (Some(Limit::Max), _, Some(max)) => format!("{metric} {} > {}", number(held), number(max)),
        _ => format!("{metric} {}", number(held)),
    }
}

/// Metrics before and now, in columns that line up where it is read as it is.
fn table(blessing: &Blessing) -> String {
    let head = ["metric", "blessed before", "now", "change", "queries worse", "better"];
    let mut rows: Vec<[String; 6]> = vec![head.map(str::to_owned)];
    for one in &blessing.metrics {
        let Some(before) = one.before else { continue };
        let (lower, higher) = (count(one.worse), count(one.better));
        let [worse, better] = match Polarity::of_name(&one.metric) {
            Polarity::MoreIsBetter => [lower, higher],
            Polarity::LessIsBetter => [higher, lower],
            Polarity::Unknown => [format!("{lower} lower"), format!("{higher} higher")],
        };
        rows.push([
            escape(&one.metric),
            score(&one.metric, before),
            score(&one.metric, one.after),
            signed(one.after - before, DECIMALS),
            worse,
            better,
        ]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |row: &[String; 6]| {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
    };
    let rule = widths.iter().enumerate().map(|(column, &width)| match column {
        0 => "-".repeat(width + 2),
        _ => "-".repeat(width + 1) + ":",
    });
    let rule = format!("|{}|\n", rule.collect::<Vec<_>>().join("|"));
    rows.iter()
        .enumerate()
        .map(|(index, row)| if index == 0 { line(row) + &rule } else { line(row) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sample;

    #[test]
    fn a_large_golden_file_is_said_with_what_makes_it_large() {
        let mut report = sample::helpdesk();
        let told = |report: &mut Report, bytes, written| {
            let file = GoldenFile { file: "golden/helpdesk/bm25.run".to_owned(), written, bytes };
            report.blessings = vec![Blessing {
                configuration: "bm25".to_owned(),
                tag: None,
                refused: false,
                files: vec![file],
                failing: Vec::new(),
                inputs: Vec::new(),
                metrics: Vec::new(),
                queries: 9,
                moved: 0,
            }];
            golden_files(report)
        };
        assert!(!told(&mut report, LARGE, Written::New).contains("MB"));
        assert!(
            told(&mut report, 5_712_345, Written::New).contains("new `golden/helpdesk/bm25.run` (5.7 MB)")
        );
        assert!(told(&mut report, 5_712_345, Written::New).contains("`depth` says how many results"));
        report.depth_because = Some("AP".to_owned());
        let said = "- large for a file that is committed: 100 results asked for per query, because AP has no cutoff; \
                    `depth` sets another number\n";
        assert!(told(&mut report, 5_712_345, Written::Changed).contains(said));
        // Whoever has committed it knows.
        assert!(!told(&mut report, 5_712_345, Written::Unchanged).contains(said));
    }

    #[test]
    fn a_threshold_that_nothing_could_be_held_against_is_not_one_that_fails() {
        let told = |held: Option<f64>, refused: bool| {
            let failing = BrokenThreshold {
                gate: "helpdesk::bm25::RR@10".to_owned(),
                metric: "RR@10".to_owned(),
                bound: Bound::Mean,
                held,
                min: Some(0.5),
                max: None,
                broken: held.map(|_| Limit::Min),
            };
            let mut report = sample::helpdesk();
            report.blessings = vec![Blessing {
                configuration: "bm25".to_owned(),
                tag: None,
                refused,
                files: Vec::new(),
                failing: vec![failing],
                inputs: Vec::new(),
                metrics: Vec::new(),
                queries: 9,
                moved: 0,
            }];
            golden_files(&report)
        };
        assert!(told(Some(0.25), true).contains("- refused because it fails: RR@10 0.2500 < 0.5000 ("));
        assert!(told(None, true).contains("- refused because it could not be decided: RR@10 is not known ("));
        assert!(
            told(None, false).contains("- forced although it could not be decided: RR@10 is not known (")
        );
    }
}
