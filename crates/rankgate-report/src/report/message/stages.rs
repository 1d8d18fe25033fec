//! Which stage of a pipeline a difference falls to.

use crate::model::{StagePart, StageParts};
use crate::report::clean::{clean, shorten_name};
use crate::report::number::{change, fixed, interval, percent};
use crate::report::page::{Block, Table, Text};
use crate::stats::ROUNDING;

use super::{NAME, REMARK};

/// What is called so that stands behind the last stage.
const LAST: &str = "the ranking after them";

/// A sentence that says which stage lost what, and each part with its interval; nothing where no part moved.
pub(crate) fn part(split: &StageParts, digits: usize, confidence: f64) -> Vec<Block> {
    if let Some(missing) = &split.missing {
        return vec![Block::paragraph(format!("by stage: not known, since {}", clean(missing)))];
    }
    if split.parts.iter().all(|part| part.difference.abs() < ROUNDING) {
        return Vec::new();
    }
    let told: Vec<String> = split
        .parts
        .iter()
        .map(|part| format!("{} {}", clean(&name(part)), moved(part.difference, digits)))
        .collect();
    let mut table = Table::default().right([1]).rest(30, REMARK);
    for part in &split.parts {
        let limits = part
            .interval
            .map(|limits| format!("{} CI {} (t)", percent(confidence), interval(limits, digits)));
        table.row::<Text>([
            shorten_name(&name(part), NAME).into(),
            change(part.difference, digits),
            limits.unwrap_or_else(|| "no interval".to_owned()).into(),
        ]);
    }
    vec![Block::paragraph(format!("by stage: {}", told.join(", "))), Block::Table(table)]
}

fn name(part: &StagePart) -> String {
    if part.stages.is_empty() { LAST.to_owned() } else { part.stages.join("+") }
}

fn moved(difference: f64, digits: usize) -> String {
    match difference {
        none if none.abs() < ROUNDING => "lost nothing".to_owned(),
        lost if lost < 0.0 => format!("lost {}", fixed(-lost, digits)),
        gained => format!("gained {}", fixed(gained, digits)),
    }
}
