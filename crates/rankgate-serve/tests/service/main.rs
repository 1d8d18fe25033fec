//! The server as its users have it: over a socket, on SQLite and on PostgreSQL.

mod access;
mod client;
mod cluster;
mod evaluations;
mod faults;
mod histories;
mod openapi;
mod pushes;
mod running;
mod sample;
mod stores;
mod upkeep;
