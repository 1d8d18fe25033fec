//! The server as its users have it: over a socket, on SQLite and on PostgreSQL.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails where something is not as it should be"
)]

mod access;
mod bodies;
mod bounds;
mod client;
mod cluster;
mod command;
mod connections;
mod contents;
mod evaluations;
mod faults;
mod histories;
mod hooks;
mod kinds;
mod labels;
mod lines;
mod oidc;
mod openapi;
mod pages;
mod pushes;
mod rescores;
mod running;
mod sample;
mod stores;
mod upkeep;
