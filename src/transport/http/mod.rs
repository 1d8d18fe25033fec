//! Services that are asked by POST and answer with JSON.

mod authority;
mod client;
mod exchange;
mod failure;
pub(crate) mod proxy;
mod retry;
mod roots;
pub(crate) mod tls;

pub(crate) use client::{Client, Connections, Endpoint, Header};
pub(crate) use failure::{Failure, GaveUp};
pub(crate) use retry::Patience;
#[cfg(feature = "fetch")]
pub(crate) use roots::roots;
