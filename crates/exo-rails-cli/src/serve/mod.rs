//! The playground: a page on this machine that shows a machine and runs it.

mod log;
mod playground;
mod routes;
mod snapshot;

use std::net::Ipv4Addr;
use std::process::ExitCode;
use std::sync::Arc;

use crate::arguments::ServeOptions;
use crate::failure::Failure;
use playground::Playground;

/// Serves the playground until Ctrl-C.
pub(crate) async fn serve(options: &ServeOptions) -> Result<ExitCode, Failure> {
    let playground = Arc::new(Playground::new(options)?);
    // Other machines must not reach it: the page can spend money and change what the machine does.
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, options.port)).await;
    let failed = |error| Failure::Usage(format!("port {} of this computer: {error}", options.port));
    let listener = listener.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    anstream::println!("http://{address}");
    let end = async {
        // Without the signal, only another one can end the program.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        served = axum::serve(listener, routes::routes(playground, address.port())) => served.map_err(failed)?,
        () = end => {}
    }
    Ok(ExitCode::SUCCESS)
}
