//! The page in a headless Chromium, driven by the protocol of its developer tools.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

use crate::desk::Desk;
use crate::serve::Served;

/// A browser with one page.
struct Browser {
    child: Child,
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    session: String,
    calls: u64,
    _profile: TempDir,
}

impl Drop for Browser {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Browser {
    /// Starts a browser. Returns `None` if this machine has none.
    fn start() -> Option<Self> {
        let profile = tempfile::tempdir().unwrap();
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let mut child = names.into_iter().find_map(|name| {
            let mut command = Command::new(name);
            command.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]);
            command.args(["--remote-debugging-port=0", "about:blank"]);
            command.arg(format!("--user-data-dir={}", profile.path().display()));
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().ok()
        })?;
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let address = lines.find_map(|line| line.unwrap().strip_prefix("DevTools listening on ").map(str::to_owned));
        let address = address.expect("the browser says where it listens");
        // The browser stops when nobody reads its messages.
        std::thread::spawn(move || lines.for_each(drop));
        let (socket, _) = tungstenite::connect(address).unwrap();
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        }
        Some(Self { child, socket, session: String::new(), calls: 0, _profile: profile })
    }

    fn call(&mut self, method: &str, params: &Value) -> Value {
        self.try_call(method, params).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    fn try_call(&mut self, method: &str, params: &Value) -> Result<Value, Value> {
        self.calls += 1;
        let mut request = json!({ "id": self.calls, "method": method, "params": params });
        if !self.session.is_empty() {
            request["sessionId"] = self.session.clone().into();
        }
        self.socket.send(Message::text(request.to_string())).unwrap();
        loop {
            let answer: Value = serde_json::from_str(self.socket.read().unwrap().to_text().unwrap()).unwrap();
            if answer["id"] == self.calls {
                return answer.get("error").map_or_else(|| Ok(answer["result"].clone()), |error| Err(error.clone()));
            }
        }
    }

    fn open(&mut self, address: &str) {
        let target = self.call("Target.createTarget", &json!({ "url": address }));
        let attached = self.call("Target.attachToTarget", &json!({ "targetId": target["targetId"], "flatten": true }));
        attached["sessionId"].as_str().unwrap().clone_into(&mut self.session);
    }

    /// Returns the value of an expression in the page. A page that is being replaced has none.
    fn value(&mut self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let is_replaced = |error: &Value| error["message"] == "Inspected target navigated or closed";
        let result = match self.try_call("Runtime.evaluate", &params) {
            Ok(result) => result,
            Err(error) if is_replaced(&error) => return Value::Null,
            Err(error) => panic!("{expression}: {error}"),
        };
        assert!(result.get("exceptionDetails").is_none(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    /// Waits until an expression in the page is true.
    fn wait_for(&mut self, expression: &str) {
        let end = Instant::now() + Duration::from_secs(30);
        while self.value(expression) != true {
            let page = "document.body?.innerText";
            assert!(Instant::now() < end, "`{expression}` is not true: {}", self.value(page));
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn click(&mut self, id: &str) {
        self.value(&format!("document.getElementById('{id}').click()"));
    }
}

const STATUS: &str = "document.getElementById('status')?.textContent";

#[test]
fn a_person_runs_a_machine_at_the_page() {
    let Some(mut browser) = Browser::start() else {
        eprintln!("skipped: this machine has no Chromium");
        return;
    };
    let desk = Desk::with_review();
    let served = Served::new(&desk, "review.dygram --script script.json");
    browser.open(&format!("http://127.0.0.1:{}/", served.port));
    browser.wait_for(&format!("{STATUS} === 'ready'"));
    assert_eq!(browser.value("document.querySelectorAll('#drawing [data-node]').length"), 5);
    assert_eq!(browser.value("document.getElementById('stop').disabled"), true);
    assert_eq!(browser.value("document.getElementById('model').disabled"), true);

    // Each step shows the node where the machine is now.
    for node in ["draft", "review"] {
        browser.click("step");
        browser.wait_for(&format!("{STATUS} === 'paused at {node}'"));
        browser.wait_for(&format!("document.querySelector('#drawing .current').dataset.node === '{node}'"));
    }
    assert_eq!(browser.value("document.querySelectorAll('#log .automated').length"), 2);
    browser.click("execute");
    browser.wait_for(&format!("{STATUS} === 'completed'"));
    assert_eq!(browser.value("JSON.parse(document.getElementById('contexts').textContent).job.score"), 0.95);
    assert_eq!(browser.value("document.querySelector('#log .end').lastChild.textContent"), "completed");
    assert_eq!(browser.value("document.getElementById('execute').disabled"), true);
    assert!(browser.value("document.getElementById('summary').textContent").as_str().unwrap().starts_with("6 steps"));

    browser.click("reset");
    browser.wait_for(&format!("{STATUS} === 'ready' && document.getElementById('log').children.length === 0"));
    browser.click("execute");
    browser.wait_for(&format!("{STATUS} === 'completed'"));
    // A page that is opened later shows the same.
    browser.value("window.isOld = true; location.reload()");
    browser.wait_for(&format!("window.isOld === undefined && {STATUS} === 'completed'"));
    assert_eq!(browser.value("document.querySelectorAll('#log .end').length"), 1);
}

#[test]
fn a_person_answers_a_guard_and_stops_a_machine_at_the_page() {
    let Some(mut browser) = Browser::start() else {
        eprintln!("skipped: this machine has no Chromium");
        return;
    };
    let desk = Desk::with_review();
    desk.write("policy.toml", "[approval]\nrules = [{ tool = 'write_job', because = '<b>scores</b> matter' }]\n");
    let served = Served::new(&desk, "review.dygram --script script.json --policy policy.toml");
    browser.open(&format!("http://127.0.0.1:{}/", served.port));
    browser.wait_for(&format!("{STATUS} === 'ready'"));
    browser.click("execute");
    for (answer, score) in [("Approve", "0.5"), ("Refuse", "0.95")] {
        let text = "document.querySelector('#waits p')?.textContent";
        browser.wait_for(&format!("{text}?.includes('\"value\":{score}')"));
        let text = browser.value(text);
        assert!(text.as_str().unwrap().contains("<b>scores</b> matter"), "the text is no HTML: {text}");
        browser.value(&format!(
            "[...document.querySelectorAll('#waits button')].find(button => button.textContent === '{answer}').click()"
        ));
    }
    // The script has ended, so the model fails.
    browser.wait_for(&format!("{STATUS}?.startsWith('failed')"));
    assert!(browser.value("document.querySelectorAll('#log .error').length").as_u64().unwrap() > 0);
}
