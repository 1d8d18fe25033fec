//! Who can mend what went wrong.

use std::io;

use serde::{Deserialize, Serialize};

/// What kind of error an [`Error`](crate::Error) is.
///
/// A service can tell by it what to answer:
///
/// | kind | HTTP status | who mends it |
/// |---|---|---|
/// | [`BadInput`](Self::BadInput) | 400 Bad Request | whoever sent the file, spec, run or value |
/// | [`Missing`](Self::Missing) | 404 Not Found | whoever named what is not there |
/// | [`Retrieval`](Self::Retrieval) | 502 Bad Gateway | who keeps the retriever |
/// | [`Setup`](Self::Setup) | 500 Internal Server Error | who built or deployed the program |
/// | [`Internal`](Self::Internal) | 500 Internal Server Error | who keeps its disks, or this crate |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file, a spec, a run or a value that was given is wrong.
    BadInput,
    /// A file or a thing that was named is not there.
    Missing,
    /// A retriever gave no usable answer.
    Retrieval,
    /// What is registered, the environment, or a feature that is off: what was asked for would do elsewhere.
    Setup,
    /// A file of our own cannot be written, or the crate has a fault.
    Internal,
}

impl ErrorKind {
    /// What it is that a file which somebody named cannot be read.
    pub(super) fn of_reading(error: &io::Error) -> Self {
        use io::ErrorKind as Io;
        match error.kind() {
            Io::NotFound | Io::NotADirectory => Self::Missing,
            Io::InvalidInput | Io::InvalidData | Io::UnexpectedEof | Io::IsADirectory => Self::BadInput,
            Io::InvalidFilename => Self::BadInput,
            Io::PermissionDenied => Self::Setup,
            _ => Self::Internal,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::{Error, ErrorKind};

    #[test]
    fn a_file_of_our_own_that_cannot_be_written_is_internal() {
        let gone = std::io::Error::from(std::io::ErrorKind::NotFound);
        assert_eq!(Error::output("cannot write", Path::new("x"), gone).kind(), ErrorKind::Internal);
    }
}
