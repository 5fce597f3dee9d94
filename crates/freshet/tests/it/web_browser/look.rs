//! What must be true of every page, whatever it shows: nothing serious for those who see or hear it
//! differently, nothing wider than the screen, no error, nothing asked of another host.

use serde_json::json;

use super::chromium::Chromium;

/// No serious finding of axe-core.
pub(crate) fn check_accessible(browser: &mut Chromium, axe: &str, name: &str) {
    browser.value(&format!("{axe};0"));
    let found = browser.value(
        "axe.run(document, { resultTypes: ['violations'] }).then((it) => it.violations.filter((one) => \
         ['serious', 'critical'].includes(one.impact)).map((one) => one.id + ': ' + one.help + ' at ' + \
         one.nodes.slice(0, 3).map((node) => node.target.join(' ') + ' ' + node.failureSummary).join('; ')))",
    );
    assert_eq!(found, json!([]), "{name}");
}

/// Nothing reaches beyond the width of a screen: nobody scrolls sideways.
pub(crate) fn check_width(browser: &mut Chromium, width: u32, name: &str) {
    let shown = browser.value("document.documentElement.scrollWidth");
    assert!(shown.as_u64() <= Some(u64::from(width)), "{name} is {shown} wide on a screen of {width}");
}

/// No error in the console, and nothing asked of another host.
pub(crate) fn check_quiet(browser: &mut Chromium, base: &str, name: &str) {
    for event in browser.take_events() {
        let params = &event["params"];
        match event["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => panic!("{name}: {params}"),
            "Runtime.consoleAPICalled" if params["type"] == "error" => panic!("{name}: {params}"),
            "Log.entryAdded" if params["entry"]["level"] == "error" => panic!("{name}: {params}"),
            "Network.requestWillBeSent" => {
                let url = params["request"]["url"].as_str().unwrap_or_default();
                assert!(url.starts_with(base) || url.starts_with("data:"), "{name} asks {url}");
            }
            _ => {}
        }
    }
}
