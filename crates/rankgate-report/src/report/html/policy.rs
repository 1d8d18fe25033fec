//! What a browser may do with the page, as a content security policy.

use hmac_sha256::Hash as Sha256;

use crate::base64::base64;

/// Runs this script and applies this style sheet, known by their hashes, and nothing else: a script
/// that slipped in from data would not run. Nothing is loaded and nothing is sent.
/// Forms go nowhere, or to the server that the page came from.
pub(super) fn policy(style: &str, script: &str, forms: &str) -> String {
    let [style, script] = [style, script].map(|code| base64(&Sha256::hash(code.as_bytes())));
    format!(
        "default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; img-src data:; \
         base-uri 'none'; form-action {forms}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_names_code_by_its_hash() {
        // From the specification's own example: alert('Hello, world.');
        let policy = policy("", "alert('Hello, world.');", "'none'");
        assert!(policy.contains("'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='"), "{policy}");
    }
}
