//! Measures three configurations of the built-in BM25 on the shipped collection and prints the report:
//!
//! ```sh
//! cargo run --example builtin --features bm25
//! ```
//!
//! Another spec may be named behind `--`.

use rankgate::benchmark::{Benchmark, Registry};

fn main() -> Result<(), rankgate::Error> {
    let spec = std::env::args().nth(1).unwrap_or_else(|| "examples/helpdesk.yaml".to_owned());
    let report = Benchmark::open(spec, &Registry::new())?.run();
    #[expect(clippy::print_stdout, reason = "printing the report is what this program is for")]
    {
        print!("{}", rankgate::report::text(&report));
    }
    Ok(())
}
