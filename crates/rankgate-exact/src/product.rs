//! Products of blocks of vectors.

use gemm::Parallelism;

/// The inner products of each of `rows` with each of `queries`, all of one dimension: those of query 0 first.
///
/// `products` has room for one number of each pair.
pub(crate) fn products(rows: &[f32], queries: &[f32], dimension: usize, products: &mut [f32]) {
    let (m, n) = (rows.len() / dimension, queries.len() / dimension);
    assert!(rows.len() == m * dimension && queries.len() == n * dimension && products.len() == m * n);
    let (stride, column) = (dimension.cast_signed(), m.cast_signed());
    #[expect(
        unsafe_code,
        reason = "a loop over safe inner products takes several times as long: benches/peers/exact.py"
    )]
    // SAFETY: the three slices have the sizes that the strides ask for, which was asserted; `products` is borrowed
    // exclusively, so that it is none of the others, and is only written to.
    unsafe {
        gemm::gemm(
            m,
            n,
            dimension,
            products.as_mut_ptr(),
            column,
            1,
            false,
            rows.as_ptr(),
            1,
            stride,
            queries.as_ptr(),
            stride,
            1,
            0.0_f32,
            1.0_f32,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_each_pair() {
        let mut out = [0.0; 6];
        // Two rows, three queries: by hand.
        products(&[1.0, 2.0, 3.0, 4.0], &[1.0, 0.0, 0.0, 1.0, 1.0, 1.0], 2, &mut out);
        assert_eq!(out, [1.0, 3.0, 2.0, 4.0, 3.0, 7.0]);
    }
}
