//! The normal and Student's t distributions, from `statrs`.

use statrs::distribution::{Continuous, ContinuousCDF, Normal, StudentsT};

/// The value below which a standard normal variable falls with probability `p` in (0, 1).
pub(super) fn normal_quantile(p: f64) -> f64 {
    Normal::standard().inverse_cdf(p)
}

/// The value below which a t variable with `freedom` degrees of freedom falls with probability `p`.
pub(super) fn t_quantile(p: f64, freedom: usize) -> f64 {
    let t = student(freedom);
    let mut quantile = t.inverse_cdf(p);
    // The library's quantile loses digits as the degrees of freedom grow (five are left at a
    // million); Newton's steps bring them back.
    for _ in 0..3 {
        let step = (t.cdf(quantile) - p) / t.pdf(quantile);
        if !step.is_finite() || step.abs() <= f64::EPSILON * quantile.abs() {
            break;
        }
        quantile -= step;
    }
    quantile
}

/// The probability that a t variable with `freedom` degrees of freedom falls below `value`.
pub(super) fn t_cdf(value: f64, freedom: usize) -> f64 {
    student(freedom).cdf(value)
}

#[expect(clippy::expect_used, reason = "a positive number of degrees of freedom is always valid")]
fn student(freedom: usize) -> StudentsT {
    StudentsT::new(0.0, 1.0, freedom.max(1) as f64).expect("valid degrees of freedom")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(actual: f64, expected: f64) {
        assert!((actual / expected - 1.0).abs() < 1e-10, "{actual} is not {expected}");
    }

    #[test]
    fn normal_quantiles_are_scipys() {
        // SciPy stats.norm.ppf
        for (p, expected) in
            [(0.9, 1.2815515655446004), (0.975, 1.959963984540054), (0.9995, 3.2905267314919255)]
        {
            close(normal_quantile(p), expected);
            close(normal_quantile(1.0 - p), -expected);
        }
    }

    #[test]
    fn probabilities_are_scipys() {
        // SciPy stats.norm.cdf, stats.t.cdf
        close(t_cdf(-2.5, 7), 0.020496109292876444);
        close(t_cdf(-12.0, 49), 1.690405247398702e-16);
        close(t_cdf(1.5, 6999), 0.933170246211796);
    }

    #[test]
    fn t_quantiles_are_scipys() {
        // SciPy stats.t.ppf
        for (freedom, p, expected) in [
            (1, 0.975, 12.706204736174694),
            (1, 0.9995, 636.6192487687897),
            (2, 0.9, 1.8856180831641272),
            (4, 0.9995, 8.610301581379522),
            (9, 0.975, 2.262157162798205),
            (49, 0.975, 2.0095752371292392),
            (322, 0.975, 1.96735858532268),
            (6999, 0.9, 1.2816725351602396),
            (6999, 0.975, 1.9603029864766415),
            (6999, 0.9995, 3.2919174252440264),
            (999_999, 0.975, 1.9599663568164791),
        ] {
            close(t_quantile(p, freedom), expected);
        }
    }
}
