//! The nouns of freshet: plain data that every other crate speaks.
//!
//! Nothing here does I/O, knows a database, or sleeps. A type lives here when more than one
//! sibling crate needs it; what only one crate needs stays in that crate. The modules follow
//! the path of a post: what is watched ([`source`]), what is asked ([`exchange`]), what was
//! seen ([`observation`]), what is known to be complete ([`coverage`]), what changed
//! ([`change`]).

pub mod across;
pub mod address;
pub mod change;
pub mod clock;
pub mod complaint;
pub mod connector;
pub mod coverage;
pub mod definition;
pub mod exchange;
pub mod id;
mod json_text;
pub mod kind;
pub mod link;
pub mod list;
pub mod map;
pub mod object;
pub mod observation;
pub mod outcome;
pub mod quota;
pub mod rate;
pub mod reference;
pub mod robot;
pub mod server;
pub mod source;
pub mod stream;
pub mod time;
pub mod timetable;
pub mod visit;
pub mod weight;

pub use across::{Confidence, CrossLink, Evidence};
pub use address::{Address, AddressError, NetworkName};
pub use change::{Change, ChangeKind};
pub use clock::{Clock, SteadyClock, SystemClock};
pub use complaint::Complaint;
pub use connector::{
    AskRefused, Connector, Endpoint, GroupAsk, Intent, ListOrder, Page, Politeness, Pulse, Share, Target,
};
pub use coverage::{
    Advance, Coverage, Descent, Hole, IdOrder, Interval, Look, Mark, Obstacle, SHOWN_MAX, missing_between,
};
pub use definition::{DefinitionVersion, PageKind};
pub use exchange::{AuthScheme, AuthUse, Meter, Method, Redirect, Redirects, Request, Response};
pub use id::{SourceId, VisitId};
pub use kind::PostKind;
pub use link::{LinkKind, LinkRefused, LinkType, ObjectType, PrimitiveKind, Schema};
pub use map::{Map, Set};
pub use object::{Object, Primitive};
pub use observation::{Account, AccountState, End, Lead, Link, Observation, Post, Relation, Tag, Thing};
pub use outcome::{Blame, Fault, FaultKind, Outcome};
pub use quota::{Holder, LimitReading, QuotaKey, QuotaNeed, QuotaRule, QuotaScope};
pub use rate::{Rate, RateError};
pub use reference::{Reference, ReferencePattern};
pub use robot::{RobotKind, RobotState};
pub use server::ServerKey;
pub use source::{Instance, Source, SourceState, Validators, Viewer};
pub use stream::{Cover, CursorTrouble, Heard, Proof, StreamInfo, StreamMessage, StreamTarget, Transport};
pub use time::{Span, Timestamp};
pub use timetable::Timetable;
pub use visit::VisitSummary;
pub use weight::{Weight, WeightError};
