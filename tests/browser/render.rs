//! Renders a report for the tests in a browser: of a spec that it runs, or of a report's JSON.
//!
//! ```sh
//! cargo run --example render --features bm25 -- examples/helpdesk.yaml report.html report.json
//! cargo run --example render --features bm25 -- report.json report.html
//! ```

use std::error::Error;
use std::path::Path;

use rankgate::benchmark::model::Report;
use rankgate::benchmark::{Benchmark, Registry};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, page, rest @ ..] = &arguments[..] else {
        return Err("usage: render SPEC.yaml|REPORT.json PAGE.html [REPORT.json]".into());
    };
    let report: Report = if Path::new(input).extension().is_some_and(|ending| ending == "json") {
        serde_json::from_str(&std::fs::read_to_string(input)?)?
    } else {
        Benchmark::open(input, &Registry::new())?.run()
    };
    std::fs::write(page, rankgate::report::html(&report))?;
    if let Some(json) = rest.first() {
        std::fs::write(json, rankgate::report::json(&report))?;
    }
    Ok(())
}
