//! One HTML file that loads nothing and sends nothing: a shell, its style and script, and the data that the script reads.

use hmac_sha256::Hash as Sha256;

use crate::base64::base64;

const SHELL: &str = include_str!("../../viewer/shell.html");
/// The style of every page.
pub const STYLE: &str = include_str!("../../viewer/style.css");

/// A page with this title, HTML of our own as its body, and JSON that its script reads.
///
/// A policy allows its style and script by their hashes, and nothing else: a script that slipped in from data would not run.
pub fn page_file(title: &str, body: &str, data: &str, [style, script]: [&str; 2]) -> String {
    let [style_hash, script_hash] = [style, script].map(|code| base64(&Sha256::hash(code.as_bytes())));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{style_hash}'; script-src 'sha256-{script_hash}'; img-src data:; \
         base-uri 'none'; form-action 'none'"
    );
    let parts = [
        ("{policy}", policy.as_str()),
        ("{title}", &escaped(title)),
        ("{style}", style),
        ("{body}", body),
        ("{data}", &inside_script(data)),
        ("{script}", script),
    ];
    let mut page = String::with_capacity(data.len() + style.len() + script.len() + SHELL.len());
    let mut rest = SHELL;
    // From the left to the right: nothing that was put in is searched for a name.
    for (name, part) in parts {
        let Some((before, behind)) = rest.split_once(name) else { continue };
        page.push_str(before);
        page.push_str(part);
        rest = behind;
    }
    page + rest
}

/// Text as HTML shows it.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// JSON that cannot end the element around it.
fn inside_script(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => text += &format!("\\u{:04x}", u32::from(c)),
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_names_code_by_its_hash() {
        // The specification's own example.
        let page = page_file("", "", "", ["", "alert('Hello, world.');"]);
        assert!(page.contains("'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='"), "{page}");
    }

    #[test]
    fn parts_are_put_in_once() {
        let page = page_file("{body}<x>", "B{data}", "\"</script>{script}\"", ["S", "A"]);
        assert!(page.contains("<title>{body}&lt;x&gt;</title>") && page.contains("\nB{data}\n"), "{page}");
        assert!(page.contains("\"\\u003c/script\\u003e{script}\""), "{page}");
    }
}
