//! Whether a test target runs its own `main`, checked while the target is compiled.
//!
//! Without `harness = false` libtest's `main` replaces the target's. It finds no test, so the run passes. Rust removes
//! `#[test]` functions exactly where libtest is not there. [`harness!`](crate::harness!) declares one of the name of
//! [`own_main`], which shadows this one: its return type tells the macro which `main` runs.

/// What [`own_main`] returns, and no test does.
pub struct OwnMain(#[expect(dead_code, reason = "makes the type differ in size from a test's `()`")] u8);

/// The function that the macro finds where the target's own `main` runs.
pub fn own_main() -> OwnMain {
    OwnMain(0)
}

/// Whether a function is [`own_main`], and no test that shadows it.
pub const fn is_own_main<T>(_: fn() -> T) -> bool {
    size_of::<T>() == size_of::<OwnMain>()
}

/// Ends the compilation of a target that libtest runs, with the lines that its manifest lacks.
///
/// # Panics
/// Where `own` is false; it is called while the target is compiled.
pub const fn require_own_main(own: bool, package: &str, file: &str, target: &str) {
    if own {
        return;
    }
    let mut text = Text { bytes: [0; SIZE], length: 0 };
    text.push(
        "`harness = false` is missing in Cargo.toml, so `cargo test` would run none of these gates and pass.",
    );
    text.push("\nAdd this to the Cargo.toml of `");
    text.push(package);
    text.push("`, or the last line alone to a table that is there:\n\n[[test]]\nname = \"");
    text.push(target_name(file, target));
    text.push("\"\nharness = false\n\nOutside of tests/, put `#[cfg(not(test))]` above the function that calls `harness!`.");
    match str::from_utf8(text.bytes.split_at(text.length).0) {
        Ok(text) => panic!("{}", text),
        Err(_) => panic!("`harness = false` is missing in Cargo.toml"),
    }
}

/// How much a message holds: names of files and packages have at most 255 bytes.
const SIZE: usize = 1024;

/// A text made while a crate is compiled. What does not fit is left out.
struct Text {
    bytes: [u8; SIZE],
    length: usize,
}

impl Text {
    const fn push(&mut self, text: &str) {
        let mut rest = text.as_bytes();
        while let [first, others @ ..] = rest
            && self.length < SIZE
        {
            self.bytes[self.length] = *first;
            self.length += 1;
            rest = others;
        }
    }
}

/// The name of a test target in its manifest: the compiler's name of it has no dashes, the file has those that it has.
pub(super) const fn target_name<'a>(file: &'a str, target: &'a str) -> &'a str {
    let stem = match file.as_bytes() {
        [folder @ .., b'/' | b'\\', b'm', b'a', b'i', b'n', b'.', b'r', b's'] => last(folder),
        [stem @ .., b'.', b'r', b's'] => last(stem),
        name => last(name),
    };
    match str::from_utf8(stem) {
        Ok(name) if is_same(stem, target.as_bytes()) => name,
        Ok(_) | Err(_) => target,
    }
}

/// The last part of a path.
const fn last(path: &[u8]) -> &[u8] {
    let mut start = path.len();
    while start > 0 && !matches!(path[start - 1], b'/' | b'\\') {
        start -= 1;
    }
    path.split_at(start).1
}

/// Whether two names are one to the compiler, which has no dashes.
const fn is_same(left: &[u8], right: &[u8]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    let mut index = 0;
    while index < left.len() {
        let same = left[index] == right[index] || (left[index] == b'-' && right[index] == b'_');
        if !same {
            return false;
        }
        index += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_named_as_in_its_manifest() {
        for (file, target, expected) in [
            ("tests/retrieval.rs", "retrieval", "retrieval"),
            ("crates/a/tests/its-retrieval.rs", "its_retrieval", "its-retrieval"),
            ("tests\\retrieval\\main.rs", "retrieval", "retrieval"),
            ("tests/its-retrieval/main.rs", "its_retrieval", "its-retrieval"),
            ("tests/other.rs", "retrieval", "retrieval"),
            ("main.rs", "main", "main"),
            ("", "retrieval", "retrieval"),
        ] {
            assert_eq!(target_name(file, target), expected, "{file}");
        }
    }

    #[test]
    fn a_test_that_shadows_the_function_is_seen() {
        fn shadow() {}
        assert!(is_own_main(own_main) && !is_own_main(shadow));
        require_own_main(true, "a", "tests/b.rs", "b");
    }

    #[test]
    fn the_message_shows_the_lines_that_are_missing() {
        let message = |file: &'static str| {
            let refused = std::panic::catch_unwind(|| require_own_main(false, "my-search", file, "b_c"));
            *refused.unwrap_err().downcast::<String>().unwrap()
        };
        let lines = "Cargo.toml of `my-search`, or the last line alone to a table that is there:\n\n[[test]]\nname = \
                     \"b-c\"\nharness = false\n";
        assert!(message("tests/b-c.rs").contains(lines), "{}", message("tests/b-c.rs"));
        // A name that no system has is cut and does no harm.
        let long = "x".repeat(5000).leak();
        assert!(std::panic::catch_unwind(|| require_own_main(false, long, "", long)).is_err());
    }
}
