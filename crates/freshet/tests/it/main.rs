//! Product tests: the finished binary against servers, most of which nobody here wrote.
//!
//! One test binary, because each costs a link. Tests start what they crawl on free loopback ports and
//! stop it again; nothing touches the Internet. A test whose server is lacking says so in `FRESHET_SKIPS`
//! and returns (`cargo xtask test` provides the servers and counts the skips); it never passes silently.

mod across;
mod alerts;
mod bluesky;
mod calendar;
mod cases;
mod cli;
mod constraints;
mod earlier;
mod find;
mod focused;
mod forum_apis;
mod forum_servers;
mod forum_sim;
mod guides;
mod hints;
mod hostile;
mod login;
mod mastodon_server;
mod objects;
mod outputs;
mod pages;
mod polls;
mod postgres;
mod simulate;
mod steering;
mod stored;
mod streams;
mod subscriptions;
mod support;
mod taking;
mod terminal;
mod unkept;
mod viewers;
mod web;
mod web_browser;
mod web_learn;
mod websub;
mod world;
