//! A request to the world, as its desk and its dialect see it, whichever way it came.

/// What is asked of a world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldRequest {
    /// `GET` or `HEAD`; others are refused.
    pub method: String,
    /// The path, percent-decoded.
    pub path: String,
    /// The query, decoded, in order.
    pub query: Vec<(String, String)>,
    /// Headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Who asks: the address that limits are counted by.
    pub client: String,
}

impl WorldRequest {
    /// A GET of `/path?query`, from one and the same client.
    pub fn get(target: &str) -> Self {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        Self {
            method: "GET".to_owned(),
            path: percent_decoded(path),
            query: url::form_urlencoded::parse(query.as_bytes()).into_owned().collect(),
            headers: Vec::new(),
            client: "local".to_owned(),
        }
    }

    /// The last value of a query parameter, as Rails takes it.
    pub(crate) fn param(&self, name: &str) -> Option<&str> {
        self.query.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn is_on(&self, name: &str) -> bool {
        self.param(name).is_some_and(|value| !matches!(value, "" | "0" | "false" | "off" | "f"))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The token shown, if any.
    pub(crate) fn token(&self) -> Option<&str> {
        let value = self.header("authorization")?;
        value.strip_prefix("Bearer ").map(str::trim).filter(|token| !token.is_empty())
    }
}

/// Undoes percent-encoding; what is not valid stays as it is.
pub(crate) fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut index = 0;
    while index < bytes.len() {
        let code = bytes.get(index + 1..index + 3).and_then(|pair| {
            let pair = std::str::from_utf8(pair).ok()?;
            u8::from_str_radix(pair, 16).ok()
        });
        match (bytes[index], code) {
            (b'%', Some(byte)) => {
                out.push(byte);
                index += 3;
            }
            (byte, _) => {
                out.push(byte);
                index += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
