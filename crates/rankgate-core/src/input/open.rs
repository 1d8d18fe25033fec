//! Opening files that may be something else.

use std::fs::File;
use std::io;
use std::path::Path;

/// Opens a file that is no named pipe.
pub fn open(path: &Path) -> io::Result<File> {
    refuse_pipe(path)?;
    File::open(path)
}

/// A named pipe is an error, since opening it waits until somebody writes to it, which may be never. The pipes
/// of a shell, `<(...)` and `|`, have somebody who does.
pub fn refuse_pipe(path: &Path) -> io::Result<()> {
    let of_a_shell = path.starts_with("/dev") || path.starts_with("/proc");
    if of_a_shell || !is_pipe(path) {
        return Ok(());
    }
    let what = "it is a named pipe, which is not waited for; give a file, `/dev/stdin` or `<(...)`";
    Err(io::Error::new(io::ErrorKind::InvalidInput, what))
}

#[cfg(unix)]
fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    path.metadata().is_ok_and(|metadata| metadata.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_pipe(_: &Path) -> bool {
    false
}
