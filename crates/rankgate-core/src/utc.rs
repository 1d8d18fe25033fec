//! Dates, as people read them.

use std::time::{SystemTime, UNIX_EPOCH};

/// A moment to the minute: `2026-11-22 02:21 UTC`.
pub fn utc(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, minutes) = (seconds / 86_400, seconds / 60 % 1440);
    // Years that begin in March have their leap day at the end; 719,468 days are from March of year 0 to 1970.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
    format!("{:04}-{month:02}-{day:02} {:02}:{:02} UTC", era * 400 + year, minutes / 60, minutes % 60)
}

/// A moment as HTTP writes it, in any of its three forms (RFC 9110, section 5.6.7).
pub fn http_date(text: &str) -> Option<SystemTime> {
    const MONTHS: &str = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec";
    let words: Vec<&str> = text.split([' ', ',', '-']).filter(|word| !word.is_empty()).collect();
    let ([_, day, month, year, time, "GMT"] | [_, month, day, time, year]) = words[..] else { return None };
    let number = |digits: &str| digits.parse::<u64>().ok().filter(|_| digits.len() <= 4);
    let month = MONTHS.split(' ').position(|name| name == month)? as u64;
    let year = match (number(year)?, year.len()) {
        // Of two digits.
        (short, 2) => short + if short < 70 { 2000 } else { 1900 },
        (year, _) => year,
    };
    let day = number(day).filter(|day| (1..=31).contains(day))?;
    let time: Vec<u64> = time.split(':').map(number).collect::<Option<_>>()?;
    let [hours @ ..24, minutes @ ..60, seconds @ ..=60] = time[..] else { return None };
    // As above, the other way round.
    let year = year.checked_sub(u64::from(month < 2))?;
    let days =
        365 * year + year / 4 - year / 100 + year / 400 + (153 * ((month + 10) % 12) + 2) / 5 + day - 1;
    let seconds = (days.checked_sub(719_468)? * 24 + hours) * 3600 + minutes * 60 + seconds;
    UNIX_EPOCH.checked_add(std::time::Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        // `date -u -d @SECONDS`
        for (seconds, expected) in [
            (0, "1970-01-01 00:00 UTC"),
            (951_782_399, "2000-02-28 23:59 UTC"),
            (951_782_400, "2000-02-29 00:00 UTC"),
            (1_709_251_199, "2024-02-29 23:59 UTC"),
            (1_795_314_060, "2026-11-22 02:21 UTC"),
            (4_107_542_400, "2100-03-01 00:00 UTC"),
        ] {
            assert_eq!(utc(UNIX_EPOCH + Duration::from_secs(seconds)), expected);
        }
    }

    #[test]
    fn dates_of_http_are_read_in_all_three_forms() {
        // The examples of RFC 9110; `date -u -d "1994-11-06 08:49:37" +%s`
        let rfc = UNIX_EPOCH + Duration::from_secs(784_111_777);
        for text in
            ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
        {
            assert_eq!(http_date(text), Some(rfc), "{text}");
        }
        // `date -u -d "2024-02-29 23:59:59" +%s`
        let leap = UNIX_EPOCH + Duration::from_secs(1_709_251_199);
        assert_eq!(http_date("Thu, 29 Feb 2024 23:59:59 GMT"), Some(leap));
        assert_eq!(http_date("Thu, 01 Jan 1970 00:00:00 GMT"), Some(UNIX_EPOCH));
        for text in [
            "",
            "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 06 Nov 1994 08:49 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 06 November 1994 08:49:37 GMT",
            "Wed, 31 Dec 1969 23:59:59 GMT",
            "Wed, 31 Dec 0000 23:59:59 GMT",
            "Wed, 01 Jan 0000 23:59:59 GMT",
        ] {
            assert_eq!(http_date(text), None, "{text}");
        }
    }
}
