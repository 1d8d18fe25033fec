//! The scores of all queries as CSV: a line for each configuration, query and metric.

use rankgate::benchmark::model::Report;
use rankgate_report::report::internal::clean::clean;
use rankgate_report::report::internal::lookup::measured;

/// The columns.
const HEAD: [&str; 4] = ["configuration", "query", "metric", "score"];

/// Renders the scores of all queries as CSV, in the order of the JSON form: `configuration`, `query`, `metric`, `score`.
///
/// Queries that no document answers come last of a configuration, with the metrics that are of these. Cells that a spreadsheet would take
/// for a formula begin with an apostrophe.
pub(crate) fn csv(report: &Report) -> String {
    let mut text = line(&HEAD);
    for (configuration, measured) in measured(report) {
        let scored = measured.queries.iter().map(|query| (&query.id, &query.scores));
        let unanswerable = measured.unanswerable.iter().map(|query| (&query.id, &query.scores));
        for (query, scores) in scored.chain(unanswerable) {
            for (metric, score) in scores {
                text += &line(&[&configuration.name, query, metric, &score.to_string()]);
            }
        }
    }
    text
}

/// A line of cells, in quotes where they have to be. A cell is on one line, since tables are looked at in terminals and
/// logs; JSON has texts as they are. What a spreadsheet would take for a formula is made text by the
/// apostrophe that spreadsheets have for that.
pub(crate) fn line<C: AsRef<str>>(cells: &[C]) -> String {
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
