//! The JSON schema of each report, by name, for whoever describes or checks what freshet answers.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::Value;

use crate::{
    add, alerts, budgets, care, case, check, complaints, constraints, copy, credentials, dashboard,
    deletions, explain, find, focus, forget, forums, gaps, graph, history, init, learn, networks, object,
    plan, posts, robots, run, search, simulate, snapshot, sources, status, subscriptions,
};

/// Makes the schema of one report.
type Maker = fn(&mut SchemaGenerator) -> schemars::Schema;

/// Every report and how its schema is made.
pub(crate) const MAKERS: [(&str, Maker); 72] = [
    ("RunStatus", of::<run::RunStatus>),
    ("StatusReport", of::<status::StatusReport>),
    ("CaseReport", of::<case::CaseReport>),
    ("ExplainReport", of::<explain::ExplainReport>),
    ("GapsReport", of::<gaps::GapsReport>),
    ("PlanReport", of::<plan::PlanReport>),
    ("RobotsReport", of::<robots::RobotsReport>),
    ("NetworksReport", of::<networks::NetworksReport>),
    ("DefinitionsReport", of::<networks::DefinitionsReport>),
    ("OnDeleteReport", of::<networks::OnDeleteReport>),
    ("KeepingReport", of::<networks::KeepingReport>),
    ("ReadReport", of::<networks::ReadReport>),
    ("AlertsView", of::<alerts::AlertsView>),
    ("AlertsReport", of::<alerts::AlertsReport>),
    ("AlertTestReport", of::<alerts::AlertTestReport>),
    ("AlertMessage", of::<alerts::AlertMessage>),
    ("CheckReport", of::<check::CheckReport>),
    ("CopyReport", of::<copy::CopyReport>),
    ("ComplaintsReport", of::<complaints::ComplaintsReport>),
    ("PostsFound", of::<search::PostsFound>),
    ("AccountsFound", of::<find::AccountsFound>),
    ("ConstraintsReport", of::<constraints::ConstraintsReport>),
    ("ConstraintTest", of::<constraints::ConstraintTest>),
    ("SubscriptionsReport", of::<subscriptions::SubscriptionsReport>),
    ("SubscriptionAdded", of::<subscriptions::SubscriptionAdded>),
    ("SubscriptionTest", of::<subscriptions::SubscriptionTest>),
    ("FocusReport", of::<focus::FocusReport>),
    ("BudgetsReport", of::<budgets::BudgetsReport>),
    ("InitReport", of::<init::InitReport>),
    ("ForgetReport", of::<forget::ForgetReport>),
    ("CareReport", of::<care::CareReport>),
    ("CareAccount", of::<care::CareAccount>),
    ("CareSetReport", of::<care::CareSetReport>),
    ("DeletionsAppliedReport", of::<deletions::DeletionsAppliedReport>),
    ("RetentionReport", of::<care::RetentionReport>),
    ("UndoReport", of::<forget::UndoReport>),
    ("CredentialsReport", of::<credentials::CredentialsReport>),
    ("TermsReport", of::<credentials::TermsReport>),
    ("CredentialAdded", of::<credentials::CredentialAdded>),
    ("CredentialRemoved", of::<credentials::CredentialRemoved>),
    ("SimulateReport", of::<simulate::SimulateReport>),
    ("BacktestReport", of::<simulate::BacktestReport>),
    ("ForumSimulateReport", of::<simulate::ForumSimulateReport>),
    ("SnapshotReport", of::<snapshot::SnapshotReport>),
    ("VerifyReport", of::<snapshot::VerifyReport>),
    ("DeletionsReport", of::<deletions::DeletionsReport>),
    ("SnapshotFacts", of::<snapshot::SnapshotFacts>),
    ("CoverageLine", of::<snapshot::CoverageLine>),
    ("LearnReport", of::<learn::LearnReport>),
    ("InspectReport", of::<learn::InspectReport>),
    ("AddReport", of::<add::AddReport>),
    ("AddPreview", of::<add::AddPreview>),
    ("SourcesReport", of::<sources::SourcesReport>),
    ("SourceReport", of::<sources::SourceReport>),
    ("PinReport", of::<sources::PinReport>),
    ("WeightReport", of::<sources::WeightReport>),
    ("SteerReport", of::<sources::SteerReport>),
    ("RemoveReport", of::<sources::RemoveReport>),
    ("PauseReport", of::<sources::PauseReport>),
    ("PostsReport", of::<posts::PostsReport>),
    ("PostReport", of::<posts::PostReport>),
    ("ObjectReport", of::<object::ObjectReport>),
    ("ShowReport", of::<object::ShowReport>),
    ("GraphReport", of::<graph::GraphReport>),
    ("NeighbourhoodReport", of::<graph::NeighbourhoodReport>),
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
