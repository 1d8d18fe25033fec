#![doc = include_str!("../README.md")]

#[doc(no_inline)]
pub use rankgate::*;
