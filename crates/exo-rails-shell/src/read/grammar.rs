//! Commands: simple ones, compound ones, pipelines, lists, redirections, here-documents.

use super::{
    Arm, Assigned, Assignment, Command, Descriptor, Entry, Kind, Operator, Part, Pending, Program, Reader, Reads,
    Redirect, Runs, Word, is_name, read_document,
};

/// The words that end the list in a compound command.
const ENDS: [&str; 9] = ["then", "do", "done", "fi", "elif", "else", "esac", "}", ";;"];

impl Reader<'_> {
    /// Reads to the end of the text.
    pub(super) fn whole_text(&mut self) -> Reads<Program> {
        let mut program = self.list()?;
        if self.at < self.text.len() {
            return self.unreadable("an operator or a word is at a place where bash does not expect it");
        }
        // Bash takes the end of the text for the end of a here-document.
        self.read_documents()?;
        self.fill(&mut program);
        Ok(program)
    }

    /// Reads to a `)`, which stays.
    pub(super) fn program_until_parenthesis(&mut self) -> Reads<Program> {
        let outer = std::mem::take(&mut self.documents);
        let mut program = self.list()?;
        if self.peek() != Some(b')') {
            return self.unreadable("a `(` has no `)`");
        }
        if !self.documents.is_empty() {
            return self.unreadable("a here-document has no lines before the `)`");
        }
        self.documents = outer;
        self.fill(&mut program);
        Ok(program)
    }

    /// Skips blanks, comments and line ends, and reads here-documents.
    fn skip_lines(&mut self) -> Reads<()> {
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(b'#') => self.skip_comment(),
                Some(b'\n') => {
                    self.at += 1;
                    self.read_documents()?;
                }
                _ => return Ok(()),
            }
        }
    }

    fn skip_comment(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    }

    /// Returns the reserved word that begins here.
    fn reserved(&self) -> Option<&str> {
        let rest = &self.text.as_bytes()[self.at..];
        let ends = |b: &u8| matches!(b, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>');
        let length = rest.iter().position(ends).unwrap_or(rest.len());
        self.text.get(self.at..self.at + length).filter(|word| !word.is_empty())
    }

    fn is_at_end(&self) -> bool {
        match self.peek() {
            None | Some(b')') => true,
            Some(b';') => self.peek_at(1) == Some(b';') || self.peek_at(1) == Some(b'&'),
            _ => self.reserved().is_some_and(|word| ENDS.contains(&word)),
        }
    }

    /// Reads a list, up to the word or the operator that ends it.
    fn list(&mut self) -> Reads<Program> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut runs = Runs::Always;
        self.skip_lines()?;
        while !self.is_at_end() {
            let commands = self.pipeline()?;
            entries.push(Entry { commands, runs, background: false });
            self.skip_blanks();
            runs = Runs::Always;
            let needs_command = match (self.peek(), self.peek_at(1)) {
                (Some(b'&'), Some(b'&')) => {
                    self.at += 2;
                    runs = Runs::AfterSuccess;
                    true
                }
                (Some(b'|'), Some(b'|')) => {
                    self.at += 2;
                    runs = Runs::AfterFailure;
                    true
                }
                (Some(b'&'), _) => {
                    self.at += 1;
                    if let Some(last) = entries.last_mut() {
                        last.background = true;
                    }
                    false
                }
                (Some(b';'), next) if !matches!(next, Some(b';' | b'&')) => {
                    self.at += 1;
                    false
                }
                (Some(b'\n' | b'#'), _) => false,
                _ if self.is_at_end() => false,
                _ => return self.unreadable("an operator or a word is at a place where bash does not expect it"),
            };
            self.skip_lines()?;
            if needs_command && self.is_at_end() {
                return self.unreadable("no command follows `&&` or `||`");
            }
        }
        Ok(Program { entries })
    }

    fn pipeline(&mut self) -> Reads<Vec<Command>> {
        let start = self.at;
        loop {
            match self.reserved() {
                Some("!") => self.at += 1,
                Some("time") => {
                    self.at += 4;
                    self.skip_blanks();
                    if matches!(self.reserved(), Some("-p" | "--")) {
                        self.at += 2;
                    }
                }
                _ => break,
            }
            self.skip_blanks();
        }
        // `time` may stand alone.
        if self.at > start && matches!(self.peek(), None | Some(b'\n' | b';' | b'&' | b'|' | b')')) {
            return Ok(Vec::new());
        }
        let mut commands = vec![self.command()?];
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'|') || self.peek_at(1) == Some(b'|') {
                return Ok(commands);
            }
            self.at += 1;
            if self.eat("&")
                && let Some(command) = commands.last_mut()
            {
                let span = self.at - 2..self.at;
                let target = text_word("1", span.clone());
                let operator = Operator::Duplicate;
                let descriptor = Descriptor::Number(2);
                command.redirects.push(Redirect { descriptor, operator, target, document: None, span });
            }
            self.skip_lines()?;
            while let Some(word @ ("!" | "time")) = self.reserved() {
                let length = word.len();
                self.at += length;
                self.skip_blanks();
            }
            commands.push(self.command()?);
        }
    }

    fn command(&mut self) -> Reads<Command> {
        let start = self.at;
        let kind = self.deeper(Self::compound)?;
        let (kind, mut redirects) = match kind {
            Some(kind) => (kind, Vec::new()),
            None => return self.simple(),
        };
        self.redirects(&mut redirects)?;
        Ok(Command { kind, redirects, span: start..self.at })
    }

    fn redirects(&mut self, redirects: &mut Vec<Redirect>) -> Reads<()> {
        loop {
            self.skip_blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => return Ok(()),
            }
        }
    }

    /// Reads a compound command, if one begins here.
    fn compound(&mut self) -> Reads<Option<Kind>> {
        if self.peek() == Some(b'(') {
            if self.peek_at(1) == Some(b'(') {
                let start = self.at;
                if let Some(parts) = self.try_arithmetic(2)? {
                    return Ok(Some(Kind::Arithmetic(Word { parts, span: start..self.at })));
                }
            }
            self.at += 1;
            let program = self.program_until_parenthesis()?;
            self.at += 1;
            return Ok(Some(Kind::Subshell(program)));
        }
        let Some(word) = self.reserved() else { return Ok(None) };
        let length = word.len();
        let kind = match word {
            "{" => {
                self.at += length;
                let program = self.list()?;
                self.expect("}")?;
                Kind::Group(program)
            }
            "if" => self.conditional()?,
            "while" | "until" => {
                self.at += length;
                let condition = self.list()?;
                self.expect("do")?;
                let body = self.list()?;
                self.expect("done")?;
                Kind::While { condition, body }
            }
            "for" | "select" => {
                self.at += length;
                self.for_loop()?
            }
            "case" => {
                self.at += length;
                self.case()?
            }
            "[[" => {
                self.at += length;
                self.test()?
            }
            "function" => {
                self.at += length;
                self.skip_blanks();
                let Some(name) = self.word()?.and_then(|word| word.bare().map(str::to_owned)) else {
                    return self.unreadable("a function has no name");
                };
                self.skip_blanks();
                if self.eat("(") {
                    self.skip_blanks();
                    if !self.eat(")") {
                        return self.unreadable("a `(` behind the name of a function has no `)`");
                    }
                }
                self.function(name)?
            }
            "coproc" => {
                self.at += length;
                self.skip_blanks();
                // `coproc NAME { …; }` has a name, and `coproc command` has none.
                let start = self.at;
                if self.reserved().is_some_and(is_name) {
                    let _ = self.word()?;
                    self.skip_blanks();
                    let is_compound = self.peek() == Some(b'(')
                        || matches!(self.reserved(), Some("{" | "if" | "while" | "until" | "for" | "case" | "[["));
                    if !is_compound {
                        self.at = start;
                    }
                }
                Kind::Coprocess(Box::new(self.command()?))
            }
            word if ENDS.contains(&word) => {
                return self.unreadable("a word that ends a compound command has no begin");
            }
            _ => return self.function_of_a_name(),
        };
        Ok(Some(kind))
    }

    /// Reads `name() command`, if it begins here.
    fn function_of_a_name(&mut self) -> Reads<Option<Kind>> {
        let start = self.at;
        let rest = &self.text[start..];
        let ends = |c: char| " \t\n;&|()<>$`'\"\\={}".contains(c);
        let name = &rest[..rest.find(ends).unwrap_or(rest.len())];
        let behind = rest[name.len()..].trim_start_matches([' ', '\t']);
        let Some(inner) = behind.strip_prefix('(') else { return Ok(None) };
        if name.is_empty() || !inner.trim_start_matches([' ', '\t']).starts_with(')') {
            return Ok(None);
        }
        let name = name.to_owned();
        self.at = start + rest.find(')').unwrap_or(0) + 1;
        self.function(name).map(Some)
    }

    fn function(&mut self, name: String) -> Reads<Kind> {
        self.skip_lines()?;
        let body = self.command()?;
        if matches!(body.kind, Kind::Simple { .. }) {
            return self.unreadable("the body of a function is not a compound command");
        }
        Ok(Kind::Function { name, body: Box::new(body) })
    }

    fn expect(&mut self, word: &'static str) -> Reads<()> {
        self.skip_lines()?;
        if self.reserved() == Some(word) {
            self.at += word.len();
            return Ok(());
        }
        self.unreadable(match word {
            "}" => "a `{` has no `}`",
            "do" => "a loop has no `do`",
            "done" => "a loop has no `done`",
            "then" => "an `if` has no `then`",
            _ => "a compound command has no end",
        })
    }

    fn conditional(&mut self) -> Reads<Kind> {
        let mut branches = Vec::new();
        let mut otherwise = None;
        loop {
            match self.reserved() {
                Some("if") if branches.is_empty() => self.at += 2,
                Some("elif") if !branches.is_empty() => self.at += 4,
                Some("else") if !branches.is_empty() && otherwise.is_none() => {
                    self.at += 4;
                    otherwise = Some(self.list()?);
                    continue;
                }
                Some("fi") if !branches.is_empty() => {
                    self.at += 2;
                    return Ok(Kind::If { branches, otherwise });
                }
                _ => return self.unreadable("an `if` has no `fi`"),
            }
            let condition = self.list()?;
            self.expect("then")?;
            let body = self.list()?;
            branches.push((condition, body));
        }
    }

    fn for_loop(&mut self) -> Reads<Kind> {
        self.skip_blanks();
        if self.looks_at("((") {
            let start = self.at;
            let Some(parts) = self.try_arithmetic(2)? else {
                return self.unreadable("the `((` of a loop has no `))`");
            };
            let expressions = Word { parts, span: start..self.at };
            self.skip_blanks();
            let _ = self.eat(";");
            let body = self.body()?;
            return Ok(Kind::Count { expressions, body });
        }
        let Some(name) = self.word()?.and_then(|word| word.bare().map(str::to_owned)).filter(|name| is_name(name))
        else {
            return self.unreadable("a loop has no variable");
        };
        self.skip_lines()?;
        let mut values = None;
        if self.reserved() == Some("in") {
            self.at += 2;
            let mut words = Vec::new();
            loop {
                self.skip_blanks();
                match self.word()? {
                    Some(word) => words.push(word),
                    None => break,
                }
            }
            values = Some(words);
        }
        self.skip_blanks();
        let _ = self.eat(";");
        let body = self.body()?;
        Ok(Kind::For { name, values, body })
    }

    /// Reads `do … done`, or `{ … }`.
    fn body(&mut self) -> Reads<Program> {
        self.skip_lines()?;
        let braces = self.reserved() == Some("{");
        self.expect(if braces { "{" } else { "do" })?;
        let body = self.list()?;
        self.expect(if braces { "}" } else { "done" })?;
        Ok(body)
    }

    fn case(&mut self) -> Reads<Kind> {
        self.skip_blanks();
        let Some(subject) = self.word()? else { return self.unreadable("a `case` has no word") };
        self.skip_lines()?;
        if self.reserved() != Some("in") {
            return self.unreadable("a `case` has no `in`");
        }
        self.at += 2;
        let mut arms = Vec::new();
        loop {
            self.skip_lines()?;
            if self.reserved() == Some("esac") {
                self.at += 4;
                return Ok(Kind::Case { subject, arms });
            }
            let _ = self.eat("(");
            let mut patterns = Vec::new();
            loop {
                self.skip_blanks();
                match self.word()? {
                    Some(pattern) => patterns.push(pattern),
                    None => return self.unreadable("a `case` has no `esac`"),
                }
                self.skip_blanks();
                match self.peek() {
                    Some(b'|') => self.at += 1,
                    Some(b')') => break,
                    _ => return self.unreadable("a pattern of `case` has no `)`"),
                }
            }
            self.at += 1;
            let body = self.list()?;
            arms.push(Arm { patterns, body });
            self.skip_lines()?;
            if !self.eat(";;&") && !self.eat(";;") && !self.eat(";&") && self.reserved() != Some("esac") {
                return self.unreadable("a `case` has no `esac`");
            }
        }
    }

    /// Reads the words of `[[ … ]]`. Its operators are not those of commands.
    fn test(&mut self) -> Reads<Kind> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            match self.peek() {
                None | Some(b';') => return self.unreadable("a `[[` has no `]]`"),
                Some(b'\n' | b'(' | b')' | b'<' | b'>' | b'&' | b'|') => self.at += 1,
                Some(_) => {
                    if self.reserved() == Some("]]") {
                        self.at += 2;
                        return Ok(Kind::Test(words));
                    }
                    let Some(word) = self.word()? else {
                        return self.unreadable("a `[[` has no `]]`");
                    };
                    words.push(word);
                }
            }
        }
    }

    fn simple(&mut self) -> Reads<Command> {
        let start = self.at;
        let (mut assignments, mut words, mut redirects) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            self.skip_blanks();
            let end = self.at;
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                continue;
            }
            if self.peek() == Some(b'#') && self.at == end && !words.is_empty() {
                break;
            }
            // `declare name=(…)` takes an array too.
            let declares = words
                .first()
                .and_then(Word::bare)
                .is_some_and(|name| matches!(name, "declare" | "typeset" | "local" | "export" | "readonly"));
            if (words.is_empty() || declares)
                && let Some(assignment) = self.assignment()?
            {
                if words.is_empty() {
                    assignments.push(assignment);
                } else {
                    words.push(word_of(&assignment));
                    assignments.push(assignment);
                }
                continue;
            }
            match self.word()? {
                Some(word) => words.push(word),
                None => break,
            }
        }
        if self.peek() == Some(b'(') {
            return self.unreadable("a `(` follows a word");
        }
        let end = words
            .iter()
            .map(|word| word.span.end)
            .chain(assignments.iter().map(|assignment| assignment.span.end))
            .chain(redirects.iter().map(|redirect: &Redirect| redirect.span.end))
            .max();
        let Some(end) = end else {
            return self.unreadable("an operator or a word is at a place where bash does not expect it");
        };
        Ok(Command { kind: Kind::Simple { assignments, words }, redirects, span: start..end })
    }

    /// Reads `NAME=value`, `NAME+=value`, `NAME[index]=value` or `NAME=(…)`, if it begins here.
    fn assignment(&mut self) -> Reads<Option<Assignment>> {
        let start = self.at;
        let rest = &self.text[start..];
        let length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        let name = &rest[..length];
        if !is_name(name) {
            return Ok(None);
        }
        let name = name.to_owned();
        self.at += length;
        let mut index = None;
        if self.peek() == Some(b'[') {
            // Without `]=`, it is a word with a pattern.
            let line = &self.text[self.at..];
            let line = &line[..line.find('\n').unwrap_or(line.len())];
            if !line.contains("]=") && !line.contains("]+=") {
                self.at = start;
                return Ok(None);
            }
            self.at += 1;
            let begin = self.at;
            let parts = self.deeper(Self::index)?;
            index = Some(Word { parts, span: begin..self.at - 1 });
        }
        let appends = self.eat("+=");
        if !appends && !self.eat("=") {
            self.at = start;
            return Ok(None);
        }
        let value = if self.peek() == Some(b'(') {
            self.at += 1;
            Assigned::Array(self.array()?)
        } else {
            // `~` begins a word here.
            let begin = self.at;
            let word = self.word()?.unwrap_or(Word { parts: Vec::new(), span: begin..begin });
            Assigned::Word(word)
        };
        self.count()?;
        Ok(Some(Assignment { name, appends, index, value, span: start..self.at }))
    }

    fn array(&mut self) -> Reads<Vec<Word>> {
        let mut elements = Vec::new();
        loop {
            self.skip_blanks();
            match self.peek() {
                None => return self.unreadable("an array has no `)`"),
                Some(b')') => {
                    self.at += 1;
                    return Ok(elements);
                }
                Some(b'\n') => self.at += 1,
                Some(b'#') => self.skip_comment(),
                Some(_) => match self.deeper(Self::word)? {
                    Some(word) => elements.push(word),
                    None => return self.unreadable("an array has an operator"),
                },
            }
        }
    }

    /// Reads a redirection, if one begins here.
    fn redirect(&mut self) -> Reads<Option<Redirect>> {
        let start = self.at;
        let rest = &self.text[start..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let mut given = None;
        let behind = if digits > 0 && digits < 5 {
            given = rest[..digits].parse().ok().map(Descriptor::Number);
            digits
        } else if let Some(name) = rest.strip_prefix('{').and_then(|rest| rest.split_once('}')).map(|(name, _)| name)
            && is_name(name)
        {
            given = Some(Descriptor::Variable(name.to_owned()));
            name.len() + 2
        } else {
            0
        };
        let operators = [
            ("&>>", Operator::Append),
            ("&>", Operator::Write),
            ("<<<", Operator::String),
            ("<<", Operator::Document),
            ("<>", Operator::ReadWrite),
            ("<&", Operator::Duplicate),
            (">&", Operator::Duplicate),
            (">>", Operator::Append),
            (">|", Operator::Write),
            (">", Operator::Write),
            ("<", Operator::Read),
        ];
        let rest = &rest[behind..];
        let Some((text, operator)) = operators.into_iter().find(|(text, _)| rest.starts_with(text)) else {
            return Ok(None);
        };
        // `<(…)` and `>(…)` are words.
        if matches!(text, "<" | ">") && rest[1..].starts_with('(') {
            return Ok(None);
        }
        let usual = match text {
            "&>>" | "&>" => Descriptor::OutputAndErrors,
            "<<<" | "<<" | "<>" | "<&" | "<" => Descriptor::Number(0),
            _ => Descriptor::Number(1),
        };
        self.at += behind + text.len();
        let strips_tabs = operator == Operator::Document && self.eat("-");
        self.skip_blanks();
        let target_start = self.at;
        let Some(mut target) = self.word()? else { return self.unreadable("a redirection has no file") };
        let mut document = None;
        if operator == Operator::Document {
            let raw = &self.text[target_start..self.at];
            let quoted = raw.contains(['\'', '"', '\\']);
            let mut end = String::new();
            for part in &target.parts {
                match part {
                    Part::Text { text, .. } => end.push_str(text),
                    _ => return self.unreadable("the end of a here-document is not a plain word"),
                }
            }
            // The lines follow behind the line.
            self.documents.push(Pending { number: self.begun, end, strips_tabs, quoted });
            document = Some(self.begun);
            self.begun += 1;
            target.parts.clear();
        }
        // `>& file` is the older form of `&>`.
        let descriptor = match (&given, text, target.bare()) {
            (None, ">&", Some(target)) if target != "-" && !target.bytes().all(|b| b.is_ascii_digit() || b == b'-') => {
                Descriptor::OutputAndErrors
            }
            _ => given.unwrap_or(usual),
        };
        let operator = if descriptor == Descriptor::OutputAndErrors && operator == Operator::Duplicate {
            Operator::Write
        } else {
            operator
        };
        Ok(Some(Redirect { descriptor, operator, target, document, span: start..self.at }))
    }

    /// Reads the lines of the here-documents that the line before has begun.
    fn read_documents(&mut self) -> Reads<()> {
        for pending in std::mem::take(&mut self.documents) {
            let start = self.at;
            let mut body = String::new();
            let mut ended = false;
            while self.at < self.text.len() {
                let rest = &self.text[self.at..];
                let line_end = rest.find('\n').map_or(rest.len(), |end| end + 1);
                let line = &rest[..line_end];
                self.at += line_end;
                let line = if pending.strips_tabs { line.trim_start_matches('\t') } else { line };
                if line.strip_suffix('\n').unwrap_or(line) == pending.end {
                    ended = true;
                    break;
                }
                body.push_str(line);
            }
            // Inside a substitution, it is not clear where the document ends.
            if !ended && self.depth > 0 {
                return self.unreadable("a here-document has no end");
            }
            let end = self.at;
            // The offsets of the lines hold if no tab is missing.
            let exact = (!pending.strips_tabs).then_some(start);
            let parts = if pending.quoted {
                vec![Part::Text { text: body, quoted: true, at: exact }]
            } else {
                read_document(&body, start, self)?.into_iter().map(|part| part.at(start..end)).collect()
            };
            if self.lines.len() <= pending.number {
                self.lines.resize(pending.number + 1, Word::default());
            }
            self.lines[pending.number] = Word { parts, span: start..end };
        }
        Ok(())
    }

    /// Gives the redirections of a program the lines of their here-documents.
    fn fill(&mut self, program: &mut Program) {
        if self.begun > 0 {
            let lines = &mut self.lines;
            program.each_command(&mut |command| {
                for redirect in &mut command.redirects {
                    if let Some(word) = redirect.document.take().and_then(|number| lines.get_mut(number)) {
                        redirect.target = std::mem::take(word);
                    }
                }
            });
        }
    }
}

/// Returns the word that a command such as `declare` gets for an assignment.
fn word_of(assignment: &Assignment) -> Word {
    let operator = if assignment.appends { "+=" } else { "=" };
    let text = format!("{}{operator}", assignment.name);
    let mut parts = vec![Part::Text { text, quoted: false, at: None }];
    if let Assigned::Word(word) = &assignment.value {
        parts.extend(word.parts.iter().cloned());
    }
    Word { parts, span: assignment.span.clone() }
}

fn text_word(text: &str, span: std::ops::Range<usize>) -> Word {
    Word { parts: vec![Part::Text { text: text.to_owned(), quoted: false, at: None }], span }
}
