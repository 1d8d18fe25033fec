//! Tables for papers: LaTeX with the package `booktabs`.

use std::collections::BTreeSet;

use crate::offline::stats::Correction;
use crate::offline::{Comparisons, Conclusion, Scores, short_names};
use rankgate_report::report::internal::clean::clean;
use rankgate_report::report::internal::lookup::{highest, is_highest};
use rankgate_report::report::internal::number::{percent, score};
use rankgate_report::report::internal::phrases;

/// Runs as rows, metrics as columns, the highest score of each in bold.
///
/// ```
/// # use rankgate::{Hit, Qrels, Run};
/// # use rankgate_cli::offline::Scoring;
/// # let qrels = Qrels::parse("mine.qrels", b"q1 0 d1 1\n")?;
/// # let run = Run::from_rankings([("q1", vec![Hit::new("d1", 2.0)])])?;
/// let scores = Scoring::new(["RR".parse()?]).run(&qrels, "my_first.run", &run)?;
/// assert!(rankgate_cli::offline::report::scores_latex(&[scores]).contains("my\\_first.run & 1.0000 \\\\\n"));
/// # Ok::<(), rankgate::Error>(())
/// ```
#[must_use]
pub fn scores_latex(runs: &[Scores]) -> String {
    let names: Vec<&str> = runs.iter().map(|run| run.run.as_str()).collect();
    let metrics: Vec<&str> =
        runs.first().map(|run| run.mean.iter().map(|(metric, _)| metric).collect()).unwrap_or_default();
    let mut table = Table::new(&metrics);
    for (run, name) in runs.iter().zip(short_names(&names)) {
        let values = metrics.iter().map(|metric| (run.mean.get(metric).copied().unwrap_or(f64::NAN), ""));
        table.rows.push((name, values.collect()));
    }
    table.render(&[])
}

/// The baseline and its candidates as rows, metrics as columns, the highest score of each in bold; a dagger
/// marks a candidate that is shown to be better, a double dagger one that is shown to be worse.
#[must_use]
pub fn comparisons_latex(all: &Comparisons) -> String {
    let mut seen = BTreeSet::new();
    let metrics: Vec<&str> =
        all.comparisons.iter().map(|one| one.metric.as_str()).filter(|metric| seen.insert(*metric)).collect();
    let mut table = Table::new(&metrics);
    let candidates: Vec<_> = all.comparisons.chunks(metrics.len().max(1)).collect();
    if let Some(first) = candidates.first().and_then(|rows| rows.first()) {
        let means = candidates[0].iter().map(|one| (one.baseline_mean, ""));
        table.rows.push((all.short(&first.baseline).to_owned(), means.collect()));
    }
    for rows in &candidates {
        let mark = |conclusion| match conclusion {
            Some(Conclusion::Better) => "$^{\\dagger}$",
            Some(Conclusion::Worse) => "$^{\\ddagger}$",
            Some(Conclusion::Higher | Conclusion::Lower | Conclusion::NotShown | Conclusion::Identical)
            | None => "",
        };
        let values = rows.iter().map(|one| (one.candidate_mean, mark(one.conclusion)));
        if let Some(first) = rows.first() {
            table.rows.push((all.short(&first.candidate).to_owned(), values.collect()));
        }
    }
    let Some(first) = all.comparisons.first() else { return table.render(&[]) };
    let adjusted = match (all.family, all.correction) {
        (1, _) => String::new(),
        (family, Correction::None) => format!(", not adjusted for {family} comparisons"),
        (family, correction) => {
            format!(", adjusted for {family} comparisons ({})", escape(phrases::correction(correction)))
        }
    };
    let second = if all.test.resamples() { "" } else { " (of gains a second one too)" };
    let legend = format!(
        "$\\dagger$ better, $\\ddagger$ worse than {}: paired {} test{second} over {} queries, two-sided, {} \
         confidence{adjusted}.",
        escape(all.short(&first.baseline)),
        all.test,
        first.queries,
        escape(&percent(all.confidence)),
    );
    table.render(&[legend])
}

/// A table in the making.
struct Table<'a> {
    metrics: &'a [&'a str],
    /// A run's name and its values, each with what stands behind it.
    rows: Vec<(String, Vec<(f64, &'static str)>)>,
}

impl<'a> Table<'a> {
    fn new(metrics: &'a [&'a str]) -> Self {
        Self { metrics, rows: Vec::new() }
    }

    fn render(&self, notes: &[String]) -> String {
        let columns = "r".repeat(self.metrics.len());
        let mut text =
            format!("% needs \\usepackage{{booktabs}}\n\\begin{{tabular}}{{l{columns}}}\n\\toprule\n");
        let header: Vec<String> = std::iter::once("Run".to_owned())
            .chain(self.metrics.iter().map(|metric| escape(metric)))
            .collect();
        text += &format!("{} \\\\\n\\midrule\n", header.join(" & "));
        let best: Vec<Option<f64>> = (0..self.metrics.len())
            .map(|column| {
                highest(self.metrics[column], self.rows.iter().map(move |(_, values)| values[column].0))
            })
            .collect();
        for (name, values) in &self.rows {
            let mut cells = vec![escape(name)];
            for (column, (value, mark)) in values.iter().enumerate() {
                let number = score(self.metrics[column], *value);
                let is_best = is_highest(*value, best[column]);
                let number = if is_best { format!("\\textbf{{{number}}}") } else { number };
                cells.push(number + mark);
            }
            text += &format!("{} \\\\\n", cells.join(" & "));
        }
        text += "\\bottomrule\n\\end{tabular}\n";
        for note in notes {
            text += &format!("\\par\\smallskip\\noindent{{\\footnotesize {note}\\par}}\n");
        }
        text
    }
}

/// Text that means itself in LaTeX.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in clean(text).chars() {
        match c {
            '\\' => escaped += "\\textbackslash{}",
            '~' => escaped += "\\textasciitilde{}",
            '^' => escaped += "\\textasciicircum{}",
            // In the encoding that is LaTeX's by default these two are other characters.
            '<' => escaped += "\\textless{}",
            '>' => escaped += "\\textgreater{}",
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                escaped.push('\\');
                escaped.push(c);
            }
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_means_itself() {
        assert_eq!(
            escape("a_b{50%} \\x ~^&#$ <>="),
            "a\\_b\\{50\\%\\} \\textbackslash{}x \\textasciitilde{}\\textasciicircum{}\\&\\#\\$ \\textless{}\\textgreater{}="
        );
    }
}
