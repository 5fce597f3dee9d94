//! What a person does with a page: presses, types, moves by keyboard. Everything that is pressed is
//! remembered, so that a test can say what never was ([`super::pressable`]).

use std::time::Duration;

use serde_json::json;

use super::chromium::Chromium;
use crate::support::until;

/// Longest wait for something to press, and for the page after it.
const PATIENCE: Duration = Duration::from_mins(1);

/// What an element would do if it were pressed, asked of the page; null while it is not there.
const ABOUT: &str = "((it) => it && ({
    page: location.pathname,
    kind: it.form ? it.form.method : 'link',
    target: (it.form ?? it).getAttribute(it.form ? 'action' : 'href') ?? '',
    rel: it.getAttribute('rel') ?? '',
    is_inside: it.closest('main') !== null,
    is_problem: document.querySelector('main > p.bad[role=alert]') !== null,
}))";

impl Chromium {
    /// Presses a link or button that leads to another page, once it is there, and waits for that page.
    pub(crate) fn press(&mut self, selector: &str) {
        // The page that is left takes this with it.
        self.value("window.isLeft = true");
        self.press_here(selector);
        until(&format!("the page after `{selector}`"), PATIENCE, || {
            let is_new = "window.isLeft === undefined && document.readyState === 'complete'";
            (self.value(is_new) == json!(true)).then_some(())
        });
    }

    /// Presses something that leaves the page where it is.
    pub(crate) fn press_here(&mut self, selector: &str) {
        let find = format!("document.querySelector({})", json!(selector));
        // Found and pressed at once: live values may put another in its place. A link of a picture has no `click`.
        let press = format!(
            "((it) => {{ const about = {ABOUT}(it); it?.dispatchEvent(new MouseEvent('click', \
             {{ bubbles: true, cancelable: true, view: window }})); return about; }})({find})"
        );
        let about = until(&format!("`{selector}` to press"), PATIENCE, || {
            let about = self.value(&press);
            about.is_object().then_some(about)
        });
        self.pressed.push(serde_json::from_value(about).expect("what a page tells of an element"));
    }

    /// Writes into a field, as if nothing had stood there.
    pub(crate) fn fill(&mut self, selector: &str, text: &str) {
        let (selector, text) = (json!(selector), json!(text));
        let done = self.value(&format!(
            "((it) => {{ if (it?.type === 'checkbox') it.checked = {text} !== ''; else it.value = {text}; \
             return true; }})(document.querySelector({selector}))"
        ));
        assert_eq!(done, json!(true), "there is no field {selector}");
    }

    /// A key goes down and up again.
    pub(crate) fn key(&mut self, key: &str) {
        let (code, text) = match key {
            "Tab" => (9, ""),
            "Enter" => (13, "\r"),
            _ => panic!("no code for the key {key}"),
        };
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code });
            if kind == "keyDown" && !text.is_empty() {
                event["text"] = json!(text);
            }
            self.call("Input.dispatchKeyEvent", event);
        }
    }
}
