//! Reading run files: the list of formats.

use crate::Result;
use crate::input::Source;
use crate::run::golden_digest::refuse_without_title;
use crate::run::golden_form::check_repeat;
use crate::run::reader::{Contents, Judge};
use crate::run::{Hit, Ranking, Run, RunReader, golden, json, table, trec};

impl RunReader {
    /// Reads a file, or what else has a run.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or is no run.
    pub fn read<'a>(&self, from: impl Into<Source<'a>>) -> Result<Run> {
        self.read_source(&from.into())
    }

    /// Reads bytes that are in memory; errors call them by `name`.
    ///
    /// # Errors
    ///
    /// Bytes that are no run.
    pub fn parse(&self, name: &str, bytes: &[u8]) -> Result<Run> {
        self.read(Source::bytes(name, bytes))
    }

    fn contents<T: Send>(&self, source: &Source<'_>, judge: &Judge<'_, T>) -> Result<Contents<T>> {
        let judge = |query: &str, ranking: &Ranking<'_>| {
            self.in_parents(query, ranking, |ranking| judge(query, ranking))
        };
        if let Some(rows) = source.run_rows() {
            return table::read(self, source.path(), rows, &judge);
        }
        let mut input = source.open()?;
        // The last takes what is left.
        let contents = if json::is(&mut input)? {
            json::read(self, input, &judge)
        } else if golden::is(&mut input)? {
            golden::read(self, source, input, &judge)
        } else {
            trec::read(self, source, input, &judge)
        }?;
        refuse_without_title(source.path(), &contents.comments)?;
        match self.repeat {
            Some(repeat) => check_repeat(repeat, source.path(), &contents.comments).map(|()| contents),
            None => Ok(contents),
        }
    }
}

#[doc(hidden)]
impl RunReader {
    pub fn read_source(&self, source: &Source<'_>) -> Result<Run> {
        let depth = self.depth.unwrap_or(usize::MAX);
        let own = |_: &str, ranking: &Ranking<'_>| {
            Ok((ranking.hits().take(depth).map(Hit::from).collect(), ranking.rising()))
        };
        Ok(Run::from_contents(self.contents(source, &own)?))
    }

    /// Reads a file without keeping it: hands each query's ranking to `judge` and returns what it made of them, ordered by
    /// query id (bytes), and whether scores were floats of less than 64 bits. A plain file is read on all cores.
    ///
    /// `judge` may be called in any order of queries, from several threads, and more than once for a query: where its lines do
    /// not stand together in the file or something is wrong with the file, what an earlier call returned is dropped.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or is no run, or what `judge` returns.
    pub fn map_noted<T: Send>(
        &self,
        source: &Source<'_>,
        judge: impl Fn(&str, &Ranking<'_>) -> Result<T> + Sync,
    ) -> Result<(Vec<(String, T)>, bool)> {
        let contents = self.contents(source, &judge)?;
        Ok((contents.rankings.into_iter().collect(), contents.single))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{GoldenForm, Order, with_digest};

    fn ids(reader: RunReader, text: &str) -> Vec<(String, Vec<String>)> {
        let run = reader.parse("a.run", text.as_bytes()).unwrap();
        let ids = |hits: &[Hit]| hits.iter().map(|hit| hit.id.clone()).collect();
        run.iter().map(|(query, hits)| (query.to_owned(), ids(hits))).collect()
    }

    fn error(reader: RunReader, text: &str) -> String {
        reader.parse("a.run", text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn the_lines_of_a_query_need_not_stand_together() {
        let together = "q1 Q0 a 1 2 t\nq1 Q0 b 2 1 t\nq2 Q0 c 1 9 t\n";
        let scattered = "q1 Q0 b 2 1 t\nq2 Q0 c 1 9 t\nq1 Q0 a 1 2 t\n";
        for order in [Order::Score, Order::Rank] {
            let reader = RunReader::new().order(order);
            assert_eq!(ids(reader.clone(), scattered), ids(reader, together));
        }
    }

    #[test]
    fn a_document_is_found_twice_in_scattered_lines_too() {
        let text = "q1 Q0 a 1 2 t\nq2 Q0 c 1 9 t\nq1 Q0 a 2 1 t\n";
        let message = "a.run:3: document of query `q1` again (first in line 1): `a`";
        assert_eq!(error(RunReader::new(), text), message);
    }

    #[test]
    fn malformed_lines_are_errors_with_file_line_and_text() {
        let cases = [
            (
                "q1 Q0 d1 1 0.5",
                "a.run:1: expected 6 columns, found 5; a run is `query Q0 document rank score tag`, and the tag \
                 may be any word: `q1 Q0 d1 1 0.5`",
            ),
            (
                "\nq1 Q0 d1 1 0.5 my tag",
                "a.run:2: expected 6 columns, found 7; neither ids nor the tag may hold spaces, unless tabs separate all columns: \
                 `q1 Q0 d1 1 0.5 my tag`",
            ),
            (
                "q1 0 d1 2",
                "a.run:1: expected 6 columns, found 4; so few columns are judgments: did you swap judgments and run?: `q1 0 d1 2`",
            ),
            ("q1 Q0 d1 1 high t", "a.run:1: score `high` is not a number: `q1 Q0 d1 1 high t`"),
            (
                "q1 Q0 d1 1 nan t",
                "a.run:1: the score of document `d1` for query `q1` is NaN: `q1 Q0 d1 1 nan t`",
            ),
        ];
        for (text, message) in cases {
            assert_eq!(error(RunReader::new(), text), message);
        }
        assert_eq!(
            error(RunReader::new().order(Order::Rank), "q1 Q0 d1 1.5 0.5 t"),
            "a.run:1: rank `1.5` is not a whole number: `q1 Q0 d1 1.5 0.5 t`"
        );
    }

    #[test]
    fn a_golden_run_is_read_by_rank_and_never_by_score() {
        let rows = "q%201 Q0 a 2 9 t\nq%201 Q0 b 1 1 t\n";
        let golden = with_digest(GoldenForm::new(false, false), &[], rows.as_bytes()).unwrap();
        let golden = String::from_utf8(golden).unwrap();
        let by_rank = [("q 1".to_owned(), vec!["b".to_owned(), "a".to_owned()])];
        assert_eq!(ids(RunReader::new(), &golden), by_rank);
        assert_eq!(ids(RunReader::new().order(Order::Rank), &golden), by_rank);
        assert_eq!(ids(RunReader::new(), rows), [("q%201".to_owned(), vec!["a".to_owned(), "b".to_owned()])]);
        let error = error(RunReader::new().order(Order::Score), &golden);
        assert!(error.starts_with("a.run: a golden run has the order of its ranks"), "{error}");
    }

    #[test]
    fn a_golden_run_of_an_unknown_version_is_not_read_by_its_scores() {
        let message = "a.run: a golden run of version `10`, and this reads 6, 7, 8, 9";
        assert_eq!(error(RunReader::new(), "# rankgate golden run, version 10\nq Q0 a 1 1 t\n"), message);
    }

    #[test]
    fn percent_encoding_is_read_where_it_is_asked_for() {
        let text = "q%201 Q0 50%25 1 1 t\n";
        assert_eq!(ids(RunReader::new(), text), [("q%201".into(), vec!["50%25".into()])]);
        let encoded = RunReader::new().percent_encoded_ids(true);
        assert_eq!(ids(encoded.clone(), text), [("q 1".into(), vec!["50%".into()])]);
        assert_eq!(
            error(encoded, "q%2 Q0 d 1 1 t"),
            "a.run:1: `q%2` is not a percent-encoded id: `q%2 Q0 d 1 1 t`"
        );
    }

    #[test]
    fn rankings_are_cut_in_the_order_of_ranks() {
        let text = "q1 Q0 a 3 1 t\nq1 Q0 b 1 2 t\nq2 Q0 c 1 9 t\nq1 Q0 d 2 3 t\n";
        for (order, first) in [(Order::Score, ["d", "b"]), (Order::Rank, ["b", "d"])] {
            let reader = RunReader::new().order(order);
            let expected =
                [("q1".into(), first.map(str::to_owned).to_vec()), ("q2".into(), vec!["c".into()])];
            assert_eq!(ids(reader.clone().depth(2), text), expected);
            assert_eq!(
                error(reader.depth(1), &format!("{text}q1 Q0 a 4 0 t\n")),
                error(RunReader::new(), &format!("{text}q1 Q0 a 4 0 t\n"))
            );
        }
    }

    #[test]
    fn rankings_are_handed_over_one_query_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.run");
        std::fs::write(&path, "q2 Q0 a 1 1 t\nq1 Q0 b 2 1 t\nq1 Q0 c 1 9 t\n").unwrap();
        let best = RunReader::new().map_noted(&path.into(), |query, ranking| {
            Ok(format!("{query}:{}", ranking.hits().next().unwrap().id))
        });
        let (best, _) = best.unwrap();
        assert_eq!(best, [("q1".into(), "q1:c".into()), ("q2".into(), "q2:a".to_owned())]);
    }

    #[test]
    fn json_is_told_from_trec_by_name_or_contents() {
        let cases = [
            ("a.json", "{}", true),
            ("a.JSON.gz", "q1 Q0 d 1 1 t", true),
            ("a", "\u{feff} {\n\"q1\": {}}", true),
            ("a", "{ }\n", true),
            ("a.run", "{q1} Q0 d 1 1 t", false),
            ("a.run", "{} Q0 d 1 1 t", false),
            ("a.gz", "", false),
            ("a.json.gz", "q1 Q0 d 1 1 t", true),
        ];
        for (name, text, expected) in cases {
            let mut input = Source::bytes(name, text.as_bytes()).open().unwrap();
            assert_eq!(crate::run::json::is(&mut input).unwrap(), expected, "{name}: {text}");
        }
    }
}
