//! Dates and times as metadata have them, and ages.

use std::fmt;

use serde_json::Value;

use super::value::describe;
use crate::error::Quoted;
use crate::{Error, Result};

const SECONDS_A_DAY: i64 = 86_400;
/// The moments of a second: as many as decimals that are read.
const MOMENTS_A_SECOND: i128 = 1_000_000_000;

/// A moment, in nanoseconds since 1970 (UTC).
pub(super) type Moment = i128;

/// How old something is: whole weeks, days, hours, minutes or seconds.
///
/// ```
/// use rankgate::metric::Age;
///
/// assert_eq!("90d".parse::<Age>()?.to_string(), "90d");
/// assert!("a while".parse::<Age>().is_err());
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Age {
    seconds: i64,
    unit: i64,
}

/// Units with their seconds.
const UNITS: [(&str, i64); 5] =
    [("w", 7 * SECONDS_A_DAY), ("d", SECONDS_A_DAY), ("h", 3600), ("m", 60), ("s", 1)];

impl Age {
    /// The moment that is so much earlier.
    pub(super) fn before(self, moment: Moment) -> Moment {
        moment - i128::from(self.seconds) * MOMENTS_A_SECOND
    }
}

impl std::str::FromStr for Age {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let age = UNITS.iter().find_map(|(unit, seconds)| {
            let number = text.strip_suffix(unit)?;
            let number: u32 =
                number.bytes().all(|byte| byte.is_ascii_digit()).then(|| number.parse().ok())??;
            Some(Self { seconds: i64::from(number) * seconds, unit: *seconds })
        });
        age.ok_or_else(|| {
            let message = format!("{} is no age such as `90d`, `12h` or `2w`", Quoted(text));
            Error::invalid(message)
        })
    }
}

/// As it is written.
impl fmt::Display for Age {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = UNITS.iter().find(|(_, seconds)| *seconds == self.unit).map_or("s", |(unit, _)| unit);
        write!(f, "{}{unit}", self.seconds / self.unit)
    }
}

/// The moment that a value is.
pub(super) fn moment(value: &Value) -> Result<Moment> {
    match value {
        Value::String(text) => date(text),
        other => Err(Error::invalid(format!("{} is no date{EXAMPLES}", describe(other)))),
    }
}

const EXAMPLES: &str = ", such as `2026-03-31` or `2026-03-31T12:00:00Z`";

/// A date, which begins at midnight (UTC), or a date and time of RFC 3339. A time without a zone is one of UTC.
pub(super) fn date(text: &str) -> Result<Moment> {
    read(text).ok_or_else(|| Error::invalid(format!("{} is no date{EXAMPLES}", Quoted(text))))
}

fn read(text: &str) -> Option<Moment> {
    let (day, rest) = text.split_at_checked(10)?;
    let days = days_since_1970(day)?;
    if rest.is_empty() {
        return Some(i128::from(days * SECONDS_A_DAY) * MOMENTS_A_SECOND);
    }
    let time = rest.strip_prefix(['T', 't', ' '])?;
    let zone_at = time.find(['Z', 'z', '+', '-']).unwrap_or(time.len());
    let (time, zone) = time.split_at(zone_at);
    let (clock, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut parts = clock.split(':');
    let (hours, minutes) = (two_digits(parts.next()?, 23)?, two_digits(parts.next()?, 59)?);
    // A leap second is the last one of its minute.
    let seconds = parts.next().map_or(Some(0), |seconds| two_digits(seconds, 60))?.min(59);
    if parts.next().is_some() || fraction.is_empty() || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let nine: String = fraction.chars().chain("000000000".chars()).take(9).collect();
    let seconds = days * SECONDS_A_DAY + hours * 3600 + minutes * 60 + seconds - offset(zone)?;
    Some(i128::from(seconds) * MOMENTS_A_SECOND + nine.parse::<i128>().ok()?)
}

/// Seconds that a zone is ahead of UTC.
fn offset(zone: &str) -> Option<i64> {
    if zone.is_empty() || zone.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let (sign, clock) = match zone.split_at_checked(1)? {
        ("+", clock) => (1, clock),
        ("-", clock) => (-1, clock),
        _ => return None,
    };
    let (hours, minutes) = clock.split_once(':').or_else(|| clock.split_at_checked(2))?;
    let minutes = if minutes.is_empty() { 0 } else { two_digits(minutes, 59)? };
    Some(sign * (two_digits(hours, 23)? * 3600 + minutes * 60))
}

fn two_digits(text: &str, most: i64) -> Option<i64> {
    let number =
        (text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())??;
    (number <= most).then_some(number)
}

/// `2026-03-31`; `None` where the calendar has no such day.
fn days_since_1970(text: &str) -> Option<i64> {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || year.len() != 4 || !year.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let year: i64 = year.parse().ok()?;
    let (month, day) = (two_digits(month, 12)?, two_digits(day, 31)?);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        0 => return None,
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    if day == 0 || day > length {
        return None;
    }
    // Years that begin in March have their leap day at the end; 719,468 days are from March of year 0 to 1970.
    let march_year = year - i64::from(month < 3);
    let days_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let leap_days = march_year.div_euclid(4) - march_year.div_euclid(100) + march_year.div_euclid(400);
    Some(365 * march_year + leap_days + days_of_year - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_moments() {
        // `date -u -d TEXT +%s`
        for (text, seconds) in [
            ("1970-01-01", 0),
            ("1969-12-31", -86_400),
            ("2000-02-29", 951_782_400),
            ("2024-02-29T23:59:59Z", 1_709_251_199),
            ("2024-03-01T00:59:59+01:00", 1_709_251_199),
            ("2024-02-29 18:29:59-0530", 1_709_251_199),
            ("2026-11-22T02:21", 1_795_314_060),
            ("2100-03-01", 4_107_542_400),
            ("0001-01-01", -62_135_596_800),
        ] {
            assert_eq!(date(text).unwrap(), seconds * MOMENTS_A_SECOND, "{text}");
        }
        assert_eq!(date("1970-01-01T00:00:00.25Z").unwrap(), MOMENTS_A_SECOND / 4);
    }

    #[test]
    fn what_the_calendar_lacks_is_no_date() {
        for text in [
            "",
            "yesterday",
            "2026",
            "2026-03",
            "2026-13-01",
            "2026-00-01",
            "2026-02-29",
            "1900-02-29",
            "2026-04-31",
            "2026-01-00",
            "26-01-01",
            "2026-1-1",
            "2026-01-01T",
            "2026-01-01T24:00",
            "2026-01-01T12:60",
            "2026-01-01T12:00:00+",
            "2026-01-01T12:00:00.Z",
            "2026-01-01T12:00:00Zulu",
            "2026-01-01x",
            "２０２６-01-01",
            "+026-01-01",
            "2026-01-01T1:00",
            "2026-01-01T12:00:00+1",
            "01/02/2026",
        ] {
            let error = date(text).unwrap_err().to_string();
            assert!(error.ends_with("is no date, such as `2026-03-31` or `2026-03-31T12:00:00Z`"), "{error}");
        }
        let error = moment(&Value::from(20_260_331)).unwrap_err().to_string();
        assert!(error.starts_with("the number 20260331 is no date"), "{error}");
    }

    #[test]
    fn ages_have_units() {
        for (text, seconds) in
            [("90d", 90 * 86_400), ("2w", 14 * 86_400), ("12h", 43_200), ("5m", 300), ("0s", 0)]
        {
            let age: Age = text.parse().unwrap();
            assert_eq!((age.seconds, age.to_string().as_str()), (seconds, text));
        }
        for text in ["", "d", "90", "-1d", "1.5d", "90 d", "3y", "99999999999d"] {
            let error = text.parse::<Age>().unwrap_err().to_string();
            assert_eq!(error, format!("`{text}` is no age such as `90d`, `12h` or `2w`"));
        }
    }
}
