//! Renders a report for the tests in a browser: of a spec that it runs, or of a report's JSON.
//!
//! ```sh
//! cargo run --example render -- examples/helpdesk.yaml folder
//! cargo run --example render -- report.json folder
//! ```
//!
//! It writes `report.html` and `report.json` into the folder.

use std::error::Error;
use std::path::Path;

use rankgate::benchmark::model::Report;
use rankgate::report;
use rankgate::standalone::Standalone;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, folder] = &arguments[..] else {
        return Err("usage: render SPEC.yaml|REPORT.json FOLDER".into());
    };
    let folder = Path::new(folder);
    let model: Report = if Path::new(input).extension().is_some_and(|ending| ending == "json") {
        serde_json::from_str(&std::fs::read_to_string(input)?)?
    } else {
        Standalone::new().output(folder).open(input)?.run()
    };
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("report.html"), report::html(&model))?;
    std::fs::write(folder.join("report.json"), report::json(&model))?;
    Ok(())
}
