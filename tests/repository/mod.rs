//! Where the repository is, for the tests of all its packages.

use std::path::Path;

/// The folder with the lock file: that of the package whose tests these are, or one above it.
pub(crate) fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().find(|folder| folder.join("Cargo.lock").is_file()).unwrap_or(package)
}
