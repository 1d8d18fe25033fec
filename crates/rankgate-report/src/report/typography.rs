//! How numbers are set where there are fonts.

/// A number with a minus sign that is as wide as a plus, instead of a hyphen.
pub fn minus(number: &str) -> String {
    let mut set = String::with_capacity(number.len());
    let mut previous = ' ';
    for c in number.chars() {
        // Not the exponent of `1e-9`, nor what stands inside of a word.
        let begins = !previous.is_alphanumeric();
        set.push(if c == '-' && begins { '\u{2212}' } else { c });
        previous = c;
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minus_is_set_where_a_number_begins() {
        assert_eq!(minus("-0.5 [-0.6, -0.4]"), "\u{2212}0.5 [\u{2212}0.6, \u{2212}0.4]");
        assert_eq!(minus("p < 1e-9"), "p < 1e-9");
    }
}
