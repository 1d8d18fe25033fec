//! What a sample cannot show: one more query beside those that were seen, at the worst that it can be.

mod difference;
mod exponentials;
mod limit;
mod tail;

pub(super) use self::difference::WeighedMean;
pub use self::difference::{Robustness, UNSEEN_DRAWS};
use self::exponentials::Combination;
pub(super) use self::tail::UnseenQuery;
pub use self::tail::unseen_tail;
