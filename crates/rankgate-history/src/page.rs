//! A timeline as HTML: one page that loads nothing and has no script.

use std::fmt::Write;

use rankgate_report::report::internal::STYLE as REPORT_STYLE;

use crate::plot::plot;
use crate::text::{counted, day, format_p, headline, marks, printable, sentence, subject};
use crate::timeline::{Alarm, Histories, Timeline};

/// The style of the page, for pages of a server as well: that of a report's page, and what only trends have.
pub fn style() -> String {
    format!("{REPORT_STYLE}{}", include_str!("page.css"))
}

/// Histories as one page.
pub fn page(all: &Histories) -> String {
    let open: usize = all.histories.iter().map(|one| one.open().count()).sum();
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <title>History of retrieval quality</title><style>{}</style></head><body>\
         <h1>History of retrieval quality</h1><p class=\"{}\">{}</p>",
        style(),
        if open == 0 { "good" } else { "bad" },
        if open == 0 { "No open alarm".to_owned() } else { counted(open, "open alarm") }
    );
    for one in &all.histories {
        html += &section(one, &|_| String::new());
    }
    if !all.unplaced.is_empty() {
        html += "<h2>Not placed</h2><ul>";
        for one in &all.unplaced {
            let _ = write!(html, "<li>{}: {}</li>", escaped(&one.what), escaped(&one.why));
        }
        html += "</ul>";
    }
    html + "</body></html>\n"
}

/// The history of one configuration, without a page around it. `form` is HTML that follows each open alarm.
pub fn section(told: &Timeline, form: &dyn Fn(&Alarm) -> String) -> String {
    let mut html = format!("<section><h2>{}</h2>", escaped(&headline(told)));
    for alarm in &told.alarms {
        html += &alarm_html(alarm, form);
    }
    for metric in &told.metrics {
        let _ = write!(html, "<h3>{}</h3>{}", escaped(metric), plot(told, metric));
    }
    html += "<table><thead><tr><th>Commit</th><th>Date</th><th class=\"number\">Ranking</th>";
    for metric in &told.metrics {
        let _ = write!(html, "<th class=\"number\">{}</th>", escaped(metric));
    }
    html += "<th>Message</th><th></th></tr></thead><tbody>";
    for entry in told.commits.iter().rev() {
        let (id, day) = (escaped(entry.commit.short()), day(entry.commit.time));
        let ranking = entry.ranking;
        let _ =
            write!(html, "<tr><td><code>{id}</code></td><td>{day}</td><td class=\"number\">{ranking}</td>");
        for metric in &told.metrics {
            let mean = entry.means.get(metric).map_or(String::from("-"), |mean| format!("{mean:.4}"));
            let _ = write!(html, "<td class=\"number\">{mean}</td>");
        }
        let (subject, marks) = (escaped(&subject(&entry.commit)), escaped(&marks(told, entry)));
        let _ = write!(html, "<td>{subject}</td><td class=\"soft\">{marks}</td></tr>");
    }
    html + "</tbody></table></section>"
}

fn alarm_html(alarm: &Alarm, form: &dyn Fn(&Alarm) -> String) -> String {
    let class = if alarm.is_open() { "alarm open" } else { "alarm" };
    let state = match (alarm.is_open(), alarm.acknowledged) {
        (true, _) => "Alarm",
        (false, true) => "Acknowledged alarm",
        (false, false) => "Ended alarm",
    };
    let mut html = format!(
        "<div class=\"{class}\"><p><strong>{state}</strong>: {}</p><table><thead><tr><th>Against</th>\
         <th class=\"number\">Before</th><th class=\"number\">Now</th><th>p</th><th>Level</th></tr></thead><tbody>",
        escaped(&sentence(alarm))
    );
    for held in &alarm.against {
        let p = escaped(format_p(held.p).trim_start_matches("= "));
        let _ = write!(
            html,
            "<tr><td>{}</td><td class=\"number\">{:.4}</td><td class=\"number\">{:.4}</td><td>{p}</td>\
             <td>{:.2e}</td></tr>",
            held.reference, held.before, held.now, held.level
        );
    }
    html += "</tbody></table>";
    if !alarm.queries.is_empty() {
        let queries = alarm.queries.iter();
        let queries: Vec<String> =
            queries.map(|one| format!("{} {:.4} → {:.4}", one.query, one.before, one.now)).collect();
        let _ = write!(html, "<p>Queries that lost most: {}</p>", escaped(&queries.join(", ")));
    }
    if let Some(note) = &alarm.note {
        let _ = write!(html, "<p>Note: {}</p>", escaped(note));
    }
    let form = if alarm.is_open() { form(alarm) } else { String::new() };
    let _ = write!(html, "<p class=\"soft\">id {}</p>{form}</div>", escaped(&alarm.id));
    html
}

/// Text as HTML, in elements and in quoted attributes.
pub fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for one in printable(text).chars() {
        match one {
            '&' => html += "&amp;",
            '<' => html += "&lt;",
            '>' => html += "&gt;",
            '"' => html += "&quot;",
            '\'' => html += "&#39;",
            one => html.push(one),
        }
    }
    html
}
