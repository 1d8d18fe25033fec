//! Panics of code that is not ours, turned into text instead of noise on stderr.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// `None`: panics of this thread print as usual. `Some`: they are kept here.
    static KEPT: RefCell<Option<String>> = const { RefCell::new(None) };
}

static HOOK: Once = Once::new();

/// Runs `f`; a panic becomes its message and place, and prints nothing.
///
/// Panics on threads that `f` itself starts print as they always do: they are not this thread's.
pub fn catch<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    install();
    let outer = KEPT.with(|kept| kept.replace(Some(String::new())));
    // Whatever `f` leaves half done is never used again.
    let result = panic::catch_unwind(AssertUnwindSafe(f));
    let message = KEPT.with(|kept| kept.replace(outer)).unwrap_or_default();
    result.map_err(|payload| if message.is_empty() { text_of(payload.as_ref()) } else { message })
}

/// Wraps the current panic hook, once for the process.
fn install() {
    // Where a panic ends the process, nobody would show what was kept.
    if cfg!(panic = "abort") {
        return;
    }
    HOOK.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let kept = KEPT.try_with(|kept| match kept.try_borrow_mut() {
                Ok(mut kept) => match kept.as_mut() {
                    Some(text) => {
                        *text = text_of(info.payload());
                        if let Some(place) = info.location() {
                            *text += &format!(" ({}:{})", place.file(), place.line());
                        }
                        true
                    }
                    None => false,
                },
                Err(_) => false,
            });
            if !kept.unwrap_or(false) {
                previous(info);
            }
        }));
    });
}

fn text_of(payload: &(dyn std::any::Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "a panic without a message".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_its_message_and_place() {
        let message = catch(|| panic!("index {} is gone", 3)).unwrap_err();
        assert!(message.starts_with("index 3 is gone ("), "{message}");
        assert!(message.contains("panic.rs:"), "{message}");
    }

    #[test]
    fn values_pass_through_and_nesting_works() {
        let outer = catch(|| {
            let inner = catch(|| panic!("inner")).unwrap_err();
            assert!(inner.starts_with("inner"));
            7
        });
        assert_eq!(outer, Ok(7));
    }
}
