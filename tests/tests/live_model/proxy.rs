//! A proxy that the environment names, and a key.

use std::env;
use std::process::Command;

use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;

use crate::dialect::DIALECTS;
use crate::server::{Answer, Server};
use crate::{BOTH, ask, prompt};

#[tokio::test]
#[ignore = "the next test runs it in a process with other variables"]
async fn child_asks_a_server_on_this_machine() {
    for (dialect, how) in DIALECTS.into_iter().flat_map(|dialect| BOTH.map(|how| (dialect, how))) {
        let server = Server::start([Answer::json(&dialect.hello())]).await;
        let url = server.url.replace("127.0.0.1", "localhost");
        let response = ask(&dialect.model(&url), how, prompt()).await.unwrap();
        assert_eq!(response.message.text(), "Hello");
        server.requests().await;
    }
    println!("nobody else was asked");
}

#[tokio::test]
async fn the_key_for_a_server_on_this_machine_goes_to_no_proxy() {
    let proxy = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", proxy.local_addr().unwrap());
    let mut child = Command::new(env::current_exe().unwrap());
    child.args(["--exact", "proxy::child_asks_a_server_on_this_machine", "--ignored", "--nocapture"]);
    child.env_remove("NO_PROXY").env_remove("no_proxy");
    for variable in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        child.env(variable, &address);
    }
    let mut asked = tokio::spawn(async move {
        let (mut client, _) = proxy.accept().await.unwrap();
        let mut request = vec![0; 4_096];
        let read = client.read(&mut request).await.unwrap();
        String::from_utf8_lossy(&request[..read]).into_owned()
    });
    let output = tokio::task::spawn_blocking(move || child.output().unwrap());
    tokio::select! {
        request = &mut asked => panic!("the proxy is asked: {}", request.unwrap()),
        output = output => {
            let output = output.unwrap();
            let told = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && told.contains("nobody else was asked"), "{told}");
        }
    }
}
