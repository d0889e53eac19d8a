//! `exo-rails machine draw`

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::{fs, io};

use exo_rails_machine::{History, dot, mermaid, svg};

use crate::arguments::{DrawOptions, Format};
use crate::failure::Failure;
use crate::source;

/// Draws a machine.
pub(crate) fn draw(options: &DrawOptions) -> Result<ExitCode, Failure> {
    let format = match (options.format, &options.output) {
        (Some(format), _) => format,
        (None, Some(output)) => by_extension(output)?,
        (None, None) => Format::Mermaid,
    };
    let machine = source::machine(&options.file, &options.source)?;
    let history = options.history.as_deref().map(history).transpose()?;
    let text = match format {
        Format::Mermaid => mermaid(&machine, history.as_ref()),
        Format::Dot => dot(&machine, history.as_ref()),
        Format::Svg => svg(&machine, history.as_ref()),
    };
    match &options.output {
        Some(output) => fs::write(output, text).map_err(|error| Failure::of_file(output, error))?,
        None => io::stdout().write_all(text.as_bytes()).map_err(|error| Failure::Usage(error.to_string()))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn by_extension(output: &Path) -> Result<Format, Failure> {
    match output.extension().and_then(|extension| extension.to_str()) {
        Some("mmd" | "mermaid") => Ok(Format::Mermaid),
        Some("dot" | "gv") => Ok(Format::Dot),
        Some("svg") => Ok(Format::Svg),
        _ => Err(Failure::of_file(
            output,
            "the extension is none of `.mmd`, `.dot`, `.gv` and `.svg`: use one of them, or choose a format with `--format`",
        )),
    }
}

fn history(file: &Path) -> Result<History, Failure> {
    let bytes = fs::read(file).map_err(|error| Failure::of_file(file, error))?;
    serde_json::from_slice(&bytes)
        .map_err(|error| Failure::of_file(file, format_args!("this is not a history: {error}")))
}
