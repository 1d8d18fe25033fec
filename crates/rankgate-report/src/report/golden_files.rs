//! Changes of golden files by a blessing, and what is accepted with them.

use crate::metric::Polarity;
use crate::model::{Blessing, GoldenFile, Report};
use crate::output::Written;

use super::clean::clean;
use super::number::{DECIMALS, count, fixed, queries, score, signed};
use super::page::{Block, Role, Section, Table, Text};
use super::painter::markdown::parts;
use super::phrases;

/// A golden file that is longer is one to think about before it is committed.
const LARGE: u64 = 1_000_000;

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
    let tag = report.blessings.iter().find_map(|blessing| blessing.tag.as_deref());
    let done = tag.map_or("Blessed".to_owned(), |tag| format!("Tagged {}", clean(tag)));
    let heading = Section::headed(format!("{done}: {}", clean(&report.benchmark)));
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
        let done = if blessing.tag.is_some() { "tagged" } else { "blessed" };
        return format!("{benchmark}: {configuration} is not {done}: {}", clean(&shortage.summary()));
    }
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

fn configuration(report: &Report, blessing: &Blessing) -> Section {
    let files = match (blessing.refused, &blessing.tag) {
        (false, _) => Text::join(blessing.files.iter().map(file), ", "),
        (true, None) => "not blessed".into(),
        (true, Some(_)) if blessing.shortage.is_some() => "not tagged".into(),
        (true, Some(_)) => "not tagged, since the tag is that of another ranking or of other answers".into(),
    };
    let name = Text::from(&blessing.configuration).strong().and(": ");
    let changed = blessing.metrics.iter().any(|metric| metric.worse + metric.better > 0);
    let table = changed.then(|| Block::Table(table(blessing)));
    let mut notes: Vec<Text> = Vec::new();
    let replaced = |file: &GoldenFile| file.written == Written::Changed && file.file.ends_with(".run");
    if blessing.queries == 0 && blessing.files.iter().any(replaced) {
        notes.push(
            "compared with nothing: the run that it replaces could not be read, or has no query in common"
                .into(),
        );
    }
    if blessing.queries == 0 && !blessing.metrics.is_empty() {
        let values =
            blessing.metrics.iter().map(|one| format!("{} {}", one.metric, score(&one.metric, one.after)));
        notes.push(values.collect::<Vec<_>>().join(", ").into());
    } else if blessing.moved > 0 {
        let unchanged = if changed { "" } else { ", and no metric" };
        let of = queries(blessing.queries);
        notes.push(format!("the rankings of {} of {of} changed{unchanged}", count(blessing.moved)).into());
    }
    if !blessing.inputs.is_empty() {
        notes.push(format!("changed inputs: {}", phrases::input_words(&blessing.inputs)).into());
    }
    if let Some(shortage) = &blessing.shortage {
        let why = if blessing.refused { "refused because " } else { "forced although " };
        notes.push(format!("{why}{}", clean(&shortage.summary())).into());
    }
    for threshold in &blessing.failing {
        let why = match (blessing.refused, blessing.queries) {
            _ if blessing.tag.is_some() => "",
            (true, _) => "refused because ",
            (false, 0) => "blessed for the first time although ",
            (false, _) => "forced although ",
        };
        let seen = format!("{why}{}: {} (", threshold.remark, clean(&threshold.value));
        notes.push(Text::from(seen).and(code(&threshold.label)).and(")"));
    }
    if blessing.files.iter().any(|file| file.bytes > LARGE && file.written != Written::Unchanged) {
        let depth = phrases::depth(report)
            .unwrap_or_else(|| code("depth").and(" says how many results of a query are kept"));
        notes.push(Text::from("large for a file that is committed: ").and(depth));
    }
    let notes = (!notes.is_empty()).then_some(Block::List(notes));
    Section::from_blocks([Block::paragraph(name.and(files))]).part(table).part(notes)
}

fn file(file: &GoldenFile) -> Text {
    let what = match file.written {
        Written::New => "new ",
        Written::Changed => "changed ",
        Written::Unchanged => "unchanged ",
    };
    let size = match file.bytes {
        large if large > LARGE => format!(" ({} MB)", fixed(large as f64 / 1e6, 1)),
        _ => String::new(),
    };
    Text::from(what).and(code(&file.file)).and(size)
}

/// A path or a name as code, where that can hold it.
fn code(text: &str) -> Text {
    let text = clean(text);
    if text.contains('`') { text.into() } else { Text::with_role(Role::Code, format!("`{text}`")) }
}

/// Metrics before and now.
fn table(blessing: &Blessing) -> Table {
    let head = ["metric", "blessed before", "now", "change", "queries worse", "better"];
    let mut table = Table::headed(head).right(1..head.len());
    for one in &blessing.metrics {
        let Some(before) = one.before else { continue };
        let (lower, higher) = (count(one.worse), count(one.better));
        let [worse, better] = match Polarity::of_name(&one.metric) {
            Polarity::MoreIsBetter => [lower, higher],
            Polarity::LessIsBetter => [higher, lower],
            Polarity::Unknown => [format!("{lower} lower"), format!("{higher} higher")],
        };
        table.row([
            one.metric.clone(),
            score(&one.metric, before),
            score(&one.metric, one.after),
            signed(one.after - before, DECIMALS),
            worse,
            better,
        ]);
    }
    table
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
        let told = |report: &mut Report, bytes, written| {
            let file = GoldenFile { file: "golden/helpdesk/bm25.run".to_owned(), written, bytes };
            report.blessings = vec![Blessing {
                configuration: "bm25".to_owned(),
                tag: None,
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
            let failing =
                broken_threshold("helpdesk::bm25::RR@10", "RR@10", Bound::Mean, held, [Some(0.5), None]);
            let mut report = sample::helpdesk();
            report.blessings = vec![Blessing {
                configuration: "bm25".to_owned(),
                tag: None,
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
