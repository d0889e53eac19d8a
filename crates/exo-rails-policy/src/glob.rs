//! Globs: patterns of names.
//!
//! The crate reads and matches globs itself, because the usual libraries compile them to automata, and a program that only
//! reads a policy should not have to. A test compares the result with such a library.

/// A pattern of names: `*` is any text, `?` is one character, `[a-z]` is one of some characters, and `{read,list}` is one of
/// some patterns. A backslash before such a character makes it an ordinary one. A glob matches whole names.
///
/// ```
/// use exo_rails_policy::Glob;
///
/// let glob = Glob::new("fs_{read,write}_*")?;
/// assert!(glob.matches("fs_read_file", false) && !glob.matches("fs_list", false));
/// assert!(!glob.matches("FS_Read_File", false) && glob.matches("FS_Read_File", true));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    steps: Vec<Step>,
    /// The texts between the stars, if the glob has nothing else. Most globs are so, and need no memory for a search.
    texts: Option<Vec<String>>,
}

/// A step of the search. The search is in several steps at once, so its time is limited by the lengths of the pattern and of
/// the text, whatever they are.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Char(char),
    AnyChar,
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
    /// Continues at both places, without a character.
    Split(usize, usize),
    /// Continues at this place, without a character.
    Jump(usize),
}

impl Glob {
    /// Reads a glob.
    ///
    /// # Errors
    /// Returns what is wrong in these cases: a class or a list of patterns does not end, a list ends that has not begun, a range
    /// is in the wrong order, or the pattern ends with a backslash.
    pub fn new(pattern: &str) -> Result<Self, String> {
        let mut reader = Reader { rest: pattern.chars(), depth: 0 };
        let parts = reader.parts().map_err(|problem| format!("`{pattern}` is not a pattern: {problem}"))?;
        let mut steps = Vec::new();
        add(&parts, &mut steps);
        Ok(Self { steps, texts: texts(&parts) })
    }

    /// Returns whether the glob matches a whole text, exactly or in any case.
    #[must_use]
    pub fn matches(&self, text: &str, any_case: bool) -> bool {
        if let (Some(texts), false) = (&self.texts, any_case) {
            return has_texts(texts, text);
        }
        let mut now = Places::new(self.steps.len() + 1);
        let mut next = now.clone();
        self.enter(0, &mut now);
        for c in text.chars() {
            next.clear();
            for &place in &now.list {
                if self.steps.get(place).is_some_and(|step| step.takes(c, any_case)) {
                    self.enter(place + 1, &mut next);
                }
            }
            if next.list.is_empty() {
                return false;
            }
            std::mem::swap(&mut now, &mut next);
        }
        now.has[self.steps.len()]
    }

    /// Adds a place, and the places that it reaches without a character.
    fn enter(&self, place: usize, places: &mut Places) {
        let mut open = vec![place];
        while let Some(place) = open.pop() {
            if !places.add(place) {
                continue;
            }
            match self.steps.get(place) {
                Some(Step::Split(one, other)) => open.extend([*one, *other]),
                Some(Step::Jump(to)) => open.push(*to),
                _ => {}
            }
        }
    }
}

impl Step {
    fn takes(&self, c: char, any_case: bool) -> bool {
        let is_same = |one: char| one == c || any_case && one.to_lowercase().eq(c.to_lowercase());
        match self {
            Self::Char(wanted) => is_same(*wanted),
            Self::AnyChar => true,
            Self::Class { negated, ranges } => {
                let has = |c: char| ranges.iter().any(|(first, last)| (*first..=*last).contains(&c));
                let in_other_case = || c.to_lowercase().any(has) || c.to_uppercase().any(has);
                (has(c) || any_case && in_other_case()) != *negated
            }
            Self::Split(..) | Self::Jump(_) => false,
        }
    }
}

/// The places of a search, each once.
#[derive(Clone)]
struct Places {
    list: Vec<usize>,
    has: Vec<bool>,
}

impl Places {
    fn new(count: usize) -> Self {
        Self { list: Vec::with_capacity(count), has: vec![false; count] }
    }

    fn add(&mut self, place: usize) -> bool {
        let is_new = !std::mem::replace(&mut self.has[place], true);
        if is_new {
            self.list.push(place);
        }
        is_new
    }

    fn clear(&mut self) {
        self.list.clear();
        self.has.fill(false);
    }
}

/// A part of a pattern.
enum Part {
    Char(char),
    AnyChar,
    AnyText,
    Class { negated: bool, ranges: Vec<(char, char)> },
    OneOf(Vec<Vec<Part>>),
}

/// Returns the texts between the stars of a pattern that has only characters and stars.
fn texts(parts: &[Part]) -> Option<Vec<String>> {
    let mut texts = vec![String::new()];
    for part in parts {
        match part {
            Part::Char(c) => texts.last_mut()?.push(*c),
            Part::AnyText => texts.push(String::new()),
            Part::AnyChar | Part::Class { .. } | Part::OneOf(_) => return None,
        }
    }
    Some(texts)
}

/// Returns whether a text begins with the first text, ends with the last one, and has the others in this order in between.
fn has_texts(texts: &[String], text: &str) -> bool {
    match texts {
        [] => text.is_empty(),
        [only] => only == text,
        [first, between @ .., last] => {
            let rest = text.strip_prefix(first.as_str()).and_then(|rest| rest.strip_suffix(last.as_str()));
            // The first place of each text leaves the most room for the next ones.
            let behind = |rest: &str, wanted: &String| rest.find(wanted.as_str()).map(|at| at + wanted.len());
            rest.is_some_and(|rest| {
                let mut at = 0;
                between.iter().all(|wanted| behind(&rest[at..], wanted).map(|more| at += more).is_some())
            })
        }
    }
}

/// Writes the steps of some parts.
fn add(parts: &[Part], steps: &mut Vec<Step>) {
    for part in parts {
        match part {
            Part::Char(c) => steps.push(Step::Char(*c)),
            Part::AnyChar => steps.push(Step::AnyChar),
            Part::Class { negated, ranges } => steps.push(Step::Class { negated: *negated, ranges: ranges.clone() }),
            Part::AnyText => {
                let begin = steps.len();
                steps.extend([Step::Split(begin + 1, begin + 3), Step::AnyChar, Step::Jump(begin)]);
            }
            Part::OneOf(branches) => {
                // An empty branch says nothing, as in `{a,}`.
                let branches: Vec<_> = branches.iter().filter(|branch| !branch.is_empty()).collect();
                let mut ends = Vec::new();
                for (number, branch) in branches.iter().enumerate() {
                    let split = steps.len();
                    let is_last = number + 1 == branches.len();
                    if !is_last {
                        steps.push(Step::Split(split + 1, 0));
                    }
                    add(branch, steps);
                    if !is_last {
                        ends.push(steps.len());
                        steps.push(Step::Jump(0));
                        steps[split] = Step::Split(split + 1, steps.len());
                    }
                }
                let end = steps.len();
                for jump in ends {
                    steps[jump] = Step::Jump(end);
                }
            }
        }
    }
}

/// The deepest list of patterns in lists of patterns.
const DEEPEST: usize = 16;

struct Reader<'p> {
    rest: std::str::Chars<'p>,
    depth: usize,
}

impl Reader<'_> {
    fn parts(&mut self) -> Result<Vec<Part>, String> {
        let mut parts = Vec::new();
        while let Some(c) = self.rest.next() {
            if c == '}' {
                return Err("unopened alternate group; missing '{' (maybe escape '}' with '[}]'?)".to_owned());
            }
            parts.push(self.part(c)?);
        }
        Ok(parts)
    }

    fn part(&mut self, c: char) -> Result<Part, String> {
        Ok(match c {
            '?' => Part::AnyChar,
            '*' => Part::AnyText,
            '[' => self.class()?,
            '{' => self.one_of()?,
            '\\' => Part::Char(self.rest.next().ok_or("dangling '\\'")?),
            c => Part::Char(c),
        })
    }

    fn one_of(&mut self) -> Result<Part, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("more than {DEEPEST} alternate groups are in each other"));
        }
        let mut branches = vec![Vec::new()];
        loop {
            match self.rest.next() {
                None => return Err("unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)".to_owned()),
                Some('}') => break,
                Some(',') => branches.push(Vec::new()),
                Some(c) => {
                    let part = self.part(c)?;
                    if let Some(branch) = branches.last_mut() {
                        branch.push(part);
                    }
                }
            }
        }
        self.depth -= 1;
        Ok(Part::OneOf(branches))
    }

    fn class(&mut self) -> Result<Part, String> {
        let mut next = self.rest.next();
        let negated = matches!(next, Some('!' | '^'));
        if negated {
            next = self.rest.next();
        }
        let mut ranges: Vec<(char, char)> = Vec::new();
        let (mut is_first, mut in_range) = (true, false);
        loop {
            let c = next.ok_or("unclosed character class; missing ']'")?;
            match (c, ranges.last_mut()) {
                (']', _) if !is_first => break,
                ('-', Some(_)) if !in_range => in_range = true,
                (c, Some((first, last))) if in_range => {
                    if c < *first {
                        return Err(format!("invalid range; '{first}' > '{c}'"));
                    }
                    *last = c;
                    in_range = false;
                }
                (c, _) => ranges.push((c, c)),
            }
            is_first = false;
            next = self.rest.next();
        }
        if in_range {
            ranges.push(('-', '-'));
        }
        Ok(Part::Class { negated, ranges })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use globset::GlobBuilder;
    use proptest::prelude::*;

    use super::*;

    /// What a library says about a pattern and a text.
    fn library(pattern: &str, text: &str, any_case: bool) -> Result<bool, String> {
        let glob = GlobBuilder::new(pattern).case_insensitive(any_case).backslash_escape(true).build();
        let glob = glob.map_err(|error| format!("`{pattern}` is not a pattern: {}", error.kind()))?;
        Ok(glob.compile_matcher().is_match(text))
    }

    #[test]
    fn a_long_pattern_on_a_long_text_takes_no_exponential_time() {
        let glob = Glob::new(&"{a*a,a*aa}".repeat(50)).unwrap();
        assert!(!glob.matches(&format!("{}b", "a".repeat(2_000)), false));
    }

    #[test]
    fn deep_lists_are_a_mistake() {
        let error = Glob::new(&"{".repeat(100_000)).unwrap_err();
        assert!(error.ends_with("more than 16 alternate groups are in each other"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn a_glob_is_what_the_library_says(pattern in "[ab*?\\[\\]{},\\\\!^A-]{0,8}", text in "[abAB,-]{0,6}", any_case: bool) {
            let own = Glob::new(&pattern).map(|glob| glob.matches(&text, any_case));
            prop_assert_eq!(own, library(&pattern, &text, any_case));
        }
    }
}
