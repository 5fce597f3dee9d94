//! Real outputs of freshet as it was before its reports were typed: each is read into its struct and written again, and must
//! come out the same, key for key. So no field was renamed, lost or given another form.
//!
//! The names in the fixtures are invented; lists were cut to two entries. `snapshot_coverage_with_holes` alone is no output: it was
//! written by hand, after the code that made such lines.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    RunStatus, StatusReport, add, alerts, care, case, check, complaints, constraints, copy, credentials,
    dashboard, deletions, explain, find, focus, forget, forums, gaps, graph, history, init, learn, networks,
    object, plan, posts, robots, schema, search, simulate, snapshot, sources, subscriptions,
};

/// The text becomes this report and the same JSON again; numbers keep their form.
fn check<T: DeserializeOwned + Serialize>(name: &str, text: &str) {
    let given: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let report: T = serde_json::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let written = serde_json::to_value(&report).unwrap();
    compare(name, &given, &written);
}

/// Tells where two documents differ; `1` and `1.0` do.
fn compare(path: &str, given: &Value, written: &Value) {
    match (given, written) {
        (Value::Object(one), Value::Object(other)) => {
            for (key, value) in one {
                let path = format!("{path}.{key}");
                compare(&path, value, other.get(key).unwrap_or_else(|| panic!("{path} is lost")));
            }
            let new: Vec<_> = other.keys().filter(|key| !one.contains_key(*key)).collect();
            assert!(new.is_empty(), "{path} has got {new:?}");
        }
        (Value::Array(one), Value::Array(other)) => {
            assert_eq!(one.len(), other.len(), "{path}");
            for (at, (one, other)) in one.iter().zip(other).enumerate() {
                compare(&format!("{path}[{at}]"), one, other);
            }
        }
        _ => assert_eq!(given.to_string(), written.to_string(), "{path}"),
    }
}

/// Reads each fixture as the report of this type.
macro_rules! fixtures {
    ($($report:ty: $($name:literal)+;)+) => {
        $($(check::<$report>($name, include_str!(concat!("../fixtures/", $name, ".json")));)+)+
    };
}

#[test]
fn reports_of_the_run_keep_their_form() {
    fixtures! {
        RunStatus: "run" "run_forum" "run_in_trouble" "run_streams";
        StatusReport: "status_before_the_first_run" "status_starting" "status_running" "status_servers_down"
            "status_after_the_run" "status_forum" "api_status";
        history::HistoryReport: "api_history";
    }
}

#[test]
fn reports_of_commands_keep_their_form() {
    fixtures! {
        explain::ExplainReport: "explain_posts" "explain_weighed" "explain_gone" "explain_pinned" "explain_paused" "explain_thread"
            "explain_board" "explain_page" "explain_grouped";
        case::CaseReport: "demo_case";
        gaps::GapsReport: "gaps" "gaps_of_nothing" "gaps_forum" "gaps_with_holes";
        plan::PlanReport: "plan" "plan_out_of_reach";
        robots::RobotsReport: "robots";
        focus::FocusReport: "focus";
        networks::NetworksReport: "networks";
        networks::DefinitionsReport: "networks_check";
        networks::OnDeleteReport: "networks_set";
        networks::KeepingReport: "networks_set_store";
        networks::ReadReport: "networks_read";
        alerts::AlertsReport: "alerts";
        alerts::AlertTestReport: "alerts_test";
        alerts::AlertMessage: "alert_message";
        check::CheckReport: "check" "check_with_findings";
        complaints::ComplaintsReport: "complaints";
        copy::CopyReport: "copy";
        search::PostsFound: "search";
        find::AccountsFound: "find";
        object::ObjectReport: "object";
        object::ShowReport: "show";
        graph::NeighbourhoodReport: "graph_written";
        constraints::ConstraintsReport: "constraints" "constraints_one";
        constraints::ConstraintTest: "constraints_test";
        subscriptions::SubscriptionsReport: "subscriptions";
        subscriptions::SubscriptionAdded: "subscription_added";
        subscriptions::SubscriptionTest: "subscription_test";
        add::AddReport: "add" "add_refused" "add_forum";
        sources::PauseReport: "pause";
        sources::WeightReport: "weight";
        sources::RemoveReport: "remove";
        init::InitReport: "init";
        forget::ForgetReport: "forget" "forget_with_receipt";
        care::CareReport: "care";
        care::CareAccount: "care_account";
        care::CareSetReport: "care_set";
        deletions::DeletionsAppliedReport: "care_apply";
        care::RetentionReport: "retention" "retention_network";
        forget::UndoReport: "forget_undo";
        credentials::CredentialsReport: "credentials";
        credentials::TermsReport: "credentials_terms";
        simulate::SimulateReport: "simulate" "simulate_from_store";
        simulate::ForumSimulateReport: "simulate_forum";
        learn::LearnReport: "forum_learn";
        learn::InspectReport: "forum_inspect_index" "forum_inspect_post";
    }
}

#[test]
fn snapshots_keep_their_form() {
    fixtures! {
        snapshot::SnapshotReport: "snapshot";
        snapshot::VerifyReport: "snapshot_verify" "snapshot_verify_changed";
        deletions::DeletionsReport: "export_deletions";
        snapshot::SnapshotFacts: "snapshot_facts";
        snapshot::CoverageLine: "snapshot_coverage" "snapshot_coverage_with_holes";
    }
}

#[test]
fn answers_of_the_dashboard_keep_their_form() {
    fixtures! {
        alerts::AlertsView: "api_alerts";
        add::AddPreview: "api_preview";
        sources::SourcesReport: "api_sources";
        sources::SourceReport: "api_source" "api_source_of_a_forum";
        sources::PinReport: "api_pin";
        sources::SteerReport: "api_steer";
        posts::PostsReport: "api_posts";
        posts::PostReport: "api_post";
        graph::GraphReport: "api_graph_of_an_account" "api_graph_of_a_post";
        forums::ForumsReport: "api_forums";
        forums::ForumReport: "api_forum";
        credentials::CredentialAdded: "api_credential_added";
        credentials::CredentialRemoved: "api_credential_removed";
        simulate::BacktestReport: "api_experiment" "api_experiment_none";
        dashboard::SettingsReport: "api_settings";
        dashboard::SessionReport: "api_session";
        dashboard::LearningReport: "api_learning";
    }
}

/// The run's report is read back from the store by other versions: what is missing or no number does no harm.
#[test]
fn a_report_with_less_in_it_is_read() {
    for (text, visits_count) in [
        ("{}", 0),
        (r#"{"visits_count": 3, "what_comes_later": [1], "prices": [{"price_post_s": null}]}"#, 3),
        (r#"{"visits_count": 4, "queues": {"due": 1}, "servers": [{}], "lag_s": null}"#, 4),
    ] {
        let run: RunStatus = serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(run.visits_count, visits_count, "{text}");
    }
}

#[test]
fn every_report_has_a_schema() {
    for (name, _) in schema::MAKERS {
        let schema = schema(name).unwrap_or_else(|| panic!("{name} has none"));
        let properties = schema["properties"].as_object().unwrap_or_else(|| panic!("{name}: {schema}"));
        assert!(!properties.is_empty(), "{name}");
        assert!(!schema.to_string().contains("$ref"), "{name} refers to what is elsewhere: {schema}");
    }
    assert_eq!(schema("Nothing"), None);
    let status = schema("StatusReport").unwrap();
    for key in ["posts_count", "quotas", "new_posts_count", "forum_lists"] {
        assert!(status["properties"][key].is_object(), "{key} is not in {status}");
    }
}
