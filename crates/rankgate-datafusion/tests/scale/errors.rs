//! Rows that cannot be scored.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::util::pretty::pretty_format_batches;

use crate::cluster::Cluster;
use crate::rows::{columns, engine, error_text, evaluate, judgments_batch, rows, run_batch, split, write};

fn error(run: &RecordBatch) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    let (retrieved, judged) = rows(20, 10);
    let (qrels, runs) = split(folder.path(), &run_batch(&retrieved), &judgments_batch(&judged), 2);
    let file = runs.join("part-9.parquet");
    write(&file, run, 2);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let found = runtime.block_on(evaluate(&qrels, &runs, &engine(3, None)));
    (error_text(&found.unwrap_err()), file.display().to_string())
}

fn run(documents: Vec<Option<&str>>, scores: ArrayRef) -> RecordBatch {
    let queries = StringArray::from(vec![Some("x"); documents.len()]);
    columns(
        ["query", "document", "score"],
        [Arc::new(queries), Arc::new(StringArray::from(documents)), scores],
    )
}

#[test]
fn a_null_score_is_an_error_with_its_file_and_row() {
    let scores: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.0), Some(0.5), Some(0.25), None, None]));
    let (said, file) = error(&run(["a", "b", "c", "d", "e"].map(Some).to_vec(), scores));
    assert_eq!(said, format!("{file}: row 4: the score of query \"x\", document \"d\" is null"));
    let scores: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 2.0, f64::NAN]));
    let (said, file) = error(&run(["a", "b", "c"].map(Some).to_vec(), scores));
    assert_eq!(said, format!("{file}: row 3: the score of query \"x\", document \"c\" is not a number"));
    let scores: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 2.0]));
    let (said, file) = error(&run(vec![Some("a"), None], scores));
    assert_eq!(said, format!("{file}: row 2: the document of query \"x\" is null"));
    let scores: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 2.0]));
    let (said, file) = error(&run(vec![Some("a"), Some("")], scores));
    assert_eq!(said, format!("{file}: row 2: the document of query \"x\" is empty"));
    // 2^53 + 1 is the first whole number that no 64-bit float has.
    let scores: ArrayRef = Arc::new(Int64Array::from(vec![1, (1 << 53) + 1]));
    let (said, file) = error(&run(["a", "b"].map(Some).to_vec(), scores));
    assert_eq!(
        said,
        format!(
            "{file}: row 2: the score of query \"x\", document \"b\" is 9007199254740993, which has more digits than a \
             64-bit float holds"
        )
    );
}

#[test]
fn a_duplicate_across_files_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let (retrieved, judged) = rows(20, 10);
    let (qrels, runs) = split(folder.path(), &run_batch(&retrieved), &judgments_batch(&judged), 2);
    // The first row again, in a file of its own and with another score.
    let (query, document, score) = &retrieved[0];
    write(&runs.join("part-7.parquet"), &run_batch(&[(query.clone(), document.clone(), score + 1.0)]), 10);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let found = runtime.block_on(evaluate(&qrels, &runs, &engine(3, None)));
    let runs = runs.display();
    assert_eq!(
        error_text(&found.unwrap_err()),
        format!(
            "{runs}/part-7.parquet: row 1: query {query:?}, document {document:?} again (first in {runs}/part-0.parquet: row 1)"
        )
    );
}

/// Which query an engine comes to first is chance; the first by its id is told, wherever it was scored.
#[test]
fn of_several_queries_that_are_wrong_the_first_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let (retrieved, judged) = rows(40, 10);
    let (qrels, runs) = split(folder.path(), &run_batch(&retrieved), &judgments_batch(&judged), 2);
    let first = |query: &str| retrieved.iter().find(|row| row.0 == query).unwrap().clone();
    // By id as text q10 stands before q2 and q9.
    let twice = ["q9", "q2", "q10"].map(first);
    write(&runs.join("part-8.parquet"), &run_batch(&twice), 10);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let expected = |said: String| {
        let place = format!(
            "{}/part-8.parquet: row 3: query \"q10\", document {:?} again",
            runs.display(),
            twice[2].1
        );
        assert!(said.starts_with(&place), "{said}");
    };
    for partitions in [1, 7] {
        expected(error_text(
            &runtime.block_on(evaluate(&qrels, &runs, &engine(partitions, None))).unwrap_err(),
        ));
    }
    let cluster = Cluster::start(1);
    let found = runtime.block_on(async { evaluate(&qrels, &runs, &cluster.engine(3).await).await });
    expected(error_text(&found.unwrap_err()));
}

/// A row that SQL made, of which no file is known.
#[tokio::test]
async fn rows_of_sql_that_cannot_be_scored_are_named() {
    let context = engine(2, None);
    let said = async |row: &str| {
        let sql = format!(
            "SELECT rank_eval(query, document, score, grade, 'RR') FROM \
             (VALUES ('q', 'a', 1.5, NULL), ('q', 'b', NULL, 2), {row}) AS rows(query, document, score, grade) GROUP BY query"
        );
        match context.sql(&sql).await {
            Ok(rows) => {
                rows.collect().await.map(|_| String::new()).unwrap_or_else(|error| error_text(&error))
            }
            Err(error) => error_text(&error),
        }
    };
    assert_eq!(said("('q', 'c', 1.0, NULL)").await, "");
    let of = " (of query \"q\" document \"c\")";
    assert_eq!(
        said("('q', 'c', NULL, NULL)").await,
        format!(
            "rank_eval: a row has neither a score nor a grade: the run's score or the judgment's grade is null{of}"
        )
    );
    assert_eq!(
        said("('q', 'c', 1.0, 1)").await,
        format!("rank_eval: a row has a score and a grade, and is of the run or of the judgments{of}")
    );
    assert_eq!(said("('q', NULL, 1.0, NULL)").await, "rank_eval: a row has no document (of query \"q\")");
    assert_eq!(
        said("('q', 'c', CAST('NaN' AS DOUBLE), NULL)").await,
        format!("rank_eval: the score is not a number{of}")
    );
    assert_eq!(
        said("('q', 'c', NULL, 3000000000)").await,
        format!("rank_eval: grade 3000000000 has more than 32 bits{of}")
    );
    assert_eq!(said("('q', 'a', 9.0, NULL)").await, "rank_eval: query `q`: document `a` comes twice");
}

/// Where it is asked for, a query that cannot be scored says so in its own row.
#[tokio::test]
async fn errors_are_told_as_data_where_that_is_asked_for() {
    let sql = "SELECT query, result['error'] AS error, result['judged'] AS judged, result['scores'] AS scores FROM (
        SELECT query, rank_eval(query, document, score, grade, 'RR', 'tell_errors') AS result FROM
        (VALUES ('p', 'a', 1.5, NULL), ('p', 'a', NULL, 2), ('q', 'a', NULL, 1), ('q', 'a', NULL, 2))
        AS rows(query, document, score, grade) GROUP BY query
    ) ORDER BY query";
    let batches = engine(2, None).sql(sql).await.unwrap().collect().await.unwrap();
    let shown = pretty_format_batches(&batches).unwrap().to_string();
    let cells: Vec<Vec<&str>> = shown
        .lines()
        .filter(|line| line.starts_with("| "))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert_eq!(
        cells,
        [
            ["query", "error", "judged", "scores"],
            ["p", "", "1", "[1.0]"],
            ["q", "query `q`: document `a` is judged twice", "0", "[]"],
        ]
    );
}

#[tokio::test]
async fn what_is_no_use_of_rank_eval_is_an_error() {
    let context = engine(2, None);
    let said = async |select: &str| {
        let sql = format!(
            "SELECT {select} FROM (VALUES ('q', 'a', 1.5, NULL), ('r', 'b', NULL, 2)) AS r(q, d, s, g)"
        );
        match context.sql(&sql).await {
            Ok(rows) => error_text(&rows.collect().await.map(|_| ()).unwrap_err()),
            Err(error) => error_text(&error),
        }
    };
    assert!(said("rank_eval(q, d, s, g)").await.contains("are in one group: GROUP BY the query"));
    assert!(said("rank_eval(q, d, s)").await.contains("rank_eval takes (query, document, score, grade)"));
    assert!(said("rank_eval(s, d, s, g)").await.contains("the query is text or a whole number, not"));
    assert!(said("rank_eval(q, d, s, s)").await.contains("the grade is a whole number, not"));
    assert!(said("rank_eval(q, d, s, g, 'nDGC@10')").await.contains("nDGC@10"));
    assert!(
        said("rank_eval(q, d, s, g, 'ERR@10')")
            .await
            .contains("depends on the highest grade of all judgments")
    );
    assert!(said("rank_eval(q, d, s, g, q)").await.contains("the metrics and the options are constants"));
    assert!(said("rank_eval(DISTINCT q, d, s, g)").await.contains("neither DISTINCT nor ORDER BY"));
    assert!(said("exact_mean(q)").await.contains("exact_mean takes one number"));
}
