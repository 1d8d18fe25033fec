//! What rig-retrieval-evals makes of a query for which nothing was retrieved, by its own harness and a scripted model.
//!
//! `cargo run --manifest-path tests/peers/rig/Cargo.toml --target-dir target/rig`; no model is asked and no network used.

use rig::test_utils::{MockCompletionModel, MockTurn};
use rig_retrieval_evals::ragas::{
    ContextPrecisionMetric, ContextRecallMetric, DynRagasMetric, RagasHarness, RagasInputs,
};
use serde_json::json;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let asked = |id: &str, contexts: &[&str]| {
        let contexts = contexts.iter().map(|&one| one.to_owned()).collect();
        let mut inputs = RagasInputs::new(id, "What is the fee?", "It is 5 EUR.", contexts);
        inputs.reference_answer = Some("5 EUR.".to_owned());
        inputs
    };
    let samples = [asked("found", &["The fee is 5 EUR."]), asked("nothing", &[])];
    let says = |turns: Vec<serde_json::Value>| {
        let turn = |said| MockTurn::tool_call("1", "submit", said);
        MockCompletionModel::new(turns.into_iter().map(turn))
    };
    let precision = says(vec![json!({"relevant": true, "rationale": ""})]);
    let recall =
        says(vec![json!({"claims": [{"statement": "5 EUR."}]}), json!({"attributed": true, "reason": ""})]);
    let metrics: [Box<dyn DynRagasMetric>; 2] = [
        Box::new(ContextPrecisionMetric::new(precision, 5, "scripted").expect("k is 5")),
        Box::new(ContextRecallMetric::new(recall, "scripted")),
    ];
    let report = RagasHarness::new().run(&samples, &metrics).await.expect("the script answers");
    for metric in &report.metrics {
        let (name, mean, scored) = (&metric.metric, metric.mean, metric.n);
        println!("{name}: mean {mean} of {scored} queries, where rankgate has 0.5 of {}", samples.len());
        assert_eq!((metric.mean, metric.n), (1.0, 1), "another number than is written here");
    }
}
