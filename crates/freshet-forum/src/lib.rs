//! Forum mining: from the pages of a forum to a definition by which all its pages are read.
//!
//! After *Incorporating Site-Level Knowledge for Incremental Crawling of Web Forums: A List-wise Strategy* (Yang et al.,
//! KDD 2009; docs/references.md), without templates of any forum software: no name of one occurs in the code. The way of a
//! page:
//!
//! | step | room | the paper |
//! |---|---|---|
//! | bytes → tree in document order | [`tree`] | |
//! | tree → written times, links, steps | [`page`], [`mod@time`] | 3.3, candidates |
//! | links → pagination | [`pagination`], [`address`] | 3.2, pagination links |
//! | times → records | [`record`], [`learn`] | 3.3, Algorithm 2 |
//! | pages → kinds | [`learn`], [`layout`], [`sitemap`] | 3.2, sitemap and classifier |
//! | pages → lists | [`chain`] | 3.2, Algorithm 1 |
//! | all of it → file, report | [`definition`], [`mod@report`] | |
//! | page + definition → records | [`inspect`] | |
//! | which page next, while a site is learned | [`sample`] | 3.2, double-ended queue |
//! | pages → boards, threads and posts of a crawl | [`connector`] | 3.1, online |
//!
//! Invariants: no I/O, no clock; outside data never panics; work is bounded by named limits ([`tree::NODES_MAX`],
//! [`tree::DEPTH_MAX`], [`record::RECORDS_MAX`], [`page::link::LINKS_MAX`], [`page::stamp::STAMPS_MAX`]). What it does not do:
//! fetch, decide when to visit, or keep anything.

pub mod address;
pub mod chain;
pub mod charset;
pub mod connector;
pub mod definition;
pub mod inspect;
pub mod layout;
pub mod learn;
pub mod page;
pub mod pagination;
mod people;
pub mod record;
pub mod report;
pub mod sample;
pub mod sitemap;
pub mod time;
pub mod tree;
