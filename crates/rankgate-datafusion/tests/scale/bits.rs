//! The same bits everywhere.

use std::path::Path;

use datafusion::arrow::array::{AsArray, BooleanArray, Int64Array, RecordBatch};
use datafusion::arrow::datatypes::{Float64Type, Int32Type};
use std::sync::Arc;

use datafusion::prelude::{SessionConfig, SessionContext};
use rankgate_core::run::{Order, Run};
use rankgate_datafusion::Seal;
use rankgate_datafusion::register;

use crate::cluster::Cluster;
use crate::rows::{
    Dice, Judged, Retrieved, assert_same_bits, by_text, columns, engine, error_text, evaluate, evaluating,
    in_other_types, judgments_batch, rows, run_batch, short, split, texts, write,
};

fn run_on<T>(threads: usize, work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .thread_stack_size(16 << 20)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(work)
}

#[test]
fn bits_agree_over_partitions_engines_and_threads() {
    let folder = tempfile::tempdir().unwrap();
    let (mut retrieved, mut judged) = rows(200, 40);
    let expected = by_text(folder.path(), &retrieved, &judged);
    assert!(expected.unanswered > 0 && expected.unjudged_queries > 0 && expected.tied_scores > 0);
    let layout = |name: &str, files, retrieved: &[Retrieved], judged: &[Judged]| {
        split(&folder.path().join(name), &run_batch(retrieved), &judgments_batch(judged), files)
    };
    let whole = layout("whole", 1, &retrieved, &judged);
    Dice(11).shuffle(&mut retrieved);
    Dice(13).shuffle(&mut judged);
    let scattered = layout("scattered", 5, &retrieved, &judged);
    for threads in [1, 3] {
        for partitions in [1, 7, 64] {
            for (qrels, run) in [&whole, &scattered] {
                let what = format!("{threads} threads, {partitions} partitions, {}", run.display());
                let found = run_on(threads, evaluate(qrels, run, &engine(partitions, None)));
                assert_same_bits(&expected, &found.unwrap().scores, &what);
            }
        }
    }
    let cluster = Cluster::start(3);
    for partitions in [1, 7] {
        let (qrels, run) = &scattered;
        let found = run_on(2, async { evaluate(qrels, run, &cluster.engine(partitions).await).await });
        assert_same_bits(&expected, &found.unwrap().scores, &format!("Ballista, {partitions} partitions"));
    }
    // The same mean by SQL, here and there.
    let mean = expected.mean.get("nDCG@10").unwrap().to_bits();
    let (qrels, run) = &scattered;
    assert_eq!(run_on(2, async { mean_by_sql(&engine(7, None), qrels, run).await }), mean);
    assert_eq!(run_on(2, async { mean_by_sql(&cluster.engine(7).await, qrels, run).await }), mean);
}

async fn mean_by_sql(engine: &SessionContext, qrels: &Path, run: &Path) -> u64 {
    let tables = evaluating(qrels.to_str().unwrap(), run.to_str().unwrap()).await.unwrap();
    engine.register_table("run", tables.run.provider().unwrap()).unwrap();
    engine.register_table("judgments", tables.judgments.provider().unwrap()).unwrap();
    let sql = "SELECT exact_mean(result['scores'][1]) FROM (
        SELECT query, rank_eval(query, document, score, grade, 'nDCG@10') AS result FROM (
            SELECT query, document, score, NULL AS grade FROM run
            UNION ALL
            SELECT query, document, NULL, grade FROM judgments
        ) GROUP BY query
    ) WHERE result['judged'] > 0";
    let batches = engine.sql(sql).await.unwrap().collect().await.unwrap();
    batches[0].column(0).as_primitive::<Float64Type>().value(0).to_bits()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_split_over_files_is_one_query() {
    let folder = tempfile::tempdir().unwrap();
    let retrieved: Vec<Retrieved> =
        (0..12).map(|document| ("q".to_owned(), format!("d{document}"), f64::from(document))).collect();
    let judged: Vec<Judged> =
        (0..12).map(|document| ("q".to_owned(), format!("d{document}"), document % 3)).collect();
    let expected = by_text(folder.path(), &retrieved, &judged);
    // A row in each file.
    let (qrels, run) = split(folder.path(), &run_batch(&retrieved), &judgments_batch(&judged), 12);
    let found = evaluate(&qrels, &run, &engine(4, None)).await.unwrap().scores;
    assert_eq!(found.queries, 1);
    assert_same_bits(&expected, &found, "twelve files");
}

/// As numbers 9 stands before 10; as text, highest first, 9 stands before 10 as well but 10 before 1: ties go by text,
/// as in a run file of the same ids.
#[tokio::test(flavor = "multi_thread")]
async fn integer_ids_tie_as_text() {
    let folder = tempfile::tempdir().unwrap();
    let ids = [1_i64, 2, 9, 10, 100, -5, 30];
    let judged: Vec<Judged> =
        ids.iter().map(|id| ("7".to_owned(), id.to_string(), i32::from(*id == 9 || *id == 100))).collect();
    let retrieved: Vec<Retrieved> = ids.iter().map(|id| ("7".to_owned(), id.to_string(), 0.5)).collect();
    let expected = by_text(folder.path(), &retrieved, &judged);
    // By hand: as text, highest first, 9 30 2 100 10 1 -5; 9 is found first and 100 fourth.
    assert_eq!(expected.mean.get("AP"), Some(&0.75));
    let as_integers = |batch: RecordBatch| {
        let schema = batch.schema();
        let names = [0, 1, 2].map(|column| schema.field(column).name().as_str());
        let whole = |column: usize| {
            let texts = batch.column(column).as_string::<i32>();
            Arc::new(texts.iter().map(|text| text.map(|text| text.parse().unwrap())).collect::<Int64Array>())
        };
        columns(names, [whole(0), whole(1), Arc::clone(batch.column(2))])
    };
    let (qrels, run) = (folder.path().join("qrels.parquet"), folder.path().join("run.parquet"));
    write(&qrels, &judgments_batch(&judged), 1000);
    // Text on one side, numbers on the other.
    write(&run, &as_integers(run_batch(&retrieved)), 1000);
    assert_same_bits(
        &expected,
        &evaluate(&qrels, &run, &engine(2, None)).await.unwrap().scores,
        "integers and text",
    );
    write(&qrels, &as_integers(judgments_batch(&judged)), 1000);
    assert_same_bits(&expected, &evaluate(&qrels, &run, &engine(2, None)).await.unwrap().scores, "integers");
    let batch = judgments_batch(&judged);
    let relevant: BooleanArray =
        batch.column(2).as_primitive::<Int32Type>().iter().map(|grade| Some(grade? > 0)).collect();
    let names = ["query", "document", "grade"];
    let batch =
        columns(names, [Arc::clone(batch.column(0)), Arc::clone(batch.column(1)), Arc::new(relevant)]);
    write(&qrels, &batch, 1000);
    let found = evaluate(&qrels, &run, &engine(2, None)).await.unwrap().scores;
    assert_same_bits(&expected, &found, "booleans");
    write(&qrels, &in_other_types(&judgments_batch(&judged)), 1000);
    assert_same_bits(
        &expected,
        &evaluate(&qrels, &run, &engine(2, None)).await.unwrap().scores,
        "dictionaries",
    );
}

/// 0.1 and the next 64-bit float are one 32-bit float: they tie then, and are what was written.
#[tokio::test(flavor = "multi_thread")]
async fn short_floats_tie_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let row = |document: &str, score: f64| ("q".to_owned(), document.to_owned(), score);
    let close = [row("a", 0.1_f64.next_up()), row("b", 0.1)];
    let widened: Vec<Retrieved> =
        close.iter().map(|(q, d, score)| (q.clone(), d.clone(), f64::from(*score as f32))).collect();
    let judged = vec![("q".to_owned(), "a".to_owned(), 1), ("q".to_owned(), "b".to_owned(), 0)];
    let expected = by_text(folder.path(), &widened, &judged);
    assert_eq!((expected.mean.get("RR@10"), expected.tied_scores), (Some(&0.5), 2));
    assert_eq!(by_text(folder.path(), &close, &judged).mean.get("RR@10"), Some(&1.0));
    let (qrels, _) = split(folder.path(), &run_batch(&close), &judgments_batch(&judged), 1);
    let run = folder.path().join("short.parquet");
    write(&run, &short(&close), 1000);
    assert_same_bits(&expected, &evaluate(&qrels, &run, &engine(2, None)).await.unwrap().scores, "f32");
}

/// The same files are read by `rankgate-tables` in its tests: both are what the text of the digits is.
#[tokio::test(flavor = "multi_thread")]
async fn decimals_are_the_nearest_floats_as_text_is() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data");
    let text = Run::read(data.join("decimals.run"), Order::Score).unwrap();
    let mut retrieved: Vec<Retrieved> = text
        .iter()
        .flat_map(|(query, hits)| hits.iter().map(move |hit| (query.to_owned(), hit.id.clone(), hit.score)))
        .collect();
    let judged: Vec<Judged> = retrieved
        .iter()
        .step_by(2)
        .map(|(query, document, _)| (query.clone(), document.clone(), 1))
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let (qrels, run) = split(folder.path(), &run_batch(&[]), &judgments_batch(&judged), 1);
    let by_engine = async |retrieved: &[Retrieved], what: &str| {
        let mut seal = Seal::default();
        retrieved.iter().for_each(|(query, document, score)| seal.retrieved(query, document, *score));
        let found = evaluate(&qrels, &run, &engine(3, None)).await.unwrap();
        assert_eq!(found.run, seal, "{what}");
        assert_same_bits(&by_text(folder.path(), retrieved, &judged), &found.scores, what);
    };
    std::fs::copy(data.join("decimals.parquet"), run.join("part-0.parquet")).unwrap();
    by_engine(&retrieved, "decimals alone").await;
    // Beside a file of 32-bit floats, of which the decimal text would be another number.
    let more = [("q5".to_owned(), "d1".to_owned(), f64::from(0.1_f32))];
    write(&run.join("part-1.parquet"), &short(&more), 10);
    retrieved.extend(more);
    by_engine(&retrieved, "decimals and floats").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn decimals_of_sql_tie_as_the_nearest_floats() {
    // By hand: 0.001257356417375106 is the float nearest to both, so that b stands before a, the relevant one. Divided by
    // 10^20 the digits of a would give the float above it.
    let sql = "SELECT rank_eval(query, document, score, grade, 'RR')['scores'][1] FROM (
        SELECT 'q' AS query, 'a' AS document, CAST('0.00125735641737510620' AS DECIMAL(20, 20)) AS score, NULL AS grade
        UNION ALL SELECT 'q', 'b', CAST('0.00125735641737510600' AS DECIMAL(20, 20)), NULL
        UNION ALL SELECT 'q', 'a', NULL, 1
    ) GROUP BY query";
    let batches = engine(2, None).sql(sql).await.unwrap().collect().await.unwrap();
    assert_eq!(batches[0].column(0).as_primitive::<Float64Type>().value(0), 0.5);
}

/// Who only registers the functions has DataFusion aggregate twice, and merge states: or, where it finds that aggregating
/// first is of no use, make a state of each row.
#[tokio::test(flavor = "multi_thread")]
async fn bits_agree_when_states_are_merged() {
    let folder = tempfile::tempdir().unwrap();
    let (mut retrieved, mut judged) = rows(100, 30);
    let expected = by_text(folder.path(), &retrieved, &judged);
    Dice(23).shuffle(&mut retrieved);
    Dice(29).shuffle(&mut judged);
    let (qrels, run) = split(folder.path(), &run_batch(&retrieved), &judgments_batch(&judged), 4);
    for (partitions, ratio) in [(1, 0.8), (7, 0.8), (7, 0.0)] {
        let mut config = SessionConfig::new().with_target_partitions(partitions).with_batch_size(100);
        let execution = &mut config.options_mut().execution;
        execution.skip_partial_aggregation_probe_rows_threshold = 1;
        execution.skip_partial_aggregation_probe_ratio_threshold = ratio;
        let context = SessionContext::new_with_config(config);
        register(&context);
        let found = evaluate(&qrels, &run, &context).await.unwrap().scores;
        assert_same_bits(&expected, &found, &format!("{partitions} partitions, ratio {ratio}"));
    }
}

/// Ranks say the order where there are no scores.
#[tokio::test(flavor = "multi_thread")]
async fn ranks_are_an_order_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let judged = vec![("q".to_owned(), "a".to_owned(), 1), ("q".to_owned(), "b".to_owned(), 0)];
    let (qrels, _) = split(folder.path(), &run_batch(&[]), &judgments_batch(&judged), 1);
    let run = folder.path().join("ranks.parquet");
    let ranks = |ranks: Vec<i64>| {
        let documents = texts(["z", "b", "a"].into_iter());
        let batch = columns(
            ["query", "document", "rank"],
            [texts(["q"; 3].into_iter()), documents, Arc::new(Int64Array::from(ranks))],
        );
        write(&run, &batch, 1000);
    };
    // By hand: a is at rank 2.
    ranks(vec![3, 1, 2]);
    let found = evaluate(&qrels, &run, &engine(2, None)).await.unwrap().scores;
    assert_eq!((found.mean.get("RR@10"), found.tied_scores), (Some(&0.5), 0));
    ranks(vec![3, 1, 1]);
    let said = error_text(&evaluate(&qrels, &run, &engine(2, None)).await.unwrap_err());
    assert!(said.contains("have rank 1"), "{said}");
}

/// Rows that do not fit into the memory that they get go to disk, and nothing else changes.
#[tokio::test(flavor = "multi_thread")]
async fn bits_agree_when_rows_spill() {
    let folder = tempfile::tempdir().unwrap();
    let (mut retrieved, mut judged) = rows(3000, 60);
    let expected = by_text(folder.path(), &retrieved, &judged);
    Dice(3).shuffle(&mut retrieved);
    Dice(5).shuffle(&mut judged);
    let (qrels, run) = split(folder.path(), &run_batch(&retrieved), &judgments_batch(&judged), 3);
    let engine = engine(2, Some(6 << 20));
    assert_same_bits(&expected, &evaluate(&qrels, &run, &engine).await.unwrap().scores, "spilled");
    assert!(spilled(&engine, &qrels, &run).await > 0, "nothing was spilled");
}

/// How often the aggregation of these tables goes to disk.
async fn spilled(engine: &SessionContext, qrels: &Path, run: &Path) -> usize {
    use datafusion::physical_plan::{ExecutionPlan, collect};
    let tables = evaluating(qrels.to_str().unwrap(), run.to_str().unwrap()).await.unwrap();
    engine.register_table("plain_run", tables.run.provider().unwrap()).unwrap();
    engine.register_table("plain_qrels", tables.judgments.provider().unwrap()).unwrap();
    let sql = "SELECT query, rank_eval(query, document, score, grade) FROM (SELECT query, document, score, NULL AS grade \
               FROM plain_run UNION ALL SELECT query, document, NULL, grade FROM plain_qrels) GROUP BY query";
    let plan = engine.sql(sql).await.unwrap().create_physical_plan().await.unwrap();
    collect(Arc::clone(&plan), engine.task_ctx()).await.unwrap();
    fn count(plan: &dyn ExecutionPlan) -> usize {
        let own = plan.metrics().and_then(|metrics| metrics.spill_count()).unwrap_or_default();
        own + plan.children().into_iter().map(|child| count(child.as_ref())).sum::<usize>()
    }
    count(plan.as_ref())
}

/// A sum of floats depends on how they are split; the exact one does not.
#[tokio::test(flavor = "multi_thread")]
async fn an_exact_mean_is_the_same_in_any_order() {
    let folder = tempfile::tempdir().unwrap();
    let mut dice = Dice(1);
    let mut retrieved: Vec<Retrieved> = (0..5000)
        .map(|row| {
            let large = [1e-12, 1.0, 1e12][dice.roll(3) as usize] * (dice.roll(1 << 50) as f64 - 5e14);
            (format!("q{}", row % 3), format!("d{row}"), large)
        })
        .collect();
    let values: Vec<f64> = retrieved.iter().map(|row| row.2).collect();
    let expected = rankgate_core::stats::mean(&values).unwrap();
    let mut found = Vec::new();
    for (partitions, files) in [(1, 1), (7, 5), (64, 9)] {
        dice.shuffle(&mut retrieved);
        let folder = folder.path().join(partitions.to_string());
        let judged = [("q0".to_owned(), "d0".to_owned(), 1)];
        let (qrels, run) = split(&folder, &run_batch(&retrieved), &judgments_batch(&judged), files);
        let tables = evaluating(qrels.to_str().unwrap(), run.to_str().unwrap()).await.unwrap();
        let context = engine(partitions, None);
        context.register_table("run", tables.run.provider().unwrap()).unwrap();
        for sql in [
            "SELECT exact_mean(score) FROM run",
            "SELECT exact_mean(s) FROM (SELECT exact_mean(score) AS s, query, document FROM run GROUP BY query, document)",
        ] {
            let batches = context.sql(sql).await.unwrap().collect().await.unwrap();
            found.push(batches[0].column(0).as_primitive::<Float64Type>().value(0).to_bits());
        }
    }
    assert_eq!(found, [expected.to_bits(); 6]);
}
