//! What blessing did to golden files.

use crate::benchmark::Written;

use super::clean::clean;

/// One line for each golden file: written, changed or left as it was.
///
/// ```
/// use rankgate::benchmark::Written;
///
/// let files = [("golden/helpdesk/bm25.run".to_owned(), Written::New)];
/// assert_eq!(rankgate::report::golden_files(&files), "wrote      golden/helpdesk/bm25.run\n");
/// ```
#[must_use]
pub fn golden_files(files: &[(String, Written)]) -> String {
    let mut text = String::new();
    for (file, written) in files {
        let what = match written {
            Written::New => "wrote",
            Written::Changed => "changed",
            Written::Unchanged => "unchanged",
        };
        text += &format!("{what:<9}  {}\n", clean(file));
    }
    text
}
