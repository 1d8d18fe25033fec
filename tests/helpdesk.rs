//! The shipped collection as a user would gate it.

fn main() -> std::process::ExitCode {
    rankgate::harness!("examples/helpdesk.yaml").run()
}
