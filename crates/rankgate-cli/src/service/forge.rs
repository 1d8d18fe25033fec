//! Comments on pull requests (GitHub) and merge requests (GitLab).

use serde_json::{Value as Json, json};

use super::{Server, Unanswered};
use rankgate::{Error, ErrorKind, Result};
use rankgate_core::internal::shown::in_address;
use rankgate_http::Request;

/// More pages of comments are none that people wrote.
const PAGES: usize = 1_000;
/// Comments of a page: at GitLab, where one may have a million characters, few enough for one answer.
const GITHUB_PAGE: usize = 100;
const GITLAB_PAGE: usize = 20;
/// So often it is looked whether a comment has arrived whose answer was lost.
const TRIES: usize = 3;

/// A pull request or merge request, with its comments.
#[derive(Clone, Debug)]
pub(crate) struct Forge {
    server: Server,
    kind: ForgeKind,
    /// The path of its comments.
    comments: String,
    /// The path of a single one, before its number.
    comment: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ForgeKind {
    GitHub,
    GitLab,
}

/// A comment that begins with a marker.
struct Marked {
    id: u64,
    text: String,
    /// The number of who wrote it, where the forge still knows them.
    author: Option<u64>,
    /// Whether an app wrote it, and no person.
    is_of_app: bool,
}

/// Who writes comments with our token.
#[derive(Clone, Copy)]
enum Writer {
    /// The user of this number.
    User(u64),
    /// An app, of which GitHub does not say which: so it is with the token of GitHub Actions.
    App,
}

impl Writer {
    /// Whether a comment is theirs. Anybody may begin one with our marker, and some tokens may change everybody's.
    fn wrote(self, comment: &Marked) -> bool {
        match self {
            Self::User(id) => comment.author == Some(id),
            Self::App => comment.is_of_app,
        }
    }
}

/// What became of a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub(crate) enum Posted {
    /// There was none of ours, and now there is one.
    Created,
    /// The one that was there says something else now.
    Updated,
    /// The one that is there says the same.
    Unchanged,
}

impl Forge {
    /// The most characters that GitHub takes in a comment.
    pub(crate) const GITHUB_CHARACTERS: usize = 65_536;
    /// The most characters that GitLab takes in a comment.
    pub(crate) const GITLAB_CHARACTERS: usize = 1_000_000;

    /// A pull request of GitHub: the address of its API (`https://api.github.com`), the repository (`owner/name`), the
    /// number, and a token by the name of the variable that holds it, and its value.
    ///
    /// # Errors
    /// An address or a repository that is none.
    pub(crate) fn github(api: &str, repository: &str, number: u64, token: (&str, &str)) -> Result<Self> {
        let Some((owner, name)) = repository
            .split_once('/')
            .filter(|(owner, name)| !owner.is_empty() && !name.is_empty() && !name.contains('/'))
        else {
            let why = format!("{repository:?} is not a repository; expected owner/name");
            return Err(Error::with_kind(ErrorKind::BadInput, why));
        };
        let issues = format!("/repos/{}/{}/issues", in_address(owner), in_address(name));
        Ok(Self {
            server: Server::new(api, Some(token))?,
            kind: ForgeKind::GitHub,
            comments: format!("{issues}/{number}/comments"),
            comment: format!("{issues}/comments"),
        })
    }

    /// A merge request of GitLab: the address of its API (`https://gitlab.example.org/api/v4`), the project's number or
    /// path, the merge request's number in it, and a token by the name of the variable that holds it, and its value.
    ///
    /// # Errors
    /// An address that is none.
    pub(crate) fn gitlab(api: &str, project: &str, number: u64, token: (&str, &str)) -> Result<Self> {
        let notes = format!("/projects/{}/merge_requests/{number}/notes", in_address(project));
        Ok(Self {
            server: Server::new(api, Some(token))?.token_in("PRIVATE-TOKEN"),
            kind: ForgeKind::GitLab,
            comments: notes.clone(),
            comment: notes,
        })
    }

    /// Writes a comment, or brings the one up to date that was written before: the one of the token's own user whose text
    /// begins with `marker`, as `text` does. One that says the same already is left as it is. Where the token is that of an
    /// app, whose name GitHub does not tell it, it is one that an app wrote.
    ///
    /// Where the answer to a new comment is lost, it is looked for before it is written again.
    ///
    /// # Errors
    /// No answer, or a refusal.
    pub(crate) fn comment(&self, marker: &str, text: &str) -> std::result::Result<Posted, Unanswered> {
        let body = json!({ "body": text }).to_string();
        let mut tries = 1;
        loop {
            let mut own = self.marked(marker)?;
            if !own.is_empty() {
                let writer = self.writer()?;
                own.retain(|comment| writer.wrote(comment));
            }
            if own.iter().any(|comment| is_same(&comment.text, text)) {
                return Ok(Posted::Unchanged);
            }
            for comment in own {
                match self.update(comment.id, body.as_bytes()) {
                    Ok(()) => return Ok(Posted::Updated),
                    // Another app's that begins as ours, or one that is gone by now.
                    Err(Unanswered::Refused { status: Some(403 | 404), .. }) => {}
                    Err(why) => return Err(why),
                }
            }
            match self.server.ask(&self.comments, Request::Post(body.as_bytes())) {
                Ok(_) => return Ok(Posted::Created),
                Err(Unanswered::Away(_)) if tries < TRIES => tries += 1,
                Err(why) => return Err(why),
            }
        }
    }

    fn update(&self, id: u64, body: &[u8]) -> std::result::Result<(), Unanswered> {
        let request = match self.kind {
            ForgeKind::GitHub => Request::Patch(body),
            ForgeKind::GitLab => Request::Put(body),
        };
        self.server.ask(&format!("{}/{id}", self.comment), request).map(drop)
    }

    /// Who we are to the forge.
    fn writer(&self) -> std::result::Result<Writer, Unanswered> {
        match self.server.get("/user") {
            Ok(user) => match user.get("id").and_then(Json::as_u64) {
                Some(id) => Ok(Writer::User(id)),
                None => Err(Unanswered::unusable("the answer names no user")),
            },
            // GitHub tells a user's token who the user is, and an app's nothing.
            Err(Unanswered::Refused { status: Some(401 | 403 | 404), .. })
                if self.kind == ForgeKind::GitHub =>
            {
                Ok(Writer::App)
            }
            Err(why) => Err(why),
        }
    }

    /// The comments that begin with a marker, oldest first, whoever wrote them.
    fn marked(&self, marker: &str) -> std::result::Result<Vec<Marked>, Unanswered> {
        let (size, order, author) = match self.kind {
            ForgeKind::GitHub => (GITHUB_PAGE, "", "user"),
            ForgeKind::GitLab => (GITLAB_PAGE, "&order_by=created_at&sort=asc", "author"),
        };
        let mut found = Vec::new();
        for page in 1..=PAGES {
            let path = format!("{}?per_page={size}&page={page}{order}", self.comments);
            let answer = self.server.get(&path)?;
            let Json::Array(comments) = answer else {
                return Err(Unanswered::unusable("the answer is no list of comments"));
            };
            // A server may give fewer than were asked for: only an empty page is behind the last one.
            if comments.is_empty() {
                return Ok(found);
            }
            for comment in comments {
                let id = comment.get("id").and_then(Json::as_u64);
                let text = comment.get("body").and_then(Json::as_str);
                if let Some((id, text)) = id.zip(text)
                    && text.trim_start().starts_with(marker)
                {
                    let author = comment.get(author);
                    let is_of_app = author.and_then(|author| author.get("type")?.as_str()) == Some("Bot");
                    let author = author.and_then(|author| author.get("id")?.as_u64());
                    found.push(Marked { id, text: text.to_owned(), author, is_of_app });
                }
            }
        }
        Err(Unanswered::unusable(format!("there are more than {PAGES} pages of comments")))
    }
}

/// Whether two texts differ in their ends of lines at most, which forges write as they like.
fn is_same(there: &str, text: &str) -> bool {
    there.replace("\r\n", "\n").trim() == text.trim()
}
