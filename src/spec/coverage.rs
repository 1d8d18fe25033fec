//! `coverage:`: the share of the data that gates need.

use crate::mapping::{FromNode, Reader};
use crate::yaml::{Node, Problem};

/// A share of a whole, from 0 to 1.
#[derive(Clone, Copy)]
pub(crate) struct Share(pub(crate) f64);

impl FromNode for Share {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let share = reader.number(node, "a share, from 0 to 1")?;
        if (0.0..=1.0).contains(&share) {
            return Some(Self(share));
        }
        let problem = Problem::new(node.span, format!("a share is from 0 to 1, not {share}"));
        let is_percentage = (2.0..=100.0).contains(&share);
        reader.report(match is_percentage {
            true => problem.help(format!("did you mean `{}`?", share / 100.0)),
            false => problem,
        });
        None
    }
}
