//! Any value is hidden in any text, of which nothing else changes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rankgate_core::internal::secrets::Secrets;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let (value, text) = text.split_once('\0').unwrap_or(("hunter2hunter2", &*text));
    let mut secrets = Secrets::default();
    secrets.add_as("\u{0}", value);
    let shown = secrets.hide(text);
    drop(secrets.hide_cut(text));
    drop(secrets.excerpt(text));
    if text.contains('\u{0}') {
        return;
    }
    let mut rest = text;
    for kept in shown.split('\u{0}') {
        let at =
            rest.find(kept).unwrap_or_else(|| panic!("{shown:?} is not {text:?} with parts of it hidden"));
        rest = &rest[at + kept.len()..];
    }
    // What is folded, trimmed or cut into lines is hidden as what it is then.
    let plain =
        value.trim() == value && value.len() >= 4 && value.bytes().all(|byte| byte.is_ascii_graphic());
    assert!(!plain || !shown.contains(value), "{shown:?} has {value:?}");
});
