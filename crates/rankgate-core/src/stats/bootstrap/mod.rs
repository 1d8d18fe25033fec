//! The paired bootstrap: intervals and a test from resampled units.

mod draw;
mod interval;
mod resamples;
mod test;

pub use self::resamples::Bootstrap;
