//! Internal to [rankgate](https://docs.rs/rankgate): services that are asked over HTTP and answer with JSON.
//!
//! Requests go through the proxy and to the authorities that the environment names. What comes back is an answer, or
//! a failure with a type of its own, whose secrets are hidden.

mod authority;
mod bodies;
mod client;
mod exchange;
mod failure;
mod proxy;
mod retry;
mod roots;
mod search;
mod shape;
mod tls;
mod url;

pub use bodies::show_bodies;
pub use client::{Client, Endpoint, Header, Request};
pub use failure::{Failure, GaveUp, Unusable};
pub use proxy::check as check_proxy;
use rankgate_core::internal::{base64, ci, error, json, secrets, wire, words};
use rankgate_core::run;
pub use retry::Patience;
pub use roots::roots;
pub use search::{Found, Search};
pub use shape::Shape;
pub use tls::reason as tls_reason;
pub use url::{Url, parse as parse_address};
