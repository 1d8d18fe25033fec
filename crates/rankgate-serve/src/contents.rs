//! Bytes by their hash: compressed, or as what they differ by from other bytes that are kept whole.
//!
//! Reports of rankings that are known differ in their commit and little else: 80 kB each become a few hundred bytes. A
//! difference rests on whole bytes, never on another difference, and on bytes of the same project.

use crate::difference::{difference, restore};
use crate::gzip::{compressed, decompressed};
use crate::store::{Session, StoreError, Stored};

/// A difference is kept where it is at most this part of the whole, compressed.
const WORTH: usize = 4;
/// Differences that may rest on the same bytes: as many are written anew when these go.
const MOST: i64 = 100;
/// Bytes are taken to be no more than this.
const LARGEST: usize = 1 << 30;

/// What bytes differ by from those of a hash.
pub(crate) struct Difference {
    base: String,
    packed: Vec<u8>,
}

/// Bytes that others may rest on.
pub(crate) struct Base {
    sha256: String,
    gzip: Vec<u8>,
}

impl Base {
    /// The last report of a benchmark that is kept whole and has a ranking in this state, where it is of about this size.
    pub(crate) fn last_report(
        session: &mut dyn Session,
        (project, benchmark, state): (&str, &str, &str),
        size: usize,
    ) -> Stored<Option<Self>> {
        let sql = "SELECT blob.project, blob.sha256, blob.size, blob.gzip FROM project \
                   JOIN scoring ON scoring.project = project.id AND scoring.state = $3 \
                   JOIN measured ON measured.scoring = scoring.id JOIN report ON report.id = measured.report \
                   JOIN blob ON blob.project = report.project AND blob.sha256 = report.sha256 \
                   WHERE project.name = $1 AND report.benchmark = $2 AND blob.base IS NULL ORDER BY report.id DESC LIMIT 1";
        let Some(row) = session.one(sql, &[project.into(), benchmark.into(), state.into()])? else {
            return Ok(None);
        };
        let (project, sha256, gzip) = (row.int(0), row.text(1).to_owned(), row.bytes(3).to_vec());
        if usize::try_from(row.int(2)).is_ok_and(|of_base| of_base > size.saturating_mul(2)) {
            return Ok(None);
        }
        let resting = resting_on(session, project, &sha256)?.len();
        Ok((i64::try_from(resting).unwrap_or(MOST) < MOST).then_some(Self { sha256, gzip }))
    }

    /// What bytes differ by from these; none where that is worth little beside the whole, of so many bytes.
    pub(crate) fn difference(self, bytes: &[u8], whole: usize) -> Option<Difference> {
        let base = decompressed(&self.gzip, LARGEST).ok()?;
        let packed = difference(&base, bytes).ok()?;
        (packed.len() <= whole / WORTH).then_some(Difference { base: self.sha256, packed })
    }
}

/// Keeps bytes by their hash; they may be there. They are kept whole where what they differ from is not there any more.
pub(crate) fn add(
    session: &mut dyn Session,
    (project, now): (i64, i64),
    (sha256, size): (&str, usize),
    gzip: Vec<u8>,
    difference: Option<Difference>,
) -> Stored<bool> {
    let is_there = "SELECT 1 FROM blob WHERE project = $1 AND sha256 = $2 AND base IS NULL";
    let difference = match difference {
        Some(one) if one.base != sha256 => {
            session.one(is_there, &[project.into(), (&one.base).into()])?.map(|_| one)
        }
        _ => None,
    };
    let (kept, base) = difference.map_or((gzip, None), |one| (one.packed, Some(one.base)));
    let sql = "INSERT INTO blob (project, sha256, size, gzip, received, base) VALUES ($1, $2, $3, $4, $5, $6) \
               ON CONFLICT (project, sha256) DO NOTHING";
    let size = i64::try_from(size).unwrap_or(i64::MAX);
    let values = [project.into(), sha256.into(), size.into(), kept.into(), now.into(), base.into()];
    Ok(session.execute(sql, &values)? > 0)
}

/// Bytes by their hash, compressed.
pub(crate) fn blob(session: &mut dyn Session, project: i64, sha256: &str) -> Stored<Option<Vec<u8>>> {
    let sql = "SELECT gzip, base, size FROM blob WHERE project = $1 AND sha256 = $2";
    let Some(row) = session.one(sql, &[project.into(), sha256.into()])? else { return Ok(None) };
    if !row.has(1) {
        return Ok(Some(row.bytes(0).to_vec()));
    }
    let base = row.text(1);
    let broken = |why: &str| StoreError::new(format!("blob {sha256} rests on blob {base}, {why}"));
    let whole = "SELECT gzip FROM blob WHERE project = $1 AND sha256 = $2 AND base IS NULL";
    let found = session.one(whole, &[project.into(), base.into()])?;
    let found = found.ok_or_else(|| broken("which is not there"))?;
    let bytes = decompressed(found.bytes(0), LARGEST).map_err(|problem| broken(problem.detail()))?;
    let size = usize::try_from(row.int(2)).ok().filter(|size| *size <= LARGEST);
    let size = size.ok_or_else(|| broken("and is of no size that bytes have"))?;
    let bytes = restore(&bytes, row.bytes(0), size).map_err(|error| broken(&error.to_string()))?;
    compressed(&bytes).map(Some).map_err(|problem| broken(problem.detail()))
}

/// The hashes of what rests on bytes, the last received first.
fn resting_on(session: &mut dyn Session, project: i64, sha256: &str) -> Stored<Vec<String>> {
    let sql = "SELECT sha256 FROM blob WHERE project = $1 AND base = $2 ORDER BY received DESC, sha256";
    let rows = session.query(sql, &[project.into(), sha256.into()])?;
    Ok(rows.iter().map(|row| row.text(0).to_owned()).collect())
}

/// Lets nothing rest on bytes any more, which may then go: the last of what does becomes whole, and carries the others.
pub(crate) fn release(session: &mut dyn Session, project: i64, sha256: &str) -> Stored<()> {
    let resting = resting_on(session, project, sha256)?;
    let mut all = Vec::new();
    for one in &resting {
        all.push((one, blob(session, project, one)?.unwrap_or_default()));
    }
    let sql = "UPDATE blob SET gzip = $3, base = $4 WHERE project = $1 AND sha256 = $2";
    let mut carrier: Option<&String> = None;
    for (one, gzip) in &all {
        let packed = carrier.and_then(|carrier| {
            let base = Base { sha256: carrier.clone(), gzip: all[0].1.clone() };
            base.difference(&decompressed(gzip, LARGEST).ok()?, gzip.len())
        });
        let (kept, base) = packed.map_or((gzip.clone(), None), |one| (one.packed, Some(one.base)));
        session.execute(sql, &[project.into(), one.as_str().into(), kept.into(), base.into()])?;
        carrier.get_or_insert(one);
    }
    Ok(())
}
