//! What the description of a judge says by itself.

use super::item::Description;

impl Description {
    /// Whether the model's name is known to mean another model from time to time: `latest`, or a family of a host
    /// without a date.
    #[must_use]
    pub fn may_move(&self) -> bool {
        const HOSTED: [&str; 9] =
            ["gpt-", "chatgpt-", "o1", "o3", "o4", "claude-", "gemini-", "mistral-", "command-"];
        if let Some(jury) = &self.jury {
            return jury
                .members
                .iter()
                .any(|member| Self { model: member.clone(), jury: None, ..self.clone() }.may_move());
        }
        let name = self.model.rsplit('/').next().unwrap_or_default().to_lowercase();
        let dated = name.as_bytes().windows(4).any(|four| four.iter().all(u8::is_ascii_digit));
        name.contains("latest") || (HOSTED.iter().any(|family| name.starts_with(family)) && !dated)
    }

    /// Who is asked: the judge itself, or the members of a jury, each a judge of its own. Lists of claims and nuggets are the first
    /// member's: two lists differ in their words, whatever they say.
    #[must_use]
    pub fn judges_to_ask(&self) -> Vec<Self> {
        let Some(jury) = &self.jury else { return vec![self.clone()] };
        let asked = if self.form.is_list() { 1 } else { jury.members.len() };
        let member = |name: &String| Self { model: name.clone(), jury: None, ..self.clone() };
        jury.members.iter().take(asked).map(member).collect()
    }

    /// The prompt's guidelines for graders, up to the query: people get the same.
    #[must_use]
    pub fn guidelines(&self) -> &str {
        let end = ["{query}", "{document}"].iter().filter_map(|place| self.prompt.find(place)).min();
        let told = self.prompt[..end.unwrap_or(self.prompt.len())].trim_end();
        // The last line announces what is not there.
        let announced = told.rsplit_once('\n').filter(|(_, last)| last.trim_end().ends_with(':'));
        announced.map_or(told, |(before, _)| before.trim_end())
    }
}
