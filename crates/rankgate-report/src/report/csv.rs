//! The scores of all queries as CSV: a line for each configuration, query, metric and kind of judgments.

use crate::model::{QueryReport, Report};

use super::clean::clean;
use super::lookup::all_measured;

/// The columns.
const HEAD: [&str; 6] = ["configuration", "query", "metric", "judged", "score", "ceiling"];

/// By the collection's own judgments.
const BASE: &str = "base";

/// Renders the scores of all queries as CSV, in the order of the JSON form: `configuration`, `query`, `metric`, `judged`,
/// `score`, `ceiling`.
///
/// `judged` says whose judgments they are by: `base` of the collection alone, `model` where the model's fill its holes, `people`
/// where people judged a drawn query whole. A score that the model leaves open has a line for the lowest value, `model`, and one
/// for the highest, `model-at-most`. `ceiling` is there for stages of a pipeline, in lines by the collection's own judgments: what
/// no order of the documents of that step exceeds. It is empty elsewhere. Queries that no document answers come last of a
/// configuration, with the metrics that are of these. Cells that a spreadsheet would take for a formula begin with an apostrophe.
#[must_use]
pub fn csv(report: &Report) -> String {
    let mut text = line(&HEAD);
    for (configuration, measured) in all_measured(report) {
        for query in &measured.queries {
            for (metric, judged, score) in scores(query) {
                let ceiling = query.ceilings.get(metric).filter(|_| judged == BASE);
                let ceiling = ceiling.map_or_else(String::new, f64::to_string);
                text +=
                    &line(&[&configuration.name, &query.id, metric, judged, &score.to_string(), &ceiling]);
            }
        }
        for query in &measured.unanswerable {
            for (metric, score) in &query.scores {
                text += &line(&[&configuration.name, &query.id, metric, BASE, &score.to_string(), ""]);
            }
        }
    }
    text
}

/// Metric, whose judgments, score.
fn scores(query: &QueryReport) -> Vec<(&String, &'static str, f64)> {
    let mut all: Vec<_> = query.scores.iter().map(|(metric, score)| (metric, BASE, *score)).collect();
    for (metric, judged) in &query.judged {
        all.push((metric, "model", judged.model));
        all.extend(judged.at_most.map(|score| (metric, "model-at-most", score)));
        all.extend(judged.people.map(|score| (metric, "people", score)));
    }
    all
}

/// A line of cells, in quotes where they have to be. A cell is on one line, since tables are looked at in terminals and
/// logs; JSON has texts as they are. What a spreadsheet would take for a formula is made text by the
/// apostrophe that spreadsheets have for that.
pub fn line<C: AsRef<str>>(cells: &[C]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| quoted(cell.as_ref())).collect();
    cells.join(",") + "\n"
}

fn quoted(cell: &str) -> String {
    let mut cell = clean(cell);
    if cell.starts_with(['=', '+', '-', '@']) && cell.parse::<f64>().is_err() {
        cell.insert(0, '\'');
    }
    if cell.contains([',', '"']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula() {
        assert_eq!(
            line(&["=HYPERLINK(\"http://x\",1)", "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "-", "--"]),
            "\"'=HYPERLINK(\"\"http://x\"\",1)\",'+1+cmd|' /C calc'!A0,'-2+3,'@SUM(1),'-,'--\n"
        );
        assert_eq!(line(&["-0.25", "+1", "-1e-9", "a=b", "q-1", ""]), "-0.25,+1,-1e-9,a=b,q-1,\n");
    }

    #[test]
    fn what_would_end_a_cell_is_quoted() {
        assert_eq!(
            line(&["a", "b,c", "say \"x\"", "two\nlines", ""]),
            "a,\"b,c\",\"say \"\"x\"\"\",two\\nlines,\n"
        );
    }
}
