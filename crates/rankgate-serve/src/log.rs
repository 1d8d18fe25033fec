//! The server's log.

/// Writes a line into it.
#[expect(clippy::print_stderr, reason = "this is the server's log")]
pub(crate) fn log(text: &str) {
    eprintln!("{text}");
}
