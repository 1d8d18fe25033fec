//! What Ballista says of itself, on standard error.

use std::io::{self, Write};

use log::{LevelFilter, Log, Metadata, Record};

struct Lines;

impl Log for Lines {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        // Where nobody listens there is nobody to tell.
        let _ = writeln!(io::stderr(), "{} {}: {}", record.level(), record.target(), record.args());
    }

    fn flush(&self) {}
}

/// Writes lines of this level and above.
pub(super) fn begin(level: LevelFilter) {
    static LINES: Lines = Lines;
    // It fails where there is a logger already, which is then the one to be heard.
    if log::set_logger(&LINES).is_ok() {
        log::set_max_level(level);
    }
}

/// A level by its name.
pub(super) fn level(text: &str) -> Result<LevelFilter, String> {
    text.parse().map_err(|_| "there are off, error, warn, info, debug and trace".to_owned())
}
