//! Services that are asked by POST and answer with JSON.

mod authority;
mod client;
mod exchange;
mod failure;
pub(crate) mod proxy;
mod retry;
mod roots;
pub(crate) mod tls;
pub use client::{Client, Endpoint, Header, Request};
pub use failure::{Failure, GaveUp};
pub use proxy::check as check_proxy;
pub use retry::Patience;
pub use roots::roots;
pub use tls::reason as tls_reason;
