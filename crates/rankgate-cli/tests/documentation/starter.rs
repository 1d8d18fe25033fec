//! What `rankgate init` writes, in a crate of a user's.

#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use std::fs;
use std::process::Command;

use crate::repository::root;
use crate::surroundings;
use crate::user::Crate;

/// A crate in which nothing is but a manifest and an empty library, in the copy's folder.
fn fresh() -> Crate {
    let user = Crate::for_cargo();
    for folder in ["src", "tests", "benchmarks"] {
        fs::remove_dir_all(user.path(folder)).unwrap();
    }
    // With serde as in the fixture, so that rankgate is compiled once for both.
    let manifest = "[package]\nname = \"fixture\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
                    serde = { version = \"1\", features = [\"derive\"] }\n\n";
    fs::write(user.path("Cargo.toml"), manifest).unwrap();
    fs::create_dir(user.path("src")).unwrap();
    fs::write(user.path("src/lib.rs"), "").unwrap();
    user
}

#[test]
fn what_init_writes_passes_as_it_is_in_a_fresh_crate() {
    let user = fresh();
    let rankgate = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rankgate"));
        surroundings::leave(&mut command).args(arguments).current_dir(&user.folder).output().unwrap()
    };
    let printed = rankgate(&["init"]);
    assert!(printed.status.success(), "{printed:?}");
    let lines = String::from_utf8(printed.stdout).unwrap();
    // The lines as they are, but for where this version of rankgate is.
    let here = root().to_str().unwrap().replace('\\', "/");
    let clone = "path = \"../rankgate/";
    assert!(lines.contains(clone), "{lines}");
    user.edit("Cargo.toml", |text| text + &lines.replace(clone, &format!("path = \"{here}/")));

    let ran = user.run(&["test"], &[]);
    ran.ends_with(0).says("test first::words::nDCG@3 ").says("6 passed; 0 failed").does_not_say("warning");
    // Its golden files are those that blessing would write.
    let ran = user.run(&["test", "--test", "retrieval"], &[("RANKGATE_BLESS", "1")]);
    ran.ends_with(0)
        .says("unchanged golden/first/words.run")
        .does_not_say(" changed golden")
        .does_not_say("wrote ");
}
