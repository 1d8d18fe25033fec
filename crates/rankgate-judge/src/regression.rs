//! Least squares with limits over clusters.
//!
//! The coefficients are those of ordinary least squares with an intercept. Their variance is the sandwich of the sums of scores
//! within clusters (Liang & Zeger 1986), times `g / (g - 1) * (n - 1) / (n - k)` for `g` clusters, `n` rows and `k` coefficients.
//! Limits and p-values are by Student's t with `g - 1` degrees of freedom, as `cov_type="cluster"` of statsmodels has them.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::stats::{Confidence, Interval};

/// Less than this share of a column's variance that the columns before it leave counts as none.
const LEAST_VARIANCE: f64 = 1e-9;

/// The effect of one column, with all others held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Coefficient {
    /// By how much the outcome rises where the column rises by 1.
    pub(crate) value: f64,
    pub(crate) interval: Interval,
    /// Two-sided, against no effect.
    pub(crate) p: f64,
}

/// A row: its outcome, its columns, all of the same number, and its cluster.
#[derive(Clone, Debug)]
pub(crate) struct Row<'a> {
    pub(crate) outcome: f64,
    pub(crate) columns: Vec<f64>,
    pub(crate) cluster: &'a str,
}

/// The coefficient of each column; `None` of a column that is the same everywhere, or that those before it make up. Nothing where
/// there are fewer than two clusters, no more rows than coefficients, or all rows fit exactly. Rows of a cluster stand together.
pub(crate) fn cluster_robust(rows: &[Row<'_>], confidence: Confidence) -> Option<Vec<Option<Coefficient>>> {
    let (n, width) = (rows.len(), rows.first()?.columns.len());
    let mean = |column: &dyn Fn(&Row<'_>) -> f64| rows.iter().map(column).sum::<f64>() / n as f64;
    // About their means columns say the same, and the intercept says nothing of them.
    let centre: Vec<f64> = (0..width).map(|at| mean(&|row| row.columns[at])).collect();
    let level = mean(&|row| row.outcome);
    let mut kept: Vec<(usize, Vec<f64>)> = Vec::new();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for (at, centre) in centre.iter().enumerate() {
        let own: Vec<f64> = rows.iter().map(|row| row.columns[at] - centre).collect();
        let (before, scale) = (dot(&own, &own), 1.0 + centre * centre);
        let mut left = own.clone();
        // Twice, since the first pass leaves rounding errors.
        for _ in 0..2 {
            for one in &basis {
                let along = dot(&left, one);
                left.iter_mut().zip(one).for_each(|(left, one)| *left -= along * one);
            }
        }
        let after = dot(&left, &left);
        if before <= LEAST_VARIANCE * scale * n as f64 || after <= LEAST_VARIANCE * before {
            continue;
        }
        let length = after.sqrt();
        left.iter_mut().for_each(|value| *value /= length);
        basis.push(left);
        kept.push((at, own));
    }
    let k = kept.len() + 1;
    let clusters: Vec<usize> =
        rows.chunk_by(|one, other| one.cluster == other.cluster).map(<[_]>::len).collect();
    let g = clusters.len();
    if g < 2 || n <= k || kept.is_empty() {
        return None;
    }
    let gram: Vec<Vec<f64>> =
        kept.iter().map(|(_, one)| kept.iter().map(|(_, other)| dot(one, other)).collect()).collect();
    let inverse = inverted(gram)?;
    let outcome: Vec<f64> = rows.iter().map(|row| row.outcome - level).collect();
    let moments: Vec<f64> = kept.iter().map(|(_, own)| dot(own, &outcome)).collect();
    let values: Vec<f64> = inverse.iter().map(|row| dot(row, &moments)).collect();
    let fitted = |at: usize| kept.iter().zip(&values).map(|((_, own), value)| own[at] * value).sum::<f64>();
    let residuals: Vec<f64> = (0..n).map(|at| outcome[at] - fitted(at)).collect();
    // What the intercept takes of a cluster's scores is 0 for columns about their means.
    let (mut meat, mut from) = (vec![vec![0.0; kept.len()]; kept.len()], 0);
    for size in clusters {
        let within = from..from + size;
        let scores: Vec<f64> =
            kept.iter().map(|(_, own)| dot(&own[within.clone()], &residuals[within.clone()])).collect();
        for (row, one) in meat.iter_mut().zip(&scores) {
            row.iter_mut().zip(&scores).for_each(|(sum, other)| *sum += one * other);
        }
        from += size;
    }
    let scale = g as f64 / (g - 1) as f64 * (n - 1) as f64 / (n - k) as f64;
    let student = StudentsT::new(0.0, 1.0, (g - 1) as f64).ok()?;
    let quantile = student.inverse_cdf(0.5 + confidence.level() / 2.0);
    let mut coefficients = vec![None; width];
    for (row, ((at, _), value)) in inverse.iter().zip(kept.iter().zip(&values)) {
        let variance = scale * dot(row, &meat.iter().map(|own| dot(own, row)).collect::<Vec<_>>());
        let error = variance.max(0.0).sqrt();
        if error <= 0.0 {
            return None;
        }
        let interval = Interval { low: value - quantile * error, high: value + quantile * error };
        let p = 2.0 * student.sf((value / error).abs());
        coefficients[*at] = Some(Coefficient { value: *value, interval, p });
    }
    Some(coefficients)
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// The inverse of a symmetric matrix, by elimination with the largest pivot; `None` where there is none.
fn inverted(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let size = matrix.len();
    let mut inverse: Vec<Vec<f64>> =
        (0..size).map(|row| (0..size).map(|at| f64::from(u8::from(at == row))).collect()).collect();
    for at in 0..size {
        let pivot =
            (at..size).max_by(|one, other| matrix[*one][at].abs().total_cmp(&matrix[*other][at].abs()))?;
        matrix.swap(at, pivot);
        inverse.swap(at, pivot);
        let by = matrix[at][at];
        if by == 0.0 || !by.is_finite() {
            return None;
        }
        for side in [&mut matrix, &mut inverse] {
            side[at].iter_mut().for_each(|value| *value /= by);
        }
        for row in (0..size).filter(|row| *row != at) {
            let times = matrix[row][at];
            for side in [&mut matrix, &mut inverse] {
                let pivot = side[at].clone();
                side[row].iter_mut().zip(pivot).for_each(|(value, pivot)| *value -= times * pivot);
            }
        }
    }
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Linear congruential numbers from 0 to 1.
    struct Drawn(u64);

    impl Drawn {
        fn next(&mut self) -> f64 {
            self.0 = (self.0 * 1_103_515_245 + 12_345) % (1 << 31);
            self.0 as f64 / f64::from(1_u32 << 31)
        }
    }

    const CLUSTERS: [&str; 12] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];

    fn rows() -> Vec<Row<'static>> {
        let (mut drawn, mut rows) = (Drawn(1), Vec::new());
        for (number, cluster) in CLUSTERS.into_iter().enumerate() {
            let shift = drawn.next() - 0.5;
            for _ in 0..2 + number % 4 {
                let (a, b) = (drawn.next(), drawn.next());
                let c = f64::from(u8::from(drawn.next() < 0.4));
                let outcome = 0.2 + shift + 1.5 * a - 0.3 * c + (drawn.next() - 0.5);
                rows.push(Row { outcome, columns: vec![a, b, c], cluster });
            }
        }
        rows
    }

    /// By statsmodels 0.15.0: `OLS(y, add_constant(x)).fit(cov_type="cluster", cov_kwds={"groups": g}, use_t=True)` on the same rows.
    #[test]
    fn limits_are_those_of_statsmodels() {
        let found = cluster_robust(&rows(), Confidence::default()).unwrap();
        let expected = [
            (1.418_217_07, 2.864_394_49e-7, [1.134_109_05, 1.702_325_08]),
            (0.267_590_62, 7.832_989_92e-2, [-0.035_867_62, 0.571_048_87]),
            (-0.266_046_70, 1.127_877_65e-2, [-0.458_768_12, -0.073_325_28]),
        ];
        for (found, (value, p, [low, high])) in found.into_iter().zip(expected) {
            let found = found.unwrap();
            for (found, expected) in
                [(found.value, value), (found.interval.low, low), (found.interval.high, high)]
            {
                assert!((found - expected).abs() < 1e-8, "{found} {expected}");
            }
            assert!((found.p / p - 1.0).abs() < 1e-6, "{} {p}", found.p);
        }
    }

    #[test]
    fn columns_that_add_nothing_have_no_coefficient() {
        let with = |more: fn(&[f64]) -> [f64; 2]| -> Vec<Row<'static>> {
            let rows = rows().into_iter();
            rows.map(|row| Row { columns: [&row.columns[..], &more(&row.columns)].concat(), ..row }).collect()
        };
        let plain = cluster_robust(&rows(), Confidence::default()).unwrap();
        // One is the same everywhere, and one is what others make up.
        let more =
            cluster_robust(&with(|own| [7.0, 2.0 * own[0] - own[2] + 1.0]), Confidence::default()).unwrap();
        assert_eq!((more.len(), &more[3..]), (5, &[None, None][..]));
        for (one, other) in plain.iter().zip(&more) {
            assert!((one.unwrap().value - other.unwrap().value).abs() < 1e-9);
        }
    }

    #[test]
    fn too_little_is_no_regression() {
        let rows = rows();
        let of_one: Vec<Row<'_>> = rows.iter().map(|row| Row { cluster: "a", ..row.clone() }).collect();
        let fits: Vec<Row<'_>> =
            rows.iter().map(|row| Row { outcome: row.columns[0], ..row.clone() }).collect();
        let empty: Vec<Row<'_>> = rows.iter().map(|row| Row { columns: vec![1.0], ..row.clone() }).collect();
        for (what, rows) in [("one cluster", &of_one[..]), ("few rows", &rows[..4]), ("no column", &empty)] {
            assert_eq!(cluster_robust(rows, Confidence::default()), None, "{what}");
        }
        // Rounding may leave an error, and then it is next to none.
        let exact = cluster_robust(&fits, Confidence::default());
        assert!(exact.is_none_or(|all| (all[0].unwrap().value - 1.0).abs() < 1e-9));
    }
}
