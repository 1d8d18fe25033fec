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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_shadows_the_function_is_seen() {
        fn shadow() {}
        assert!(is_own_main(own_main) && !is_own_main(shadow));
    }
}
