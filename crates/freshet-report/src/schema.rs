//! The JSON schema of each report, by name, for whoever describes or checks what freshet answers.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::Value;

use crate::{
    add, alerts, check, constraints, dashboard, explain, forums, gaps, graph, history, networks, plan, posts,
    robots, run, search, sources, status,
};

/// Makes the schema of one report.
type Maker = fn(&mut SchemaGenerator) -> schemars::Schema;

/// Every report and how its schema is made.
pub(crate) const MAKERS: [(&str, Maker); 31] = [
    ("RunStatus", of::<run::RunStatus>),
    ("StatusReport", of::<status::StatusReport>),
    ("ExplainReport", of::<explain::ExplainReport>),
    ("GapsReport", of::<gaps::GapsReport>),
    ("PlanReport", of::<plan::PlanReport>),
    ("RobotsReport", of::<robots::RobotsReport>),
    ("NetworksReport", of::<networks::NetworksReport>),
    ("DefinitionsReport", of::<networks::DefinitionsReport>),
    ("AlertsView", of::<alerts::AlertsView>),
    ("AlertsReport", of::<alerts::AlertsReport>),
    ("AlertTestReport", of::<alerts::AlertTestReport>),
    ("CheckReport", of::<check::CheckReport>),
    ("PostsFound", of::<search::PostsFound>),
    ("AccountsFound", of::<search::AccountsFound>),
    ("ConstraintsReport", of::<constraints::ConstraintsReport>),
    ("AddReport", of::<add::AddReport>),
    ("AddPreview", of::<add::AddPreview>),
    ("SourcesReport", of::<sources::SourcesReport>),
    ("SourceReport", of::<sources::SourceReport>),
    ("PinReport", of::<sources::PinReport>),
    ("SteerReport", of::<sources::SteerReport>),
    ("PostsReport", of::<posts::PostsReport>),
    ("PostReport", of::<posts::PostReport>),
    ("GraphReport", of::<graph::GraphReport>),
    ("ForumsReport", of::<forums::ForumsReport>),
    ("ForumReport", of::<forums::ForumReport>),
    ("HistoryReport", of::<history::HistoryReport>),
    ("SettingsReport", of::<dashboard::SettingsReport>),
    ("LearningReport", of::<dashboard::LearningReport>),
    ("SessionReport", of::<dashboard::SessionReport>),
    ("ProblemReport", of::<dashboard::ProblemReport>),
];

fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> schemars::Schema {
    T::json_schema(generator)
}

/// The schema of the report of this name (JSON Schema 2020-12, everything in one document); `None` for no report.
pub fn schema(name: &str) -> Option<Value> {
    let (_, make) = MAKERS.iter().find(|(known, _)| *known == name)?;
    let settings = SchemaSettings::draft2020_12().for_serialize().with(|it| it.inline_subschemas = true);
    Some(make(&mut settings.into_generator()).to_value())
}
