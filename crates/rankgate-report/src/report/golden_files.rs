//! Changes of golden files by a blessing, and what is accepted with them.

use crate::model::{Blessing, Report, Row};

use super::clean::clean;
use super::number::{count, queries};
use super::page::{Block, Section};
use super::painter::markdown::parts;
use super::phrases;

/// The result of a blessing, as Markdown for reviewers: by configuration which golden files it wrote or
/// left, how metrics and rankings changed against what was blessed before, and which thresholds fail. Empty
/// where nothing was blessed.
pub fn golden_files(report: &Report) -> String {
    parts(&sections(report)).concat()
}

/// The same as sections.
pub(super) fn sections(report: &Report) -> Vec<Section> {
    if report.blessings.is_empty() {
        return Vec::new();
    }
    let heading = Section::headed(format!("Blessed: {}", clean(&report.benchmark)));
    std::iter::once(heading).chain(report.blessings.iter().map(|one| configuration(report, one))).collect()
}

/// Why the files of a configuration were not blessed, in one sentence.
pub fn refusal(benchmark: &str, blessing: &Blessing) -> String {
    let failing: Vec<String> = blessing
        .failing
        .iter()
        .map(|threshold| format!("{} ({})", clean(&threshold.value), clean(&threshold.label)))
        .collect();
    let (benchmark, configuration) = (clean(benchmark), clean(&blessing.configuration));
    if let Some(shortage) = &blessing.shortage {
        return format!("{benchmark}: {configuration} is not blessed: {}", clean(&shortage.summary()));
    }
    format!(
        "{}: {} is not blessed while its thresholds fail: {}",
        benchmark,
        configuration,
        failing.join("; ")
    )
}

fn configuration(report: &Report, blessing: &Blessing) -> Section {
    let files = match blessing.refused {
        false => blessing.files.iter().map(file).collect::<Vec<_>>().join(", "),
        true => "not blessed".to_owned(),
    };
    let changed = blessing.metrics.iter().any(|metric| !metric.remark.is_empty());
    let mut notes: Vec<String> = Vec::new();
    let replaced = |file: &Row| file.value == "changed" && file.label.ends_with(".run");
    if blessing.queries == 0 && blessing.files.iter().any(replaced) {
        notes.push(
            "compared with nothing: the run that it replaces could not be read, or has no query in common"
                .to_owned(),
        );
    }
    let is_shown = |metric: &&Row| blessing.queries == 0 || !metric.remark.is_empty();
    for Row { label, value, remark } in blessing.metrics.iter().filter(is_shown) {
        notes.push(format!("{label} {value}{}{remark}", if remark.is_empty() { "" } else { ": " }));
    }
    if blessing.moved > 0 {
        let unchanged = if changed { "" } else { ", and no metric" };
        let of = queries(blessing.queries);
        notes.push(format!("the rankings of {} of {of} changed{unchanged}", count(blessing.moved)));
    }
    if !blessing.inputs.is_empty() {
        notes.push(format!("changed inputs: {}", phrases::input_words(&blessing.inputs)));
    }
    if let Some(shortage) = &blessing.shortage {
        let why = if blessing.refused { "refused because " } else { "forced although " };
        notes.push(format!("{why}{}", clean(&shortage.summary())));
    }
    for threshold in &blessing.failing {
        let why = match (blessing.refused, blessing.queries) {
            (true, _) => "refused because ",
            (false, 0) => "blessed for the first time although ",
            (false, _) => "forced although ",
        };
        notes.push(format!("{why}{}: {} ({})", threshold.remark, threshold.value, threshold.label));
    }
    if blessing.files.iter().any(|file| !file.remark.is_empty() && file.value != "unchanged") {
        let depth = phrases::depth(report)
            .unwrap_or_else(|| "depth says how many results of a query are kept".to_owned());
        notes.push(format!("large for a file that is committed: {depth}"));
    }
    let notes = notes.into_iter().map(|note| Block::hanging("- ", note, usize::MAX));
    Section::from_blocks([Block::paragraph(format!("{}: {files}", blessing.configuration))]).part(notes)
}

fn file(Row { label, value, remark }: &Row) -> String {
    let size = if remark.is_empty() { String::new() } else { format!(" ({remark})") };
    format!("{value} {label}{size}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::broken_threshold;
    use crate::gate::Bound;
    use crate::report::tests::sample;

    #[test]
    fn a_large_golden_file_is_said_with_what_makes_it_large() {
        let mut report = sample::helpdesk();
        let told = |report: &mut Report, size: &str, written| {
            let file = Row { remark: size.to_owned(), ..Row::new("golden/helpdesk/bm25.run", written) };
            report.blessings = vec![Blessing {
                configuration: "bm25".to_owned(),
                refused: false,
                files: vec![file],
                shortage: None,
                failing: Vec::new(),
                inputs: Vec::new(),
                metrics: Vec::new(),
                queries: 9,
                moved: 0,
            }];
            golden_files(report)
        };
        assert!(!told(&mut report, "", "new").contains("MB"));
        assert!(told(&mut report, "5.7 MB", "new").contains("new golden/helpdesk/bm25.run (5.7 MB)"));
        assert!(told(&mut report, "5.7 MB", "new").contains("depth says how many results"));
        report.depth_because = Some("AP".to_owned());
        let said = "- large for a file that is committed: 100 results asked for per query, because AP has no cutoff; \
                    depth sets another number\n";
        assert!(told(&mut report, "5.7 MB", "changed").contains(said));
        // Whoever has committed it knows.
        assert!(!told(&mut report, "5.7 MB", "unchanged").contains(said));
    }

    #[test]
    fn a_threshold_that_nothing_could_be_held_against_is_not_one_that_fails() {
        let told = |held: Option<f64>, refused: bool| {
            let failing =
                broken_threshold("helpdesk::bm25::RR@10", "RR@10", Bound::Mean, held, [Some(0.5), None]);
            let mut report = sample::helpdesk();
            report.blessings = vec![Blessing {
                configuration: "bm25".to_owned(),
                refused,
                files: Vec::new(),
                shortage: None,
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
