//! Numbers as the report writes them.

/// Decimals of a score.
pub(super) const DECIMALS: usize = 4;
/// Decimals beyond which a double has nothing more to say.
const MOST: usize = 17;

/// `value` with so many decimals, never `-0.0000`; beyond a million million in powers of ten, which
/// would fill the line otherwise.
///
/// A half is rounded away from zero as it is read, 0.73115 to 0.7312, whatever its binary fraction.
pub(super) fn fixed(value: f64, decimals: usize) -> String {
    if value.abs() >= 1e12 {
        return format!("{value:.decimals$e}");
    }
    let rounded = match u32::try_from(decimals) {
        // Further decimals are asked for to tell numbers apart, not to be round.
        Ok(decimals @ 0..=4) => {
            let scale = f64::from(10_u32.pow(decimals));
            (value * scale).round() / scale
        }
        _ => value,
    };
    let text = format!("{rounded:.decimals$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.bytes().all(|b| matches!(b, b'0' | b'.')) => digits.to_owned(),
        _ => text,
    }
}

/// The value of a metric: counts without decimals, everything else with four.
pub(super) fn score(metric: &str, value: f64) -> String {
    fixed(value, decimals(metric, &[value]))
}

/// A difference of scores, with its sign.
pub(super) fn signed(value: f64, decimals: usize) -> String {
    let text = fixed(value, decimals);
    if text.starts_with('-') || value.is_nan() { text } else { format!("+{text}") }
}

/// How many decimals the values of a metric take: none for counts, which are whole unless they are
/// means over repeats.
pub(super) fn decimals(metric: &str, values: &[f64]) -> usize {
    if is_count(metric) && values.iter().all(|value| value.fract() == 0.0) { 0 } else { DECIMALS }
}

/// Whether a metric sums over queries (`NumRet`, `NumRel`, `NumRelRet`) instead of averaging.
pub(super) fn is_count(metric: &str) -> bool {
    let name = metric.split(['(', '@']).next().unwrap_or(metric);
    matches!(name, "NumRet" | "NumRel" | "NumRelRet")
}

/// The fewest decimals, at least `least`, with which two different numbers look different, and their
/// difference is not 0: `0.6000 < 0.6000` explains nothing.
pub(super) fn apart(a: f64, b: f64, least: usize) -> usize {
    if a == b || !(a - b).is_finite() {
        return least;
    }
    let differ = |decimals: usize| {
        fixed(a, decimals) != fixed(b, decimals)
            && fixed((a - b).abs(), decimals).bytes().any(|b| matches!(b, b'1'..=b'9'))
    };
    (least..MOST).find(|&decimals| differ(decimals)).unwrap_or(MOST)
}

/// `[0.7010, 0.7610]`
pub(super) fn interval([low, high]: [f64; 2], decimals: usize) -> String {
    format!("[{}, {}]", fixed(low, decimals), fixed(high, decimals))
}

/// `0.95` as `95%`.
pub(super) fn percent(share: f64) -> String {
    let text = format!("{:.6}", share * 100.0);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text}%")
}

/// A count with a comma between thousands.
pub(super) fn count(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 query`, `2 queries`
pub(super) fn queries(number: usize) -> String {
    counted(number, "query", "queries")
}

/// A count and what is counted.
pub(super) fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// A time given in milliseconds.
pub(super) fn milliseconds(time: f64) -> String {
    if time >= 10_000.0 {
        format!("{:.1} s", time / 1e3)
    } else if time >= 1_000.0 {
        format!("{:.2} s", time / 1e3)
    } else if time >= 1.0 {
        format!("{time:.1} ms")
    } else if time < 0.01 {
        "<0.01 ms".to_owned()
    } else {
        format!("{time:.2} ms")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_never_minus_zero() {
        for (value, expected) in [
            (0.73115, "0.7312"),
            (1.0, "1.0000"),
            (-0.00004, "0.0000"),
            (-0.00006, "-0.0001"),
            (12.5, "12.5000"),
            (1e300, "1.0000e300"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(fixed(value, 4), expected);
        }
        assert_eq!(signed(0.00004, 4), "+0.0000");
        assert_eq!(signed(-0.5, 2), "-0.50");
    }

    #[test]
    fn counts_have_no_decimals_unless_they_are_means_over_repeats() {
        assert_eq!(score("NumRelRet(rel=2)", 1234.0), "1234");
        assert_eq!(score("NumRelRet", 1234.5), "1234.5000");
        assert_eq!(score("P@10", 1.0), "1.0000");
    }

    #[test]
    fn decimals_grow_until_two_numbers_look_different() {
        for (a, b, least, expected) in [
            (0.53, 0.6, 2, 2),
            (0.598, 0.6, 2, 3),
            (0.59999, 0.6, 4, 5),
            (0.599_949_99, 0.599_950_01, 4, 8),
            (0.6, 0.6, 4, 4),
            (0.6, f64::NAN, 4, 4),
            (1e300, 0.6, 4, 4),
        ] {
            assert_eq!(apart(a, b, least), expected, "{a} {b}");
        }
        assert!(apart(0.6, 0.6 + f64::EPSILON, 4) <= MOST);
    }

    #[test]
    fn other_numbers() {
        for (number, expected) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(count(number), expected);
        }
        for (share, expected) in [(0.95, "95%"), (0.999, "99.9%"), (0.975, "97.5%"), (1.0, "100%")] {
            assert_eq!(percent(share), expected);
        }
        for (time, expected) in [
            (0.004, "<0.01 ms"),
            (0.126, "0.13 ms"),
            (3.12, "3.1 ms"),
            (1234.0, "1.23 s"),
            (65_000.0, "65.0 s"),
        ] {
            assert_eq!(milliseconds(time), expected);
        }
        assert_eq!(queries(1), "1 query");
        assert_eq!(queries(1200), "1,200 queries");
    }
}
