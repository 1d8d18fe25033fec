//! Paired tests, intervals and corrections.
