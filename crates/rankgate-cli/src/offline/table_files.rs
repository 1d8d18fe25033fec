//! Scores by query and metric, as a file between programs.

use std::path::Path;

use crate::offline::error::Quoted;
use crate::offline::input::{Line, Source};
use crate::offline::metric::Metric;
use crate::offline::output::replace_file;
use crate::offline::scores::Scores;
use crate::offline::table::{ScoreTable, check_score, column_metrics, named};
use crate::offline::{Error, Result};

/// What the first column is called.
const QUERY: [&str; 4] = ["query", "query_id", "qid", "q_id"];

impl Scores {
    /// Writes the scores of each query: a header, `query` and the metrics, and a line for each query, with commas
    /// between. A path that ends in `.gz` is compressed.
    ///
    /// # Errors
    ///
    /// Scores that do not have those [of each query](Self::per_query); an id with a line break; a file that cannot
    /// be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        let missing = || Error::invalid("there are no scores of single queries to write");
        let per_query = self.per_query.as_ref().ok_or_else(missing)?;
        replace_file(path.as_ref(), |output| {
            let header: Vec<String> = per_query.metrics().iter().map(|metric| cell(metric)).collect();
            output.line(format_args!("{},{}", QUERY[0], header.join(",")))?;
            for (query, scores) in per_query.iter() {
                if query.contains(['\n', '\r']) {
                    return Err(Error::invalid(format!("query {} has a line break", Quoted(query))));
                }
                let scores: Vec<String> = scores.iter().map(f64::to_string).collect();
                output.line(format_args!("{},{}", cell(query), scores.join(",")))?;
            }
            Ok(())
        })
    }
}

impl ScoreTable {
    /// Reads a file that [`Scores::write`] wrote, or that of another tool: a header of `query` (or `query_id`, `qid`,
    /// `q_id`) and the names of metrics, then a line for each query, with commas between, or tabs. Metrics are called
    /// by their canonical names where they have one; scores are read exactly.
    ///
    /// # Errors
    ///
    /// A file that cannot be read; a line with more or fewer columns than the header; a query or a metric that comes
    /// twice; a score that is missing, no finite number, or out of the range of the metric of its name.
    pub fn read<'a>(from: impl Into<Source<'a>>) -> Result<Self> {
        let source = from.into();
        let mut lines = source.lines()?;
        let Some(header) = lines.next_data()? else {
            return Err(Error::in_file(source.path(), "there are no scores"));
        };
        let separator = if header.text.contains('\t') { '\t' } else { ',' };
        let mut table = Self { metrics: metrics(&header, separator)?, ..Self::default() };
        let known = column_metrics(&table.metrics);
        while let Some(line) = lines.next_data()? {
            let (query, scores) = table.row(&line, separator, &known)?;
            if table.rows.insert(query.clone(), scores).is_some() {
                return Err(line.error(format!("query {} again", Quoted(&query))));
            }
        }
        if table.rows.is_empty() {
            return Err(Error::in_file(source.path(), "there are no scores"));
        }
        Ok(table)
    }

    fn row(&self, line: &Line<'_>, separator: char, known: &[Option<Metric>]) -> Result<(String, Vec<f64>)> {
        let mut cells = cells(line, separator)?.into_iter();
        let query = cells.next().filter(|query| !query.is_empty());
        let query = query.ok_or_else(|| line.error("the query is empty"))?;
        if cells.len() != self.metrics.len() {
            let (expected, found) = (self.metrics.len() + 1, cells.len() + 1);
            return Err(line.error(format!("expected {expected} columns as in the header, found {found}")));
        }
        let score = |((text, metric), known): ((String, &String), &Option<Metric>)| {
            let score = text.trim().parse::<f64>().ok().filter(|score| score.is_finite());
            let (text, quoted) = (Quoted(&text), Quoted(&query));
            let score = score.ok_or_else(|| {
                line.error(format!("{metric} of query {quoted} is {text}, which is no finite number"))
            })?;
            check_score(known.as_ref(), &query, score).map_err(|message| line.error(message))
        };
        let scores = cells.zip(&self.metrics).zip(known).map(score).collect::<Result<_>>()?;
        Ok((query, scores))
    }
}

/// The metrics that a header names.
fn metrics(header: &Line<'_>, separator: char) -> Result<Vec<String>> {
    let mut names = cells(header, separator)?.into_iter();
    if names.next().is_none_or(|first| !QUERY.contains(&first.trim())) {
        return Err(header.error("the first line names the columns: `query` and then metrics"));
    }
    let names: Vec<String> = names.collect();
    named(names.iter().map(|name| name.trim())).map_err(|message| header.error(message))
}

/// A line's cells, as RFC 4180 has them.
fn cells(line: &Line<'_>, separator: char) -> Result<Vec<String>> {
    let mut cells = vec![String::new()];
    let (mut quoted, mut rest) = (false, line.text.chars().peekable());
    while let Some(c) = rest.next() {
        let Some(cell) = cells.last_mut() else { break };
        match c {
            '"' if quoted && rest.next_if_eq(&'"').is_some() => cell.push('"'),
            '"' if quoted || cell.is_empty() => quoted = !quoted,
            c if c == separator && !quoted => cells.push(String::new()),
            c => cell.push(c),
        }
    }
    if quoted { Err(line.error("a quotation mark is not closed")) } else { Ok(cells) }
}

fn cell(text: &str) -> String {
    let plain = !text.contains([',', '\t', '"', '#']) && text.trim() == text;
    if plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::Scoring;
    use crate::offline::collection::Qrels;
    use crate::offline::run::{Hit, Run};

    fn read(text: &str) -> Result<ScoreTable> {
        ScoreTable::read(Source::bytes("a.csv", text.as_bytes()))
    }

    #[test]
    fn scores_are_written_and_read_back_to_the_last_bit() {
        let qrels = Qrels::parse("q", b"q1 0 d1 1\nq,\"2 0 d1 2\nq,\"2 0 d2 1\n# 0 d1 1\n").unwrap();
        let hits = || vec![Hit::new("x", 3.0), Hit::new("d2", 2.5), Hit::new("d1", 2.0)];
        let run = Run::from_rankings([("q1", hits()), ("q,\"2", hits())]).unwrap();
        let metrics = ["nDCG@10", "RBP(p=0.8,rel=1)", "AP"].map(|name| name.parse().unwrap());
        let scores = Scoring::new(metrics).per_query(true).run(&qrels, "a", &run).unwrap();
        let dir = tempfile::tempdir().unwrap();
        for name in ["a.csv", "a.csv.gz"] {
            let path = dir.path().join(name);
            scores.write(&path).unwrap();
            let table = ScoreTable::read(&path).unwrap();
            assert!(table.iter().eq(scores.per_query.as_ref().unwrap().iter()));
        }
        let text = std::fs::read_to_string(dir.path().join("a.csv")).unwrap();
        let rows: Vec<&str> = text.lines().collect();
        // One that comes twice has a line to be named.
        let error = read(&[&rows[..], &rows[3..]].concat().join("\n")).unwrap_err().to_string();
        assert!(error.starts_with("a.csv:5: query `q1` again"), "{error}");
    }

    #[test]
    fn the_scores_of_other_tools_are_read() {
        let table = read("qid\tndcg_cut_10\tclicks\nq2\t0.5\t1e3\n\"q1\"\t-0\t2\n").unwrap();
        assert_eq!(table.metrics(), ["nDCG@10", "clicks"]);
        assert!(table.iter().eq([("q1", &[-0.0, 2.0][..]), ("q2", &[0.5, 1000.0][..])]));
    }

    #[test]
    fn what_is_no_table_of_scores_is_an_error_with_file_line_and_text() {
        for (text, message) in [
            ("", "a.csv: there are no scores"),
            ("query,AP\n", "a.csv: there are no scores"),
            (
                "q1 Q0 d 1 2 t\n",
                "a.csv:1: the first line names the columns: `query` and then metrics: `q1 Q0 d 1 2 t`",
            ),
            ("query\n", "a.csv:1: there is no metric beside the queries: `query`"),
            ("query,map,AP\n", "a.csv:1: the metric `AP` again: `query,map,AP`"),
            ("query,AP\nq1,0.5,1\n", "a.csv:2: expected 2 columns as in the header, found 3: `q1,0.5,1`"),
            ("query,AP\nq1,\n", "a.csv:2: AP of query `q1` is ``, which is no finite number: `q1,`"),
            ("query,AP\nq1,nan\n", "a.csv:2: AP of query `q1` is `nan`, which is no finite number: `q1,nan`"),
            ("query,AP\n,1\n", "a.csv:2: the query is empty: `,1`"),
            ("query,AP\n\"q,1\n", "a.csv:2: a quotation mark is not closed: `\"q,1`"),
        ] {
            assert_eq!(read(text).unwrap_err().to_string(), message, "{text}");
        }
    }
}
