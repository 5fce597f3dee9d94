//! The API described by itself, as `OpenAPI` 3.1: made from the list of routes, so it cannot lag behind.
//!
//! Answers are the reports of the commands; their fields are described by the reports themselves ([`freshet_report::schema`]).

use axum::Json;
use freshet_report::schema;
use serde_json::{Map, Value, json};

use super::Route;
use super::guard::CSRF_HEADER;
use super::posts;

/// Where the API begins.
const BASE: &str = "/api/v1/";

/// The document.
pub(super) async fn document() -> Json<Value> {
    Json(describe(&super::routes().list))
}

fn describe(routes: &[Route]) -> Value {
    let mut paths = Map::new();
    for route in routes.iter().filter(|route| route.path.starts_with(BASE)) {
        let methods = paths.entry(path_of(route)).or_insert_with(|| json!({}));
        methods[route.method.to_lowercase()] = operation(route);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "freshet",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "What a data directory holds and how it is steered. Times are unix seconds.",
            "license": { "name": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "security": [{}, { "token": [] }, { "session": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer" },
                "session": { "type": "apiKey", "in": "cookie", "name": "freshet_session" },
            },
            "schemas": schemas(routes),
        },
    })
}

/// The path as `OpenAPI` writes it, which has no mark for a hole that takes slashes.
fn path_of(route: &Route) -> String {
    route.path.replace("{*", "{")
}

/// What is sent to the API, and what it answers: the reports have schemas of their own.
fn schemas(routes: &[Route]) -> Map<String, Value> {
    let reports = routes.iter().filter_map(|route| route.report);
    let reports = reports.chain(["ProblemReport"]).filter_map(|name| Some((name.to_owned(), schema(name)?)));
    sent().into_iter().chain(reports).collect()
}

/// What is sent to it.
fn sent() -> Map<String, Value> {
    let Value::Object(schemas) = json!({
        "Pin": {
            "type": "object",
            "additionalProperties": false,
            "properties": { "every": { "type": ["string", "null"] }, "was": { "type": ["string", "null"] } },
        },
        "Wish": {
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "policies": { "type": "array", "items": { "type": "string" } },
                "calls_per_hour": { "type": "number" },
                "objective": { "type": "string", "enum": ["delay", "capture"] },
                "from": { "type": "string" },
                "warm_days": { "type": "integer", "minimum": 1, "maximum": 120 },
                "eval_days": { "type": "integer", "minimum": 1, "maximum": 120 },
            },
        },
        "Credential": {
            "type": "object",
            "required": ["network", "secret"],
            "properties": {
                "network": { "type": "string" }, "name": { "type": "string" },
                "kind": { "type": "string", "enum": ["bearer", "app_password", "api_key"] },
                "robot": { "type": "string" }, "secret": { "type": "string" },
                "passphrase": { "type": "string" },
            },
        },
        "Addition": {
            "type": "object",
            "required": ["references"],
            "additionalProperties": false,
            "properties": {
                "references": { "type": "array", "items": { "type": "string" } },
                "since": { "type": ["string", "null"] },
                "allow_private": { "type": "boolean" },
                "is_preview": { "type": "boolean" },
            },
        },
    }) else {
        return Map::new();
    };
    schemas
}

fn operation(route: &Route) -> Value {
    let text = json!({ "type": "string" });
    let path = path_of(route);
    let in_path = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let in_path = in_path.map(|name| json!({ "name": name, "in": "path", "required": true, "schema": text }));
    let in_query = route.query.iter().map(
        |(name, meaning)| json!({ "name": name, "in": "query", "description": meaning, "schema": text }),
    );
    let mut parameters: Vec<Value> = in_path.chain(in_query).collect();
    if route.method == "POST" {
        let meaning = "the word of /api/v1/session; not needed with the token";
        parameters
            .push(json!({ "name": CSRF_HEADER, "in": "header", "description": meaning, "schema": text }));
    }
    let kind = match route.path {
        "/api/v1/posts.jsonl" => posts::JSONL,
        "/api/v1/posts.csv" => posts::CSV,
        "/api/v1/posts.parquet" => posts::PARQUET,
        "/api/v1/live" => "text/event-stream",
        _ => "application/json",
    };
    let answer = route.report.map_or_else(
        || json!({}),
        |name| json!({ "schema": { "$ref": format!("#/components/schemas/{name}") } }),
    );
    let problem =
        json!({ "application/json": { "schema": { "$ref": "#/components/schemas/ProblemReport" } } });
    let refused = |description: &str| json!({ "description": description, "content": problem });
    let mut operation = json!({
        "summary": route.summary,
        "parameters": parameters,
        "responses": {
            "200": { "description": "done", "content": { kind: answer } },
            "400": refused("what was asked for is not understood"),
            "401": refused("log in first"),
            "403": refused("the word of the session is missing"),
            "404": refused("there is no such thing"),
            "default": refused("it could not be done"),
        },
    });
    let sent = match (route.method, route.path) {
        ("POST", "/api/v1/sources") => Some("Addition"),
        ("POST", "/api/v1/sources/{number}/pin") => Some("Pin"),
        ("POST", "/api/v1/experiment") => Some("Wish"),
        ("POST", "/api/v1/credentials") => Some("Credential"),
        _ => None,
    };
    if let Some(name) = sent {
        let schema = json!({ "schema": { "$ref": format!("#/components/schemas/{name}") } });
        operation["requestBody"] = json!({ "required": true, "content": { "application/json": schema } });
    }
    operation
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_of_the_api_is_described() {
        let routes = super::super::routes().list;
        let document = describe(&routes);
        let described = document["paths"].as_object().unwrap();
        for route in routes.iter().filter(|route| route.path.starts_with(BASE)) {
            let operation = &described[&path_of(route)][route.method.to_lowercase()];
            assert!(operation["summary"].is_string(), "{route:?}");
            let holes = route.path.matches('{').count();
            let in_path = operation["parameters"].as_array().unwrap().iter().filter(|it| it["in"] == "path");
            assert_eq!(in_path.count(), holes, "{route:?}");
        }
        assert!(described.keys().all(|path| routes.iter().any(|route| path_of(route) == *path)));
    }

    #[test]
    fn every_schema_that_is_named_is_there() {
        let routes = super::super::routes().list;
        let document = describe(&routes);
        let text = document.to_string();
        let named: Vec<&str> =
            text.split("#/components/schemas/").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert!(named.len() > 100 && named.contains(&"StatusReport"), "{named:?}");
        for name in named {
            let schema = &document["components"]["schemas"][name];
            assert_eq!(schema["type"], "object", "{name}: {schema}");
        }
        let given = |path: &str| routes.iter().find(|route| route.path == path).unwrap().report;
        assert_eq!(given("/api/v1/gaps"), Some("GapsReport"));
    }
}
