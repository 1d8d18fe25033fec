//! Services that are asked by POST and answer with JSON.

mod authority;
mod client;
mod exchange;
mod failure;
mod proxy;
mod retry;
mod tls;

pub(crate) use client::{Client, Endpoint, Header};
pub(crate) use failure::{Failure, GaveUp};
pub(crate) use retry::Patience;
