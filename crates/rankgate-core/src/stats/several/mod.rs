//! What several collections show together.

mod joined;
