//! What is done with the data beside serving them.

use std::path::Path;

use crate::hash::sha256;
use crate::records::{self, NewToken, Right, TokenRecord};
use crate::store::{Copied, Database, Store, Stored};

/// Makes a token of 256 random bits and returns it: it is shown once, and only its hash is kept.
///
/// # Errors
/// A random source that cannot be read; those of the store.
pub fn add_token(
    store: &Store,
    project: &str,
    name: &str,
    right: Right,
    (now, expires): (i64, i64),
) -> Result<String, String> {
    crate::api::checked_name("project", project).map_err(|problem| problem.detail().to_owned())?;
    let mut random = [0_u8; 32];
    fill(&mut random).map_err(|error| format!("no random numbers: {error}"))?;
    let token = format!("rankgate_{}", crate::hash::hex(&random));
    let new = NewToken {
        sha256: sha256(token.as_bytes()),
        project: project.to_owned(),
        name: name.to_owned(),
        right,
        expires,
    };
    store.write(move |session| records::add_token(session, &new, now)).map_err(|error| error.to_string())?;
    Ok(token)
}

fn fill(random: &mut [u8]) -> std::io::Result<()> {
    use std::io::Read;
    std::fs::File::open("/dev/urandom")?.read_exact(random)
}

/// All tokens, in the order in which they were made.
///
/// # Errors
/// Those of the store.
pub fn tokens(store: &Store) -> Stored<Vec<TokenRecord>> {
    store.read(records::tokens)
}

/// Takes a token back; whether there was one.
///
/// # Errors
/// Those of the store.
pub fn revoke_token(store: &Store, id: i64, now: i64) -> Stored<bool> {
    store.write(move |session| records::revoke_token(session, id, now))
}

/// Copies everything into a new file.
///
/// # Errors
/// Those of the store.
pub fn backup(store: &Store, file: &Path) -> Stored<Copied> {
    store.backup(file)
}

/// Copies everything into an empty database, and compares both sides by counts and hashes.
///
/// # Errors
/// Those of the store.
pub fn move_to(store: &Store, other: &Database) -> Stored<Copied> {
    store.copy_to(other)
}
