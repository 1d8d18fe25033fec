//! Random bytes, of the system.

use ring::rand::{SecureRandom, SystemRandom};

use crate::hash::hex;

/// 256 random bits, as text.
pub(crate) fn secret() -> std::io::Result<String> {
    let mut random = [0_u8; 32];
    fill(&mut random)?;
    Ok(hex(&random))
}

/// Fills it with random bytes.
pub(crate) fn fill(random: &mut [u8]) -> std::io::Result<()> {
    SystemRandom::new().fill(random).map_err(|_| std::io::Error::other("the system gives none"))
}
