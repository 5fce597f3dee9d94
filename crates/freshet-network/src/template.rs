//! Templates of a definition: URLs, query values, headers and bodies of requests.
//!
//! Part of step 4 of 10. Most templates are a text with a variable or two and are rendered
//! without the template engine; the rest is minijinja, where an undefined name is an error.
//! Every template is rendered once when the definition is loaded, so that errors show there.

use freshet_types::definition::TimeWriting;
use freshet_types::{Mark, Timestamp};
use minijinja::{Environment, UndefinedBehavior, Value, context};

use crate::times;

/// What a template knows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Variables<'a> {
    pub(crate) root: &'a str,
    pub(crate) host: &'a str,
    pub(crate) base: &'a str,
    pub(crate) limit: u32,
    pub(crate) cursor: Option<&'a str>,
    pub(crate) newer: Option<&'a Mark>,
    pub(crate) members: &'a [String],
    pub(crate) intent: &'a str,
}

/// A compiled template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Template {
    /// Texts and plain variables.
    Parts(Vec<Part>),
    /// One of the engine's, by name.
    Engine(String),
}

/// A part of a simple template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Text(String),
    Variable { variable: Variable, is_encoded: bool },
}

/// The variables that are texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variable {
    Root,
    Host,
    Base,
    Limit,
    Cursor,
}

/// The template engine with the templates that need it.
#[derive(Debug)]
pub(crate) struct Templates {
    engine: Environment<'static>,
}

impl Default for Templates {
    fn default() -> Self {
        let mut engine = Environment::new();
        engine.set_undefined_behavior(UndefinedBehavior::Strict);
        engine.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        engine.add_filter("urlencode", |text: String| encode(&text));
        engine.add_filter("tojson", |value: Value| match value.as_str() {
            Some(text) => serde_json::Value::from(text).to_string(),
            None if value.is_none() => "null".to_owned(),
            None => value.to_string(),
        });
        Self { engine }
    }
}

impl Templates {
    /// Compiles a template under the key it stands at, or says what is wrong with it.
    pub(crate) fn compile(&mut self, key: &str, text: &str) -> Result<Template, String> {
        if let Some(parts) = simple(text) {
            return Ok(Template::Parts(parts));
        }
        self.engine.add_template_owned(key.to_owned(), text.to_owned()).map_err(|error| explain(&error))?;
        let template = Template::Engine(key.to_owned());
        // Ids that are paths (as Bluesky's) may be split, so the sample is one.
        let (id, members) = ("at://did:x:1/kind/key", ["1".to_owned()]);
        let mark = Mark { id: id.to_owned(), at: Timestamp::from_secs(0) };
        let intents = [("newer", None, Some(&mark)), ("next", Some("1"), None), ("first", None, None)];
        // The value of a newer-than parameter is asked for with a mark only.
        let intent_count = if key.contains(".newer.") { 1 } else { intents.len() };
        for (intent, cursor, newer) in intents.into_iter().take(intent_count) {
            let (host, base) = ("example.org", "https://example.org");
            let variables =
                Variables { root: id, host, base, limit: 1, cursor, newer, members: &members, intent };
            self.try_render(&template, &variables)?;
        }
        Ok(template)
    }

    /// The text of a template.
    pub(crate) fn render(&self, template: &Template, variables: &Variables<'_>) -> Result<String, String> {
        match template {
            Template::Parts(parts) => Ok(parts.iter().map(|part| part.render(variables)).collect()),
            Template::Engine(_) => self.try_render(template, variables),
        }
    }

    fn try_render(&self, template: &Template, variables: &Variables<'_>) -> Result<String, String> {
        let Template::Engine(key) = template else { return self.render(template, variables) };
        let newer = variables.newer.map(|mark| {
            context! {
                id => mark.id.as_str(),
                at_s => mark.at.secs(),
                at_ms => mark.at.ms(),
                at_iso => times::write(mark.at, TimeWriting::Iso8601),
                at_date => times::write(mark.at, TimeWriting::Date),
            }
        });
        let known = context! {
            root => variables.root,
            host => variables.host,
            base => variables.base,
            limit => variables.limit,
            cursor => variables.cursor,
            newer => newer,
            members => variables.members.iter().map(|id| Value::from(id.as_str())).collect::<Vec<_>>(),
            intent => variables.intent,
        };
        let template = self.engine.get_template(key).map_err(|error| explain(&error))?;
        template.render(known).map_err(|error| explain(&error))
    }
}

impl Part {
    fn render(&self, variables: &Variables<'_>) -> String {
        let (variable, is_encoded) = match self {
            Self::Text(text) => return text.clone(),
            Self::Variable { variable, is_encoded } => (*variable, *is_encoded),
        };
        let text = match variable {
            Variable::Root => variables.root.to_owned(),
            Variable::Host => variables.host.to_owned(),
            Variable::Base => variables.base.to_owned(),
            Variable::Limit => variables.limit.to_string(),
            Variable::Cursor => variables.cursor.unwrap_or_default().to_owned(),
        };
        if is_encoded { encode(&text) } else { text }
    }
}

/// The parts of a template without expressions, or `None` if the engine is needed.
fn simple(text: &str) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut rest = text;
    if rest.contains("{%") || rest.contains("{#") {
        return None;
    }
    while let Some((before, tail)) = rest.split_once("{{") {
        let (inside, after) = tail.split_once("}}")?;
        if !before.is_empty() {
            parts.push(Part::Text(before.to_owned()));
        }
        let (name, filter) =
            inside.split_once('|').map_or((inside, None), |(name, filter)| (name, Some(filter.trim())));
        let variable = match name.trim() {
            "root" => Variable::Root,
            "host" => Variable::Host,
            "base" => Variable::Base,
            "limit" => Variable::Limit,
            "cursor" => Variable::Cursor,
            _ => return None,
        };
        let is_encoded = match filter {
            None => false,
            Some("urlencode") => true,
            Some(_) => return None,
        };
        parts.push(Part::Variable { variable, is_encoded });
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest.to_owned()));
    }
    Some(parts)
}

/// Percent-encodes all but the unreserved characters [RFC 3986, section 2.3].
pub(crate) fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => encoded.push(byte as char),
            _ => {
                const HEX: &[u8; 16] = b"0123456789ABCDEF";
                encoded.push('%');
                encoded.push(HEX[usize::from(byte >> 4)] as char);
                encoded.push(HEX[usize::from(byte & 15)] as char);
            }
        }
    }
    encoded
}

fn explain(error: &minijinja::Error) -> String {
    let detail = error.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
    format!("the template does not work: {}{detail}", error.kind())
}
