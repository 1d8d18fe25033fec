//! Replays every command that README and the book show, and builds the crates that they make.
//!
//! Some hundred commands, and builds by cargo: not among the tests that `cargo test` runs.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails where a page is not as it should be")]

#[path = "../command/book/page.rs"]
#[expect(dead_code, reason = "links are followed by the command's own tests")]
mod page;
#[path = "../../../../tests/repository/mod.rs"]
mod repository;
#[path = "../command/book/shortened.rs"]
mod shortened;
mod starter;
#[path = "../command/surroundings.rs"]
mod surroundings;
#[path = "../../../../tests/spawned/user.rs"]
#[expect(
    dead_code,
    clippy::unwrap_used,
    reason = "what `tests/spawned` alone looks at; a test fails where its surroundings are wrong"
)]
mod user;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use page::{Page, clone, here, pages};
use shortened::is_shortened;

/// The files of a copy that are not as they are here.
fn changed(here: &Path, copy: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(copy).unwrap() {
        let path = entry.unwrap().path();
        let own = here.join(path.file_name().unwrap());
        if path.is_dir() && own.is_dir() {
            found.extend(changed(&own, &path));
        } else if fs::read(&own).ok() != fs::read(&path).ok() {
            found.push(path);
        }
    }
    found
}

/// Types what one page shows, each line in the folder in which the one before it ended; the number of lines.
fn replay(page: &Page) -> usize {
    let mut typed = 0;
    let folder = clone();
    let mut at = folder.path().to_path_buf();
    for block in page.blocks() {
        // A file whose first line is its path is there from here on.
        let named = block.text.lines().next().and_then(|line| line.strip_prefix("# "));
        if let ("yaml", Some(path)) = (block.language, named.filter(|name| name.ends_with(".yaml"))) {
            fs::create_dir_all(at.join(path).parent().unwrap()).unwrap();
            fs::write(at.join(path), &block.text).unwrap();
        }
        if block.language != "console" {
            continue;
        }
        let whose = format!("{}:{}", page.path, block.line);
        for part in format!("\n{}", block.text).split("\n$ ").skip(1) {
            let (line, shown) = part.split_once('\n').unwrap_or((part, ""));
            let mut shell = Command::new("bash");
            let binary = Path::new(env!("CARGO_BIN_EXE_rankgate")).parent().unwrap();
            let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
            let script = format!("{line}\ncode=$?\npwd >&3\nexit $code");
            let script = format!("exec 3>'{}/at'\n{script}", folder.path().display());
            let shell = surroundings::leave(&mut shell).env("PATH", path).current_dir(&at);
            let output = shell.args(["-c", &script]).output().unwrap();
            let printed = String::from_utf8(output.stdout).unwrap();
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{whose}: `{line}`: {printed}{errors}");
            is_shortened(&format!("{whose}: `{line}`"), shown, &printed);
            at = fs::read_to_string(folder.path().join("at")).unwrap().trim().into();
            typed += 1;
        }
    }
    // Whoever types it in a clone has no changed files but those that the page makes.
    for shipped in ["golden/helpdesk", "examples"] {
        let changed = changed(&here(shipped), &folder.path().join(shipped));
        assert!(changed.is_empty(), "{} changes files that are shipped: {changed:?}", page.path);
    }
    typed
}

#[test]
fn what_is_typed_prints_what_is_shown() {
    let pages = pages();
    let (next, typed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().unwrap().get() {
            scope.spawn(|| {
                while let Some(page) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
                    typed.fetch_add(replay(page), Ordering::Relaxed);
                }
            });
        }
    });
    let typed = typed.into_inner();
    assert!(typed >= 8, "{typed} commands");
}
