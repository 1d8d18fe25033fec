//! The scores of all queries as CSV: a line for each configuration, query and metric.

use crate::model::Report;

use super::clean::clean;
use super::lookup::all_measured;

/// The columns.
const HEAD: [&str; 5] = ["configuration", "query", "metric", "score", "ceiling"];

/// Renders the scores of all queries as CSV, in the order of the JSON form: `configuration`, `query`, `metric`, `score`, `ceiling`.
///
/// `ceiling` is there for stages of a pipeline: what no order of the documents of that step exceeds. It is empty elsewhere. Queries
/// that no document answers come last of a configuration, with the metrics that are of these. Cells that a spreadsheet would take
/// for a formula begin with an apostrophe.
#[must_use]
pub fn csv(report: &Report) -> String {
    let mut text = line(&HEAD);
    for (configuration, measured) in all_measured(report) {
        for query in &measured.queries {
            for (metric, score) in &query.scores {
                let ceiling = query.ceilings.get(metric).map_or_else(String::new, f64::to_string);
                text += &line(&[&configuration.name, &query.id, metric, &score.to_string(), &ceiling]);
            }
        }
        for query in &measured.unanswerable {
            for (metric, score) in &query.scores {
                text += &line(&[&configuration.name, &query.id, metric, &score.to_string(), ""]);
            }
        }
    }
    text
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
