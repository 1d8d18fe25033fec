//! Pictures of a report, as SVG: in the HTML report, and by themselves.
//!
//! | file | shows |
//! |---|---|
//! | `forest.rs` | differences between configurations, with intervals and limits |
//! | `differences.rs` | the queries behind a difference |
//! | `curves.rs` | metrics over the cutoff |
//! | `power.rs` | with which probability how many queries show a limit |
//! | `distributions.rs` | answer times |
//!
//! `scale.rs` puts values in their places, `svg.rs` draws, `plot.css` says how it looks.

mod curves;
mod differences;
mod distributions;
mod forest;
pub mod scale;
pub mod svg;

use crate::model::Report;

use super::palette;
use super::side::{compared, pair, sides};

pub use curves::curves;
pub use differences::differences;
pub use distributions::distributions;
pub use forest::collections;
pub use forest::forests;
pub use svg::Picture;

/// How plots look.
pub const STYLE: &str = include_str!("plot.css");

/// The plots of a report as SVG files of their own, each with its file name: `forest.svg` of all
/// comparisons, `collections-…` of each comparison of a suite by its collections,
/// `changes-<candidate>-vs-<baseline>-<metric>.svg` of the queries behind each, `power-…` of how many queries show its limit,
/// `curve-<metric>.svg` of each metric over the cutoff, and `latency-<configurations>.svg` of answer times.
///
/// They hold no script and load nothing; their ground and colours follow whether the reader prefers
/// light or dark. File names are made of ASCII letters, digits and `.@_-`, and no two are equal.
///
/// ```
/// # use rankgate::benchmark::model::Report;
/// # let example = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/example.json"));
/// # let report: Report = serde_json::from_str(example)?;
/// for (name, svg) in rankgate::report::plots(&report) {
///     assert!(name.ends_with(".svg") && svg.starts_with("<svg "));
/// }
/// # Ok::<(), serde_json::Error>(())
/// ```
#[must_use]
pub fn plots(report: &Report) -> Vec<(String, String)> {
    let mut plots: Vec<(String, Picture)> = Vec::new();
    for (metric, picture, _) in forests(report) {
        plots.push((metric.map_or("forest".to_owned(), |metric| format!("forest-{metric}")), picture));
    }
    plots.extend(
        collections(report).into_iter().map(|(title, picture, _)| (format!("collections-{title}"), picture)),
    );
    let sides = sides(report);
    for (gate, finding) in compared(report) {
        let pair = pair(&sides, finding);
        let name = super::lookup::gate_name(report, gate).replace("::", "-");
        if let Some(drawn) = pair.and_then(|pair| differences(pair, finding, |_| None)) {
            plots.push((format!("changes-{name}"), drawn.picture));
        }
    }
    plots.extend(curves(report).into_iter().map(|(metric, picture)| (format!("curve-{metric}"), picture)));
    plots.extend(
        distributions(report)
            .into_iter()
            .map(|one| (format!("latency-{}", one.name.replace(' ', "_")), one.picture)),
    );
    files(plots)
}

/// Pictures as files of their own, under names that any system takes, no two of them equal.
pub fn files(plots: Vec<(String, Picture)>) -> Vec<(String, String)> {
    let style = palette::substituted(STYLE);
    let mut files: Vec<(String, String)> = Vec::with_capacity(plots.len());
    for (name, picture) in plots {
        let name = file_name(&name);
        let taken = |name: &str| files.iter().any(|(other, _)| other.eq_ignore_ascii_case(name));
        let numbered = (2_usize..).map(|number| format!("{name}-{number}.svg"));
        let mut names = std::iter::once(format!("{name}.svg")).chain(numbered);
        let Some(free) = names.find(|name| !taken(name)) else { continue };
        files.push((free, picture.alone(&style)));
    }
    files
}

/// A picture as a file of its own.
pub fn alone(picture: Picture) -> String {
    picture.alone(&palette::substituted(STYLE))
}

/// Characters of a file name without its ending: some systems allow 143 bytes.
const NAME: usize = 120;

fn file_name(name: &str) -> String {
    let keep = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '@' | '_' | '-');
    name.chars().take(NAME).map(|c| if keep(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::sample::hostile;
    use super::super::sample_queries::queried;
    use super::*;

    #[test]
    fn every_plot_is_a_file_that_stands_alone() {
        let plots = plots(&queried());
        let names: Vec<&str> = plots.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            [
                "forest.svg",
                "changes-bm25-vs-golden-nDCG@10.svg",
                "changes-bm25-stem-vs-bm25-nDCG@10.svg",
                "curve-nDCG.svg",
                "curve-R.svg",
            ]
        );
        for (name, svg) in &plots {
            assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>\n"), "{name}");
            assert!(!svg.contains("var(") && !svg.contains("href"), "{name}");
        }
    }

    #[test]
    fn file_names_are_safe_and_different() {
        let report = hostile("../a\u{0}<b>");
        let mut names: Vec<String> = plots(&report).into_iter().map(|(name, _)| name).collect();
        assert!(!names.is_empty());
        let all = names.len();
        for name in &names {
            assert!(!name.contains(['/', '\\', '<', '\0']) && !name.starts_with('.'), "{name}");
        }
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
