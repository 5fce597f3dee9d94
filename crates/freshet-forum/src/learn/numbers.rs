//! What a site's pages have in common, as numbers: paths and addresses, each text once.
//!
//! Learning asks the same of every link and every time again and again: which pattern has it, which list, which place. A site
//! has a hundred thousand links and a few thousand addresses, and some hundred paths. So each text is numbered once,
//! what follows from an address is worked out once an address, and everything after that compares and counts numbers.

use freshet_types::Map;
use url::Url;

use crate::page::{Page, PathId};

/// Texts by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Names {
    numbers: Map<String, u32>,
    texts: Vec<String>,
}

impl Names {
    /// The number of a text; a new one where it is met first.
    pub(crate) fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.texts.len() as u32;
        self.numbers.insert(text.to_owned(), number);
        self.texts.push(text.to_owned());
        number
    }

    pub(crate) fn text(&self, number: u32) -> &str {
        &self.texts[number as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }
}

/// The paths of all pages: the same place of two pages has one number.
#[derive(Debug, Default)]
pub(crate) struct SitePaths {
    pub(crate) names: Names,
    of_page: Vec<Vec<u32>>,
}

impl SitePaths {
    pub(crate) fn of(pages: &[Page]) -> Self {
        let mut names = Names::default();
        let of_page =
            pages.iter().map(|page| page.paths.names().iter().map(|path| names.number(path)).collect());
        let of_page = of_page.collect();
        Self { names, of_page }
    }

    /// The site's number of a path of one page.
    pub(crate) fn number(&self, page: usize, path: PathId) -> u32 {
        self.of_page[page][path.index()]
    }
}

/// The addresses of all pages and links: those that differ in their fragment only are one.
#[derive(Debug, Default)]
pub(crate) struct Addresses<'a> {
    urls: Vec<&'a Url>,
    /// For each page its own, then those of its links.
    of_page: Vec<Vec<u32>>,
}

impl<'a> Addresses<'a> {
    pub(crate) fn of(pages: &'a [Page]) -> Self {
        let mut numbers: Map<&str, u32> = Map::default();
        let mut urls: Vec<&Url> = Vec::new();
        let mut number = |url: &'a Url| {
            let text = url.as_str();
            let end = url.fragment().map_or(text.len(), |it| text.len() - it.len() - 1);
            *numbers.entry(&text[..end]).or_insert_with(|| {
                urls.push(url);
                (urls.len() - 1) as u32
            })
        };
        let of_page = pages.iter().map(|page| {
            let all = std::iter::once(&page.url).chain(page.links.iter().map(|link| &link.url));
            all.map(&mut number).collect()
        });
        let of_page = of_page.collect();
        Self { urls, of_page }
    }

    /// The number of a page's own address.
    pub(crate) fn page(&self, page: usize) -> u32 {
        self.of_page[page][0]
    }

    /// The number of the address of a page's link.
    pub(crate) fn link(&self, page: usize, link: usize) -> u32 {
        self.of_page[page][link + 1]
    }

    /// What holds for each address.
    pub(crate) fn ask(&self, is_so: impl Fn(&Url) -> bool) -> Vec<bool> {
        self.urls.iter().map(|url| is_so(url)).collect()
    }

    /// What follows from each address as a text, numbered.
    pub(crate) fn derive(&self, text: impl Fn(&Url) -> String) -> Derived {
        let mut names = Names::default();
        let of_address = self.urls.iter().map(|url| names.number(&text(url))).collect();
        Derived { names, of_address }
    }
}

/// A text that follows from each address: its pattern, its list.
#[derive(Debug, Default)]
pub(crate) struct Derived {
    pub(crate) names: Names,
    of_address: Vec<u32>,
}

impl Derived {
    /// The number of the text that follows from an address.
    pub(crate) fn number(&self, address: u32) -> u32 {
        self.of_address[address as usize]
    }
}
