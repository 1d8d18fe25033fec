//! What several collections show together.

mod conjunction;
mod joined;
mod random_effects;

pub use self::conjunction::{PartialConjunction, partial_conjunction};
pub use self::random_effects::{FEWEST_COLLECTIONS, RandomEffects, random_effects};
