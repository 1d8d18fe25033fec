//! The formats with a query or a document a line, and which of them a file is in.

use crate::Result;
use crate::collection::line_format::LineFormat;
use crate::collection::{beir, trec};
use crate::input::{Input, uncompressed};

impl LineFormat {
    /// In the order in which they are tried; the last one takes the rest.
    const ALL: [Self; 2] = [beir::LINES, trec::LINES];

    /// That of a file by its name, or else by how it begins.
    pub(super) fn detect(input: &mut Input<'_>) -> Result<Self> {
        let name = input.path().file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let extension = uncompressed(&name).rsplit('.').next().unwrap_or_default();
        match Self::ALL.into_iter().find(|format| format.extensions.contains(&extension)) {
            Some(format) => Ok(format),
            None => Self::of_text(input),
        }
    }

    /// That of a file by how it begins.
    pub(super) fn of_text(input: &mut Input<'_>) -> Result<Self> {
        let ([.., last], head) = (Self::ALL, input.peek_text()?);
        Ok(Self::ALL.into_iter().find(|format| (format.begins)(head)).unwrap_or(last))
    }
}
