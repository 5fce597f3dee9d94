//! What freshet can do with a data directory, whoever asks: commands, dashboard, alerts and exports all call this.
//!
//! Actions change something through the store, as a run that is under way expects it; reports are values that a terminal,
//! a page or a program may show. Nothing here prints, parses arguments or serves HTTP: what a person is told beside the
//! result goes through [`notice`], to whoever listens.
//!
//! | room | does |
//! |---|---|
//! | [`config`], [`data`], [`init`], [`identity`], [`place`], [`copy`] | the environment; the data directory, opening it, who runs in it; making one; which store it is; where it lies; moving a store |
//! | [`failure`], [`notice`], [`progress`] | how things fail; what is said beside the result; long work |
//! | [`text`], [`plain`], [`when`] | numbers and times for people; posts without their markup; instants as people type them |
//! | [`mined`], [`forum`], [`relearn`] | forums as networks; learning them; learning them anew while they are crawled |
//! | [`networks`], [`credentials`], [`login`], [`robots`], [`constraints`], [`focus`], [`budgets`], [`calendars`] | what may be read, with which secrets, by whom, what is wanted, what first, how much may be asked, and which days are not like others |
//! | [`add`], [`find`], [`sources`], [`pause`], [`remove`], [`forget`] | which sources are watched, and which are not any more |
//! | [`care`], [`retention`] | what is kept of whom and why, who has to hear of what is not; how long things are kept |
//! | [`weight`], [`interest`] | how much each counts, by what a person says and by what people ask about |
//! | [`subscriptions`], [`exports`], [`storing`] | who gets changes, and by which way; which exports were made; of what subscribers get everything and nothing is kept |
//! | [`viewers`] | who reads as themselves, and the rules of everybody for them |
//! | [`crawl`] | a run, put together |
//! | [`object`], [`graph`] | one object and its links, from the store or from its network; its neighbourhood, drawn or exported |
//! | [`status`], [`explain`], [`gaps`], [`plan`], [`search`], [`check`], [`complaints`], [`simulate`] | reports |

pub mod add;
pub mod budgets;
pub mod calendars;
pub mod care;
pub mod case;
pub mod check;
pub mod complaints;
pub mod config;
pub mod constraints;
pub mod copy;
pub mod crawl;
pub mod credentials;
pub mod data;
pub mod explain;
pub mod exports;
pub mod failure;
pub mod find;
pub mod focus;
pub mod forget;
pub mod forum;
pub mod gaps;
pub mod graph;
mod guest;
pub mod hubs;
pub mod identity;
pub mod init;
pub mod interest;
pub mod login;
pub mod mined;
pub mod networks;
pub mod notice;
pub mod object;
pub mod pause;
pub mod place;
pub mod plain;
pub mod plan;
pub mod progress;
mod relearn;
pub mod remove;
pub mod retention;
pub mod robots;
pub mod search;
pub mod simulate;
mod sources;
pub mod status;
pub mod storing;
pub mod subscriptions;
pub mod text;
pub mod viewers;
pub mod weight;
pub mod when;
