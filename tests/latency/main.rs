//! Limits on answer times as a user of `cargo test` and nextest gates them, on retrievers in Rust that are far apart.

use std::thread;
use std::time::Duration;

use rankgate::retriever::retriever_fn;
use rankgate::{Hit, Query};

fn main() -> std::process::ExitCode {
    let after = |milliseconds| {
        retriever_fn(move |_: &Query, _| {
            thread::sleep(Duration::from_millis(milliseconds));
            Ok(vec![Hit::new("d1", 1.0)])
        })
    };
    rankgate::harness!("tests/latency/benchmarks")
        .retriever("quick", move |_| Ok(after(20)))
        .retriever("slow", move |_| Ok(after(40)))
        .run()
}
