//! The dialog about one request: what the person does with keys.

use exo_rails_guards::approval::{Pending, Reply, Request, Response, UserAnswer};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use serde_json::Value;

/// What the person does.
pub(crate) enum Mode {
    /// Chooses a reply.
    Choosing,
    /// Writes the reason of a refusal.
    Reason(String),
    /// Writes other arguments, as JSON.
    Arguments(String),
    /// Writes the answer to a question.
    Answer(String),
}

/// What the program does after a key.
pub(crate) enum Next {
    Stay,
    Done,
    Quit,
}

pub(crate) struct Dialog {
    pending: Pending,
    pub(crate) mode: Mode,
    /// What was wrong with the last reply.
    pub(crate) problem: Option<String>,
}

impl Dialog {
    pub(crate) fn new(pending: Pending) -> Self {
        let mode = if pending.question().is_some() { Mode::Answer(String::new()) } else { Mode::Choosing };
        Self { pending, mode, problem: None }
    }

    pub(crate) const fn pending(&self) -> &Pending {
        &self.pending
    }

    pub(crate) fn press(&mut self, key: KeyEvent) -> Next {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        self.problem = None;
        match (&mut self.mode, key.code) {
            (_, KeyCode::Char('c')) if is_control => Next::Quit,
            (_, KeyCode::Char(_)) if is_control => Next::Stay,
            (Mode::Choosing, KeyCode::Char(letter)) => self.choose(letter),
            (Mode::Choosing, _) => Next::Stay,
            (Mode::Reason(_) | Mode::Arguments(_), KeyCode::Esc) => {
                self.mode = Mode::Choosing;
                Next::Stay
            }
            (Mode::Answer(_), KeyCode::Esc) => self.reply(UserAnswer::Declined),
            (_, KeyCode::Enter) => self.send(),
            (Mode::Reason(text) | Mode::Arguments(text) | Mode::Answer(text), code) => {
                match code {
                    KeyCode::Char(letter) => text.push(letter),
                    KeyCode::Backspace => drop(text.pop()),
                    _ => {}
                }
                Next::Stay
            }
        }
    }

    fn choose(&mut self, letter: char) -> Next {
        match letter {
            'o' => return self.reply(Reply::ApproveOnce),
            's' => return self.reply(Reply::ApproveForSession),
            'f' => return self.reply(Reply::ApproveForever),
            'd' => self.mode = Mode::Reason(String::new()),
            'e' => {
                let arguments = self.pending.approval().map(|request| request.arguments.to_string());
                self.mode = Mode::Arguments(arguments.unwrap_or_default());
            }
            _ => {}
        }
        Next::Stay
    }

    /// Sends what the person has written.
    fn send(&mut self) -> Next {
        match &self.mode {
            Mode::Choosing => Next::Stay,
            Mode::Reason(reason) => self.reply(Reply::deny(reason.clone())),
            Mode::Answer(answer) => self.reply(UserAnswer::text(answer.clone())),
            Mode::Arguments(text) => match serde_json::from_str::<Value>(text) {
                Ok(arguments) if arguments.is_object() => self.reply(Reply::Change { arguments }),
                Ok(_) => self.stay("write an object: all arguments of the call"),
                Err(error) => self.stay(format!("this is not JSON: {error}")),
            },
        }
    }

    fn reply(&mut self, response: impl Into<Response>) -> Next {
        match self.pending.reply(response) {
            Ok(()) => Next::Done,
            Err(error) => self.stay(error.to_string()),
        }
    }

    fn stay(&mut self, problem: impl Into<String>) -> Next {
        self.problem = Some(problem.into());
        Next::Stay
    }

    pub(crate) fn request(&self) -> &Request {
        self.pending.request()
    }
}
