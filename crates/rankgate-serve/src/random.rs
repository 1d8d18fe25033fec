//! Random bytes, of the system.

use crate::hash::hex;

/// 256 random bits, as text.
pub(crate) fn secret() -> std::io::Result<String> {
    let mut random = [0_u8; 32];
    fill(&mut random)?;
    Ok(hex(&random))
}

/// Fills it with random bytes.
pub(crate) fn fill(random: &mut [u8]) -> std::io::Result<()> {
    use std::io::Read;
    std::fs::File::open("/dev/urandom")?.read_exact(random)
}
