//! Numbers as the report writes them.

use crate::metric::Metric;

/// Decimals of a score.
pub const DECIMALS: usize = 4;
/// Decimals of an interval's limits in tables.
const INTERVAL: usize = 3;
/// Limits below this are told apart by more of them.
const SMALL: f64 = 0.01;
/// The most decimals that a small number gets.
const MOST_OF_SMALL: usize = 8;
/// Decimals beyond which a double has nothing more to say.
const MOST: usize = 17;
/// Decimals that a small difference may take.
pub const MOST_LEGIBLE: usize = 6;

/// `value` with so many decimals, never `-0.0000`; beyond a million million in powers of ten, which
/// would fill the line otherwise.
///
/// A half is rounded away from zero in decimal, 0.73115 to 0.7312, independent of its binary fraction.
pub fn fixed(value: f64, decimals: usize) -> String {
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

/// The value of a metric: counts without decimals, everything else with four, and more where four would show a cost as 0.
pub fn score(metric: &str, value: f64) -> String {
    let least = decimals(metric, &[value]);
    fixed(value, if value > 0.0 { apart(value, 0.0, least).min(MOST_OF_SMALL) } else { least })
}

/// The interval of a mean in a table: three decimals, and more where both limits are small, as those of costs are.
pub fn table_interval([low, high]: [f64; 2]) -> String {
    let decimals = if low.abs().max(high.abs()) < SMALL { apart(low, high, INTERVAL) } else { INTERVAL };
    interval([low, high], decimals.min(MOST_OF_SMALL))
}

/// A difference of scores, with its sign.
pub fn signed(value: f64, decimals: usize) -> String {
    let text = fixed(value, decimals);
    if text.starts_with('-') || value.is_nan() { text } else { format!("+{text}") }
}

/// How many decimals the values of a metric take: none for counts, which are whole unless they are
/// means over repeats.
pub fn decimals(metric: &str, values: &[f64]) -> usize {
    if is_count(metric) && values.iter().all(|value| value.fract() == 0.0) { 0 } else { DECIMALS }
}

/// Whether the metric of this name sums over queries instead of averaging; one of a team's own does not.
pub fn is_count(metric: &str) -> bool {
    metric.parse::<Metric>().is_ok_and(|metric| metric.is_count())
}

/// The fewest decimals, at least `least`, with which two different numbers look different, and their
/// difference is not 0: `0.6000 < 0.6000` explains nothing.
pub fn apart(a: f64, b: f64, least: usize) -> usize {
    if a == b || !(a - b).is_finite() {
        return least;
    }
    let differ = |decimals: usize| {
        fixed(a, decimals) != fixed(b, decimals)
            && fixed((a - b).abs(), decimals).bytes().any(|b| matches!(b, b'1'..=b'9'))
    };
    (least..MOST).find(|&decimals| differ(decimals)).unwrap_or(MOST)
}

/// The same up to as many as a reader takes in.
pub fn legible(a: f64, b: f64, least: usize) -> usize {
    apart(a, b, least).min(MOST_LEGIBLE)
}

/// `[0.7010, 0.7610]`, and `(0.0000, 0.0610]` where 0 is only what the limit is rounded to: it is not within.
pub fn interval([low, high]: [f64; 2], decimals: usize) -> String {
    let [below, above] = [low, high].map(|limit| fixed(limit, decimals));
    let is_0 = |text: &str| !text.bytes().any(|b| matches!(b, b'1'..=b'9'));
    let open = if low > 0.0 && is_0(&below) { '(' } else { '[' };
    let close = if high < 0.0 && is_0(&above) { ')' } else { ']' };
    format!("{open}{below}, {above}{close}")
}

/// `0.95` as `95%`.
pub fn percent(share: f64) -> String {
    let text = format!("{:.6}", share * 100.0);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text}%")
}

/// Significant digits of a p-value, and the most that it takes to tell one from its level.
const P_DIGITS: usize = 3;
const MOST_P_DIGITS: usize = 9;
/// Below this no method is exact enough to say more.
const SMALLEST_P: f64 = 1e-9;

/// A p-value with what stands before it: `p = 0.0214`, `p < 1e-9`.
pub fn p_value(p: f64) -> String {
    if p < SMALLEST_P { format!("p {}", p_number(p)) } else { format!("p = {}", p_number(p)) }
}

/// A p-value with three significant digits: `0.0214`, `3.1e-5`, `< 1e-9`; never 0.
pub fn p_number(p: f64) -> String {
    p_digits(p, P_DIGITS)
}

/// A p-value and the level that it is held against, which it has reached or not: `p = 0.0214 <= 0.05`, with
/// enough digits to see on which side it is.
pub fn p_against(p: f64, level: f64, reached: bool) -> String {
    let sign = if reached { "<=" } else { ">" };
    if p < SMALLEST_P {
        return format!("{} {sign} {}", p_value(p), p_number(level));
    }
    let differ = |digits: &usize| p == level || p_digits(p, *digits) != p_digits(level, *digits);
    let digits = (P_DIGITS..MOST_P_DIGITS).find(differ).unwrap_or(MOST_P_DIGITS);
    format!("p = {} {sign} {}", p_digits(p, digits), p_digits(level, digits))
}

fn p_digits(p: f64, digits: usize) -> String {
    if p < SMALLEST_P {
        return "< 1e-9".to_owned();
    }
    if !p.is_finite() {
        return p.to_string();
    }
    let scientific = format!("{p:.*e}", digits.saturating_sub(1));
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if exponent < -4 {
        return format!("{}e{exponent}", trimmed(mantissa));
    }
    let decimals = usize::try_from(-exponent).unwrap_or(0) + digits.saturating_sub(1);
    trimmed(&format!("{p:.decimals$}")).to_owned()
}

/// Without zeros at the end that say nothing.
fn trimmed(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

/// A count with a comma between thousands.
pub fn count(number: usize) -> String {
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
pub fn queries(number: usize) -> String {
    counted(number, "query", "queries")
}

/// A count and its noun.
pub fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// A time given in milliseconds: `41 ns`, `3.20 µs`, `850 µs`, `12.4 ms`, `1.25 s`.
pub fn time(milliseconds: f64) -> String {
    let (value, decimals, unit) = match milliseconds {
        10_000.0.. => (milliseconds / 1e3, 1, "s"),
        1_000.0.. => (milliseconds / 1e3, 2, "s"),
        1.0.. => (milliseconds, 1, "ms"),
        0.01.. => (milliseconds * 1e3, 0, "\u{b5}s"),
        0.001.. => (milliseconds * 1e3, 2, "\u{b5}s"),
        _ => (milliseconds * 1e6, 0, "ns"),
    };
    format!("{value:.decimals$} {unit}")
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

    /// What an answer costs is often less than a thousandth.
    #[test]
    fn small_values_are_not_shown_as_0() {
        for (value, expected) in
            [(0.000_02, "0.00002"), (0.000_21, "0.0002"), (0.0, "0.0000"), (1e-15, "0.00000000")]
        {
            assert_eq!(score("cost", value), expected);
        }
        for (limits, expected) in [
            ([0.000_58, 0.000_69], "[0.0006, 0.0007]"),
            ([0.002, 0.009], "[0.002, 0.009]"),
            ([0.999_96, 0.999_97], "[1.000, 1.000]"),
            ([0.0, 0.0], "[0.000, 0.000]"),
        ] {
            assert_eq!(table_interval(limits), expected);
        }
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
    fn a_limit_that_is_rounded_to_0_does_not_hold_it() {
        for (limits, expected) in [
            ([0.701, 0.761], "[0.7010, 0.7610]"),
            ([0.0, 0.061], "[0.0000, 0.0610]"),
            ([0.00004, 0.061], "(0.0000, 0.0610]"),
            ([-0.061, -1e-13], "[-0.0610, 0.0000)"),
            ([-0.00004, 0.00004], "[0.0000, 0.0000]"),
        ] {
            assert_eq!(interval(limits, 4), expected);
        }
    }

    #[test]
    fn p_values_have_three_digits_and_are_never_0() {
        for (p, expected) in [
            (1.0, "p = 1"),
            (0.999_99, "p = 1"),
            (0.871_093_75, "p = 0.871"),
            (0.035_156_25, "p = 0.0352"),
            (0.0004, "p = 0.0004"),
            (0.000_031_46, "p = 3.15e-5"),
            (1e-5, "p = 1e-5"),
            (2.04e-9, "p = 2.04e-9"),
            (9.9e-10, "p < 1e-9"),
            (0.0, "p < 1e-9"),
            (f64::NAN, "p = NaN"),
        ] {
            assert_eq!(p_value(p), expected);
        }
    }

    #[test]
    fn a_p_value_is_seen_to_be_on_its_side_of_the_level() {
        for (p, level, expected) in [
            (0.0214, 0.025, "p = 0.0214 <= 0.025"),
            (0.5, 0.025, "p = 0.5 > 0.025"),
            (0.025, 0.025, "p = 0.025 <= 0.025"),
            (0.025_003, 0.025, "p = 0.025003 > 0.025"),
            (0.0, 0.025, "p < 1e-9 <= 0.025"),
        ] {
            assert_eq!(p_against(p, level, p <= level), expected);
        }
    }

    #[test]
    fn other_numbers() {
        for (number, expected) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(count(number), expected);
        }
        for (share, expected) in [(0.95, "95%"), (0.999, "99.9%"), (0.975, "97.5%"), (1.0, "100%")] {
            assert_eq!(percent(share), expected);
        }
        for (taken, expected) in [
            (0.000_041, "41 ns"),
            (0.004, "4.00 \u{b5}s"),
            (0.126, "126 \u{b5}s"),
            (3.12, "3.1 ms"),
            (1234.0, "1.23 s"),
            (65_000.0, "65.0 s"),
        ] {
            assert_eq!(time(taken), expected);
        }
        assert_eq!(queries(1), "1 query");
        assert_eq!(queries(1200), "1,200 queries");
    }
}
