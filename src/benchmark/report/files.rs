//! Reports as files: a folder for each benchmark, whose report is of the last run that there was.

use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};

use crate::error::chain;
use crate::output::{Written, write_whole};
use crate::spec::Spec;
use crate::{Error, Result};

use crate::measure::{normalize_path, report_file as file};
use crate::model::Report;
use crate::report::RENDERINGS;

/// Renderings larger than this are of no spec with an error in it.
const ERROR_BYTES: u64 = 256 << 10;

/// Writes the renderings of a report, each file whole or not at all. They are as old as the run, even if the last run wrote
/// the same.
pub(super) fn write(output: &Path, report: &Report) -> Result<()> {
    for (ending, render) in RENDERINGS {
        let path = file(output, &report.benchmark, ending);
        if write_whole(&path, render(report).as_bytes())? == Written::Unchanged {
            let touched = File::options().write(true).open(&path);
            // Only the age that is shown would be wrong.
            drop(touched.and_then(|file| file.set_modified(SystemTime::now())));
        }
    }
    Ok(())
}

/// Replaces the last report by the errors of a spec, so that it is not taken for today's. `shown`
/// is the spec's path as reports show it.
pub(crate) fn write_error(output: &Path, [spec, shown]: [&Path; 2], error: &Error) -> Result<()> {
    let named = Spec::name_in(spec).or_else(|| earlier(output, spec)).or_else(|| {
        // A file that is not there, perhaps by a misspelt path, makes no report.
        let stem = spec.is_file().then(|| spec.file_stem())??;
        Some(stem.to_string_lossy().into_owned())
    });
    let Some(benchmark) = named else { return Ok(()) };
    let report = Report {
        spec: shown.display().to_string().replace('\\', "/"),
        spec_sha256: crate::collection::file_sha256(spec).ok(),
        error: Some(chain(error)),
        ..Report::blank(&benchmark)
    };
    write(output, &report)
}

/// The part of a report that names its spec.
struct Origin {
    benchmark: String,
    spec: String,
    error: Option<String>,
}

/// Of a report, which may be large, nothing else is kept.
impl<'de> Deserialize<'de> for Origin {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(OriginOnly)
    }
}

struct OriginOnly;

impl<'de> Visitor<'de> for OriginOnly {
    type Value = Origin;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a report")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Origin, A::Error> {
        let (mut benchmark, mut spec, mut error) = (None, None, None);
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "benchmark" => benchmark = Some(map.next_value()?),
                "spec" => spec = Some(map.next_value()?),
                "error" => error = map.next_value()?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        let missing = A::Error::missing_field;
        let benchmark = benchmark.ok_or_else(|| missing("benchmark"))?;
        Ok(Origin { benchmark, spec: spec.ok_or_else(|| missing("spec"))?, error })
    }
}

/// The reports that are there, each with the folder that it is in.
fn origins(output: &Path, most: u64) -> impl Iterator<Item = (PathBuf, Origin)> {
    let folders =
        std::fs::read_dir(output).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    folders.filter_map(move |folder| {
        let path = folder.join("report.json");
        let is_small = std::fs::metadata(&path).is_ok_and(|metadata| metadata.len() <= most);
        let text = is_small.then(|| std::fs::read(&path).ok())??;
        Some((folder, serde_json::from_slice(&text).ok()?))
    })
}

/// The benchmark that an earlier report of this spec names.
fn earlier(output: &Path, spec: &Path) -> Option<String> {
    let place = normalize_path(&std::env::current_dir().ok()?.join(spec));
    let of_it = |(_, origin): &(PathBuf, Origin)| !origin.spec.is_empty() && place.ends_with(&origin.spec);
    Some(origins(output, u64::MAX).find(of_it)?.1.benchmark)
}

/// Removes the page with the errors of a spec that now ran, under another name.
pub(super) fn remove_errors(output: &Path, report: &Report) {
    for (folder, origin) in origins(output, ERROR_BYTES) {
        if origin.error.is_some() && origin.spec == report.spec && origin.benchmark != report.benchmark {
            for (ending, _) in RENDERINGS {
                // Whatever cannot be removed is told of as older than the spec.
                drop(std::fs::remove_file(folder.join(format!("report.{ending}"))));
            }
            drop(std::fs::remove_dir(folder));
        }
    }
}
