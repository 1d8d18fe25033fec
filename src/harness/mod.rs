//! Benchmarks as tests: a runner that works under `cargo test` and `cargo nextest run`.
//!
//! A test target without libtest's harness loads every spec of a folder, and each gate becomes one
//! test:
//!
//! ```toml
//! # Cargo.toml
//! [[test]]
//! name = "retrieval"
//! harness = false
//! ```
//!
//! ```no_run
//! // tests/retrieval.rs
//! # struct Mine;
//! # impl Mine { fn build(_: &rankgate::Corpus, _: ()) -> Result<Self, std::io::Error> { Ok(Mine) } }
//! # impl rankgate::Retriever for Mine {
//! #     fn retrieve(&self, _: &rankgate::Query, _: usize) -> Result<Vec<rankgate::Hit>, rankgate::BoxError> { Ok(vec![]) }
//! # }
//! fn main() -> std::process::ExitCode {
//!     rankgate::harness!("benchmarks")
//!         .retriever("mine", |setup| Ok(Mine::build(setup.corpus()?, setup.params()?)?))
//!         .run()
//! }
//! ```
//!
//! # GitHub Actions
//!
//! In a workflow, the report is appended to the step's summary; `docs/ci.md` shows workflows.
//!
//! # Known limitations
//!
//! - Output of retrievers is not captured: what they print appears between the test results, in
//!   `--format json` too. Lists of tests stay what they are, since nothing is asked for them; where a program
//!   reads the results, a retriever that prints half a line to standard output spoils one of them.
//! - A retriever or a metric that calls [`std::process::exit`] ends the whole test run with that status. Gates that are
//!   not decided by then are not reported.
//! - A retriever that aborts or overflows its stack ends the whole test run with a signal. Under `cargo
//!   nextest run` its gates fail, and those of other configurations are decided.
//! - `cargo nextest run --retries` asks a configuration again that could not be measured. One that answered is
//!   not asked again, so that no retry turns a verdict.
//! - Of libtest's arguments those of libtest-mimic are understood; it takes one filter. `--nocapture` has no effect.

mod arguments;
mod builder;
mod env;
mod log;
mod no_match;
pub(crate) mod own_main;
mod runner;

pub use builder::Harness;

/// A [`Harness`] over the specs of a folder (or one spec file) of the calling crate.
///
/// It is a macro because only code that the calling crate compiles knows that crate's folder and target.
///
/// A test target without `harness = false` does not compile: libtest would run none of its gates, and pass. A function
/// of a library that calls the macro needs `#[cfg(not(test))]`.
///
/// ```no_run
/// fn main() -> std::process::ExitCode {
///     rankgate::harness!("benchmarks").run()
/// }
/// ```
#[macro_export]
macro_rules! harness {
    ($specs:expr $(,)?) => {{
        // A compile error where libtest would run the target.
        #[allow(unnameable_test_items, unused_imports)]
        const _: () = {
            use $crate::__private::*;
            #[::core::prelude::v1::test]
            fn own_main() {}
            assert!(
                is_own_main(own_main),
                concat!(
                    "`harness = false` is missing in Cargo.toml, so `cargo test` would run none of these gates and pass.\n",
                    "Add this to the Cargo.toml of `",
                    env!("CARGO_PKG_NAME"),
                    "`, or the last line alone to a table that is there; `name` is that of the file, with its dashes:\n\n",
                    "[[test]]\nname = \"",
                    env!("CARGO_CRATE_NAME"),
                    "\"\nharness = false\n\n",
                    "Outside of tests/, put `#[cfg(not(test))]` above the function that calls `harness!`.",
                )
            );
        };
        $crate::harness::Harness::new(
            $crate::__private::Site {
                manifest_dir: env!("CARGO_MANIFEST_DIR"),
                package: env!("CARGO_PKG_NAME"),
                file: file!(),
                target: env!("CARGO_CRATE_NAME"),
            },
            $specs,
        )
    }};
    () => {
        compile_error!("harness! takes the folder of the specs: rankgate::harness!(\"benchmarks\")")
    };
}
