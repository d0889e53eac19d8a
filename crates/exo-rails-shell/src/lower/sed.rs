//! Scripts of sed: whether they only edit text.

/// Returns whether a script neither runs programs nor writes to files.
pub(super) fn is_harmless(script: &str) -> bool {
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', ';', '}']);
        if rest.is_empty() {
            return true;
        }
        let Some(behind) = command(rest) else { return false };
        rest = behind;
    }
}

/// Reads one command with its addresses. Returns what is behind it.
fn command(text: &str) -> Option<&str> {
    let mut rest = address(text)?;
    if let Some(second) = rest.trim_start().strip_prefix(',') {
        rest = address(second.trim_start())?;
    }
    let rest = rest.trim_start_matches([' ', '\t', '!']);
    let mut chars = rest.chars();
    let name = chars.next()?;
    let behind = chars.as_str();
    match name {
        '{' | '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' => Some(behind),
        'l' | 'q' | 'Q' => Some(behind.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ')),
        // Texts and labels are the rest of the line.
        'a' | 'i' | 'c' | ':' | 'b' | 't' | 'T' | '#' => {
            let end = if matches!(name, 'b' | 't' | 'T') { behind.find(['\n', ';', '}']) } else { line_end(behind) };
            Some(end.map_or("", |end| &behind[end..]))
        }
        's' => substitute(behind),
        'y' => {
            let delimiter = behind.chars().next()?;
            part(part(&behind[delimiter.len_utf8()..], delimiter)?, delimiter)
        }
        // `e` runs programs, `w` and `W` write, `r` and `R` read files; the rest is not known.
        _ => None,
    }
}

/// Finds the end of a text, which goes on behind a `\\` at the end of a line.
fn line_end(text: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let end = from + text[from..].find('\n')?;
        if !text[..end].ends_with('\\') {
            return Some(end);
        }
        from = end + 1;
    }
}

fn address(text: &str) -> Option<&str> {
    let first = text.chars().next()?;
    match first {
        '0'..='9' | '$' | '+' | '~' => {
            Some(text.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '$' | '~' | '+')))
        }
        '/' => Some(part(&text[1..], '/')?.trim_start_matches(['I', 'M'])),
        '\\' => {
            let delimiter = text[1..].chars().next()?;
            Some(part(&text[1 + delimiter.len_utf8()..], delimiter)?.trim_start_matches(['I', 'M']))
        }
        _ => Some(text),
    }
}

/// Returns what is behind the next delimiter. In brackets, a delimiter has no meaning for some programs: those are refused.
fn part(text: &str, delimiter: char) -> Option<&str> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == delimiter {
            return Some(&text[at + c.len_utf8()..]);
        }
    }
    None
}

fn substitute(text: &str) -> Option<&str> {
    let delimiter = text.chars().next()?;
    if matches!(delimiter, '\\' | '\n') {
        return None;
    }
    let body = &text[delimiter.len_utf8()..];
    // `[/]` is a bracket for one program and the end of the pattern for another.
    let behind = part(body, delimiter)?;
    let pattern = body[..body.len() - behind.len()].replace("\\[", "").replace("\\]", "");
    if pattern.matches('[').count() > pattern.matches(']').count() {
        return None;
    }
    let behind = part(behind, delimiter)?;
    let flags = behind
        .find(|c: char| !matches!(c, 'g' | 'p' | 'i' | 'I' | 'm' | 'M') && !c.is_ascii_digit())
        .unwrap_or(behind.len());
    let rest = &behind[flags..];
    matches!(rest.trim_start_matches([' ', '\t']).chars().next(), None | Some(';' | '\n' | '}' | '#')).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_that_edit_pass() {
        for script in [
            "s/a/b/",
            "s/a/b/g",
            "1,10p",
            "/x/d",
            "$!N;s/\n/ /",
            "10q",
            "s|/usr|/opt|g; s#a#b#",
            "/a/,/b/{s/x/y/;p}",
            "y/abc/xyz/",
            "2~3d",
            "$d",
            "1i\\\nhead",
            "s/[^,]*,//2",
            "n;d",
            "s/\\x1b\\[[0-9;]*m//g",
        ] {
            assert!(is_harmless(script), "{script}");
        }
    }

    #[test]
    fn scripts_that_run_programs_or_write_files_do_not_pass() {
        for script in [
            "e",
            "1e rm x",
            "s/a/b/e",
            "s/a/b/w out",
            "w out",
            "W out",
            "s/a/b/ge",
            "/x/e id",
            "1,2{e id\n}",
            "s/x/y",
            "s[/]x]",
            "r /etc/passwd",
            "v",
        ] {
            assert!(!is_harmless(script), "{script}");
        }
    }
}
