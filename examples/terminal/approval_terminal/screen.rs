//! The screen. All texts of the agent go through `visible` or `shown`, so no escape of a terminal in them is raw.

use exo_rails_guards::approval::{ApprovalRequest, Remember, Request, ShownLimits, UserQuestion, visible};
use ratatui::Frame;
use ratatui::style::{Style, Stylize};
use ratatui::text::Line;
use ratatui::widgets::{Block, Paragraph, Wrap};

use crate::dialog::{Dialog, Mode};

pub(crate) fn draw(frame: &mut Frame<'_>, dialog: Option<&Dialog>) {
    let (title, lines) = match dialog {
        None => (" The agent works ".to_owned(), vec![Line::from("There is nothing to decide.")]),
        Some(dialog) => {
            let seconds = dialog.pending().remaining().as_secs();
            let (what, mut lines) = match dialog.request() {
                Request::Approval(request) => ("The agent wants to make a call", call(request)),
                Request::Question(question) => ("The agent asks", asked(question)),
                _ => ("The agent asks for something that this program does not know", Vec::new()),
            };
            lines.push(Line::default());
            lines.extend(below(dialog));
            (format!(" {what}: {seconds} s left "), lines)
        }
    };
    let page = Paragraph::new(lines).wrap(Wrap { trim: false }).block(Block::bordered().title(title));
    frame.render_widget(page, frame.area());
}

fn call(request: &ApprovalRequest) -> Vec<Line<'static>> {
    let shown = request.shown(ShownLimits::default().lines(12).text(240));
    let mut lines = vec![
        Line::from(format!("Tool    {}", shown.tool_name)).bold(),
        Line::from(format!("Agent   {}", visible(&request.agent))),
        Line::from(format!(
            "Reason  {} ({}/{})",
            visible(&request.reason),
            visible(&request.guard),
            visible(&request.rule)
        )),
    ];
    lines.extend(shown.lines.into_iter().map(Line::from));
    lines.extend(shown.warnings.into_iter().map(|warning| Line::from(format!("! {warning}")).yellow()));
    let findings = request.findings.iter().map(ToString::to_string);
    lines.extend(findings.map(|finding| Line::from(format!("Finding {}", visible(&finding)))));
    lines
}

fn asked(question: &UserQuestion) -> Vec<Line<'static>> {
    let mut lines: Vec<_> = question.question.lines().map(|line| Line::from(visible(line).into_owned())).collect();
    lines.extend(question.choices.iter().map(|choice| Line::from(format!("- {}", visible(choice)))));
    lines
}

/// The keys, or what the person writes.
fn below(dialog: &Dialog) -> Vec<Line<'static>> {
    let written = |what: &str, text: &str, keys: &'static str| {
        vec![Line::from(format!("{what}: {}_", visible(text))), Line::styled(keys, Style::new().dim())]
    };
    let mut lines = match &dialog.mode {
        Mode::Choosing => {
            let offers = dialog.pending().approval().map(|request| request.remember.clone()).unwrap_or_default();
            let mut keys = "[o] approve once".to_owned();
            for (remember, key) in [(Remember::Session, "  [s] for the session"), (Remember::Forever, "  [f] for ever")]
            {
                keys.push_str(if offers.contains(&remember) { key } else { "" });
            }
            keys.push_str("  [d] deny  [e] edit the arguments");
            vec![Line::from(keys)]
        }
        Mode::Reason(text) => written("Why not", text, "[Enter] deny  [Esc] back"),
        Mode::Arguments(text) => written("Arguments", text, "[Enter] approve with these arguments  [Esc] back"),
        Mode::Answer(text) => written("Answer", text, "[Enter] answer  [Esc] do not answer"),
    };
    lines.extend(dialog.problem.iter().map(|problem| Line::from(format!("! {}", visible(problem))).red()));
    lines
}
