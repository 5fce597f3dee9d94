//! Posts that a page describes for machines (JSON-LD with the words of schema.org).
//!
//! Where a page is drawn by scripts, its list is not in the markup, but often in its linked data: a thread
//! (`DiscussionForumPosting`, `QAPage`) with its `comment`s or answers, each with `datePublished`, `author` and `url`. It is used
//! where the markup shows no records; what people see goes first. Depth and number of what is looked at are bounded.

use serde_json::Value;

use crate::record::RECORDS_MAX;

/// Levels of nested objects.
const DEPTH_MAX: usize = 12;
/// Types that are posts.
const POSTS: [&str; 5] = ["DiscussionForumPosting", "Comment", "Question", "Answer", "SocialMediaPosting"];

/// One post as described.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LinkedPost {
    pub(super) time: String,
    pub(super) author: Option<String>,
    pub(super) url: Option<String>,
    pub(super) text: Option<String>,
}

/// All posts of a page's linked data, in the order in which they stand.
pub(super) fn posts(texts: &[String]) -> Vec<LinkedPost> {
    let mut posts = Vec::new();
    for value in texts.iter().filter_map(|text| serde_json::from_str::<Value>(text).ok()) {
        collect(&value, 0, &mut posts);
    }
    posts
}

fn collect(value: &Value, depth: usize, posts: &mut Vec<LinkedPost>) {
    if depth > DEPTH_MAX || posts.len() >= RECORDS_MAX {
        return;
    }
    match value {
        Value::Array(values) => values.iter().for_each(|value| collect(value, depth + 1, posts)),
        Value::Object(fields) => {
            let types = fields.get("@type");
            let is_post = |it: &Value| it.as_str().is_some_and(|name| POSTS.contains(&name));
            let is_one = types
                .is_some_and(|it| is_post(it) || it.as_array().is_some_and(|all| all.iter().any(is_post)));
            let time = ["datePublished", "dateCreated"].iter().find_map(|name| fields.get(*name)?.as_str());
            if let Some(time) = time.filter(|_| is_one) {
                let author =
                    fields.get("author").and_then(|it| it.get("name").or(Some(it))).and_then(Value::as_str);
                let url = ["url", "@id"].iter().find_map(|name| fields.get(*name)?.as_str());
                let text = ["text", "articleBody"].iter().find_map(|name| fields.get(*name)?.as_str());
                posts.push(LinkedPost {
                    time: time.to_owned(),
                    author: author.map(ToOwned::to_owned),
                    url: url.map(ToOwned::to_owned),
                    text: text.map(ToOwned::to_owned),
                });
            }
            for value in fields.values().filter(|it| it.is_object() || it.is_array()) {
                collect(value, depth + 1, posts);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_described_with_their_posts() {
        let text = r#"{"@type":"DiscussionForumPosting","datePublished":"2025-01-02T03:04:05Z","author":{"name":"ada"},"url":"/t/1",
            "comment":[{"@type":"Comment","datePublished":"2025-01-03T00:00:00Z","author":"brook"},{"@type":"Person","name":"x"}]}"#;
        let found = posts(&[text.to_owned(), "no json".to_owned()]);
        let short: Vec<_> =
            found.iter().map(|it| (it.time.as_str(), it.author.as_deref(), it.url.as_deref())).collect();
        assert_eq!(
            short,
            [
                ("2025-01-02T03:04:05Z", Some("ada"), Some("/t/1")),
                ("2025-01-03T00:00:00Z", Some("brook"), None)
            ]
        );
        let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
        assert!(posts(&[deep]).is_empty());
    }
}
