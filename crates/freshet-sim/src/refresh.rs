//! What refresh plans ([`freshet_policy::refresh`]) are worth on recorded histories: pages made of posts, and the accuracy that
//! each kind of plan reaches. Studies only.

pub(crate) mod accuracy;
mod page;

pub(crate) use accuracy::{Point, Trial, compare};
pub(crate) use page::page_similarities;
