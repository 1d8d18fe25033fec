//! Where golden files may be written: below the golden folder, wherever links lead.

use std::fs;
use std::path::Path;

use crate::{Error, Result};

/// Refuses to write `path`, a file of `golden/<benchmark>/`, where a link leads out of `golden`.
///
/// Names cannot lead out, since a spec's names have neither separators nor dots in front; a link that
/// somebody has put there can, and a checkout of somebody else's branch brings such links. `golden`
/// itself may be a link: it is where the user wants the files to be. Reading follows links, so
/// that a build system may lay them out as it likes.
///
/// # Errors
/// A link that leads elsewhere, or nowhere.
pub(super) fn refuse_outside(path: &Path) -> Result<()> {
    let folders = path.parent().and_then(|folder| Some((folder, folder.parent()?)));
    let Some((folder, golden)) = folders else { return Ok(()) };
    // Nothing is there yet, so neither is a link.
    let Ok(golden) = fs::canonicalize(golden) else { return Ok(()) };
    for place in [folder, path] {
        if !fs::symlink_metadata(place).is_ok_and(|found| found.is_symlink()) {
            continue;
        }
        let target = fs::canonicalize(place);
        if !target.is_ok_and(|target| target.starts_with(&golden)) {
            let message = "is a link that leads out of the golden folder, so nothing is written through it; \
                           remove the link, or name the folder with `golden:` in the spec";
            return Err(Error::in_file(place, message));
        }
    }
    Ok(())
}

/// Refuses to read a golden file where a link leads to what test runs write, in the folder `output`: the next run would
/// be compared with the last one, and no loss would ever be one from what was blessed.
///
/// # Errors
/// A path that leads there.
pub(crate) fn refuse_output(path: &Path, output: &Path) -> Result<()> {
    let place = |path: &Path| fs::canonicalize(path).ok().filter(|_| !path.as_os_str().is_empty());
    let (Some(file), Some(output)) = (place(path), place(output)) else { return Ok(()) };
    if !file.starts_with(&output) {
        return Ok(());
    }
    let message = format!(
        "leads to {}, which every run overwrites, so today's ranking would be compared with the last run and not \
         with what was blessed; remove the link and bless",
        file.display()
    );
    Err(Error::in_file(path, message))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_that_lead_out_are_refused_and_others_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let (golden, elsewhere) = (folder.path().join("golden"), folder.path().join("elsewhere"));
        let toy = golden.join("toy");
        refuse_outside(&toy.join("a.run")).unwrap();
        fs::create_dir_all(&toy).unwrap();
        fs::create_dir(&elsewhere).unwrap();
        fs::write(elsewhere.join("a.run"), "").unwrap();
        fs::write(toy.join("b.run"), "").unwrap();
        for (link, target, refused) in [
            ("toy/outside.run", elsewhere.join("a.run"), true),
            ("toy/nowhere.run", elsewhere.join("none"), true),
            ("toy/inside.run", toy.join("b.run"), false),
            ("far/a.run", elsewhere.clone(), true),
            ("near/a.run", toy.clone(), false),
        ] {
            let link = golden.join(link);
            let at = if link.parent().unwrap().is_dir() { &link } else { link.parent().unwrap() };
            symlink(target, at).unwrap();
            assert_eq!(refuse_outside(&link).is_err(), refused, "{}", link.display());
        }
        // What the last run wrote is nothing that was blessed.
        let output = folder.path().join("output");
        fs::create_dir_all(output.join("toy")).unwrap();
        fs::write(output.join("toy/a.run"), "").unwrap();
        symlink("../../output/toy/a.run", toy.join("last.run")).unwrap();
        let refused = refuse_output(&toy.join("last.run"), &output).unwrap_err().to_string();
        assert!(
            refused.contains("toy/last.run: leads to ") && refused.contains("output/toy/a.run"),
            "{refused}"
        );
        for fine in ["b.run", "inside.run", "outside.run", "none.run"] {
            refuse_output(&toy.join(fine), &output).unwrap();
        }
        refuse_output(&toy.join("last.run"), Path::new("")).unwrap();
        // The golden folder itself may be elsewhere.
        symlink(&golden, folder.path().join("linked")).unwrap();
        refuse_outside(&folder.path().join("linked/toy/b.run")).unwrap();
    }
}
