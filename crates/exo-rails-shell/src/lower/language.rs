//! Code of other languages in a command: whether all names in it are known to have no effect outside of the program.

/// What the code of a language may have without an effect outside of its program. Lists of names are texts with blanks.
struct Language {
    /// Names without effects: functions, methods and modules.
    harmless: &'static str,
    /// Names that are never values, because other code can call them.
    never: &'static str,
    /// Names behind which modules are named.
    imports: &'static str,
    /// Functions behind which `>` writes to a file.
    printing: &'static str,
    /// What begins a comment.
    comments: &'static [&'static str],
    /// Texts that code must not have outside of its texts, such as the backquote of perl.
    refused: &'static [&'static str],
    /// Characters around texts.
    quotes: &'static str,
    /// What begins code in a text, and what ends it.
    interpolation: Option<(&'static str, &'static str)>,
    /// `/…/` is a pattern.
    patterns: bool,
    /// Names that are neither called nor methods are values, and pass. Otherwise all names must be harmless.
    values: bool,
}

fn has(list: &str, name: &str) -> bool {
    list.split(' ').any(|other| other == name)
}

fn language(name: &str) -> Option<&'static Language> {
    Some(match name {
        "python" => &PYTHON,
        "javascript" => &JAVASCRIPT,
        "awk" => &AWK,
        "perl" => &PERL,
        "ruby" => &RUBY,
        "php" => &PHP,
        _ => return None,
    })
}

/// Returns whether code has no effect outside of its program, as far as its names show. Code of a language that is not described here
/// never is.
pub(super) fn is_harmless(code: &str, name: &str) -> bool {
    language(name).is_some_and(|rules| {
        Reader { code, at: 0, rules, before: Before::Start, printing: false, importing: false }.finds_no_effect(0)
    })
}

/// What stands in front of a place in code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Start,
    Dot,
    /// A name or a value.
    Value,
    Operator,
}

struct Reader<'c> {
    code: &'c str,
    at: usize,
    rules: &'c Language,
    before: Before,
    /// The statement prints: a `>` writes to a file.
    printing: bool,
    /// The statement imports modules.
    importing: bool,
}

impl<'c> Reader<'c> {
    fn rest(&self) -> &'c str {
        &self.code[self.at..]
    }

    fn finds_no_effect(mut self, depth: usize) -> bool {
        if depth > 4 {
            return false;
        }
        while let Some(c) = self.rest().chars().next() {
            let harmless = if self.rules.comments.iter().any(|comment| self.rest().starts_with(*comment)) {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
                true
            } else if self.rest().starts_with("||") {
                self.at += 2;
                self.before = Before::Operator;
                true
            } else if self.rules.refused.iter().any(|refused| self.rest().starts_with(*refused)) {
                false
            } else if self.rules.quotes.contains(c) {
                self.text(c, "", depth)
            } else if c.is_alphabetic() || c == '_' {
                self.name(depth)
            } else if c.is_ascii_digit() {
                self.at += self
                    .rest()
                    .find(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '_')
                    .unwrap_or(self.rest().len());
                self.before = Before::Value;
                true
            } else if c == '/' && self.rules.patterns && self.before != Before::Value {
                self.pattern()
            } else {
                self.punctuation(c)
            };
            if !harmless {
                return false;
            }
        }
        true
    }

    fn punctuation(&mut self, c: char) -> bool {
        // What a subscript or a call returns is called: it may be any function.
        if c == '(' && self.code[..self.at].trim_end().ends_with([')', ']', '"', '\'', '`']) {
            return false;
        }
        if c == '>' && self.printing {
            return false;
        }
        if matches!(c, '\n' | ';' | '}') {
            self.printing = false;
            self.importing = false;
        }
        self.at += c.len_utf8();
        if !c.is_whitespace() {
            self.before = match c {
                '.' => Before::Dot,
                ')' | ']' | '}' => Before::Value,
                _ => Before::Operator,
            };
        }
        true
    }

    /// Reads a text between quotes. The prefix is the name directly in front of it.
    fn text(&mut self, quote: char, prefix: &str, depth: usize) -> bool {
        let triple: String = [quote; 3].iter().collect();
        let (end, width) = if self.rest().starts_with(&triple) { (triple.as_str(), 3) } else { (&triple[..1], 1) };
        let start = self.at + width;
        let mut at = start;
        let bytes = self.code.as_bytes();
        let raw = prefix.contains(['r', 'R']);
        loop {
            if at >= bytes.len() {
                return false;
            }
            if bytes[at] == b'\\' && !(raw && at + 1 >= bytes.len()) {
                at += 2;
            } else if self.code.as_bytes()[at..].starts_with(end.as_bytes()) {
                break;
            } else {
                at += 1;
            }
        }
        let Some(inside) = self.code.get(start..at) else { return false };
        self.at = at + end.len();
        self.before = Before::Value;
        if std::mem::take(&mut self.importing) {
            let data = inside.starts_with('.') && inside.strip_suffix(".json").is_some();
            return data || has(self.rules.harmless, inside);
        }
        let Some((open, close)) = self.rules.interpolation else { return true };
        // Braces are code in a text with `f` in front, and a longer mark of code is one in each text.
        if open == "{" && !prefix.contains(['f', 'F', 't', 'T']) {
            return true;
        }
        let mut rest = inside;
        while let Some(begin) = rest.find(open) {
            let code = &rest[begin + open.len()..];
            let Some(end) = code.find(close) else { return false };
            // The format behind `:` has no names.
            let inner = Reader {
                code: &code[..end],
                at: 0,
                rules: self.rules,
                before: Before::Start,
                printing: false,
                importing: false,
            };
            if !inner.finds_no_effect(depth + 1) {
                return false;
            }
            rest = &code[end + close.len()..];
        }
        true
    }

    fn pattern(&mut self) -> bool {
        let bytes = self.code.as_bytes();
        let mut at = self.at + 1;
        loop {
            match bytes.get(at) {
                None | Some(b'\n') => return false,
                Some(b'\\') => at += 2,
                Some(b'/') => break,
                // Code in patterns: `#{…}`, `(?{…})`, `@{…}`.
                Some(b'{') if matches!(bytes[at - 1], b'#' | b'?' | b'@' | b'$') => return false,
                Some(_) => at += 1,
            }
        }
        self.at = at + 1;
        self.before = Before::Value;
        true
    }

    fn name(&mut self, depth: usize) -> bool {
        let length = self.rest().find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest().len());
        let name = &self.rest()[..length];
        let before = self.before;
        self.at += length;
        if let Some(quote) = self.rest().chars().next().filter(|c| self.rules.quotes.contains(*c)) {
            if name.len() <= 2 {
                return self.text(quote, name, depth);
            }
            return false;
        }
        self.before = Before::Value;
        self.printing |= has(self.rules.printing, name);
        let importing = self.importing;
        self.importing |= has(self.rules.imports, name);
        let called = self.rest().trim_start().starts_with('(');
        let imports = has(self.rules.imports, name);
        if imports || has(self.rules.harmless, name) {
            // An operator of words, such as `in`, has a value behind it.
            if imports || matches!(name, "return" | "in" | "and" | "or" | "not" | "if" | "print") {
                self.before = Before::Operator;
            }
            return name != "open" || self.reads_only();
        }
        self.rules.values && !called && before != Before::Dot && !importing && !has(self.rules.never, name)
    }

    /// Returns whether a call of `open` has only a path.
    fn reads_only(&self) -> bool {
        let Some(arguments) = self.rest().trim_start().strip_prefix('(') else { return false };
        let Some(end) = arguments.find(')') else { return false };
        !arguments[..end].contains([',', '(', '*'])
    }
}

static PYTHON: Language = Language {
    harmless: "print len range sorted sum min max abs round int float str bool bytes list dict set tuple frozenset enumerate zip map \
         filter reversed any all repr ord chr hex bin oct isinstance type iter next divmod pow hash id dir help format if else \
         elif for in while not and or is return lambda def import from as with open assert True False None try except raise pass \
         break continue yield Exception ValueError KeyError slice hasattr json load loads dumps sys stdin stdout argv version \
         version_info path platform maxsize executable prefix exit flush read readline readlines strip lstrip rstrip split \
         splitlines join startswith endswith upper lower title capitalize count find index encode decode isdigit zfill ljust \
         rjust center keys values items get append extend add sort reverse copy pop update most_common group groups findall match \
         search sub re math sqrt floor ceil pi log exp sin cos random randint choice uniform seed shuffle datetime date timedelta \
         now today utcnow isoformat strftime time perf_counter collections Counter defaultdict OrderedDict itertools chain \
         product permutations combinations functools reduce partial statistics mean median stdev string hashlib sha256 md5 sha1 \
         hexdigest digest base64 b64encode b64decode textwrap dedent uuid uuid4 pprint urllib parse quote unquote urlparse ast \
         literal_eval tomllib yaml safe_load toml csv reader DictReader decimal Decimal fractions Fraction secrets token_hex \
         token_urlsafe struct unpack pack numpy np array shape std dtype pandas read_csv read_json head tail describe columns \
         torch cuda is_available device_count tensorflow exists isfile isdir name site sysconfig get_paths getsitepackages \
         package metadata strptime timestamp total_seconds bit_length to_bytes from_bytes",
    never: "eval exec compile getattr setattr delattr globals locals vars breakpoint input open __import__ __builtins__ os shutil \
         subprocess pty ctypes importlib",
    imports: "import from",
    printing: "",
    comments: &["#"],
    refused: &["@", "__"],
    quotes: "'\"",
    interpolation: Some(("{", "}")),
    patterns: false,
    values: true,
};

static JAVASCRIPT: Language = Language {
    harmless: "console log error warn table info JSON parse stringify Math max min floor ceil round random abs sqrt pow PI Object keys \
         values entries assign fromEntries Array from isArray of map filter reduce forEach some every find findIndex includes \
         indexOf join split slice concat flat flatMap sort reverse push length String Number Boolean parseInt parseFloat isNaN \
         toFixed toString toLowerCase toUpperCase trim padStart padEnd replace replaceAll match matchAll test repeat startsWith \
         endsWith charCodeAt fromCharCode codePointAt at Date now toISOString getTime Map Set size has get set add if else for \
         while return const let var new typeof instanceof in function async await true false null undefined throw try catch Error \
         RegExp Promise resolve all then Symbol BigInt performance setTimeout name version versions dependencies devDependencies \
         scripts main type message URL searchParams encodeURIComponent decodeURIComponent btoa atob crypto randomUUID \
         structuredClone default data id value key engines exports license",
    never: "eval Function constructor globalThis global window process module exports Reflect Proxy fs Bun Deno child_process fetch \
         WebAssembly",
    imports: "import from require",
    printing: "",
    comments: &["//"],
    refused: &["/*", "@"],
    quotes: "'\"`",
    interpolation: Some(("${", "}")),
    patterns: true,
    values: true,
};

static AWK: Language = Language {
    harmless: "print printf if else for while do in next nextfile exit delete return function getline length substr index split gsub \
         sub gensub match toupper tolower sprintf int sqrt exp log sin cos atan2 rand srand strftime systime mktime asort asorti \
         and or xor lshift rshift",
    never: "system",
    imports: "",
    printing: "print printf",
    comments: &["#"],
    refused: &["@", "|"],
    quotes: "\"",
    interpolation: None,
    patterns: true,
    values: true,
};

static PERL: Language = Language {
    harmless: "print say printf if unless else elsif for foreach while and or not next last my length uc lc ucfirst lcfirst substr \
         index join split sort keys values reverse scalar map grep sprintf chomp chop chr ord int abs sqrt push pop shift BEGIN \
         END F _ ARGV n",
    never: "",
    imports: "",
    printing: "",
    comments: &["#"],
    refused: &["`", "@{", "${", "<", "&", "**"],
    quotes: "'\"",
    interpolation: Some(("@{", "}")),
    patterns: true,
    values: false,
};

static RUBY: Language = Language {
    harmless: "puts print p pp if unless else elsif end do each map select reject length size upcase downcase capitalize reverse sort \
         uniq sum min max first last join split strip to_s to_i to_f to_a times upto then true false nil x i n s a b RUBY_VERSION \
         RUBY_PLATFORM Time now Date today format round even odd zip include require JSON parse keys values",
    never: "",
    imports: "",
    printing: "",
    comments: &["#"],
    refused: &["`", "%x", "%X", "<<", "&:", "@", "$", "::", "%"],
    quotes: "'\"",
    interpolation: Some(("#{", "}")),
    patterns: true,
    values: false,
};

static PHP: Language = Language {
    harmless: "echo print printf print_r var_dump phpversion PHP_VERSION PHP_EOL PHP_OS strlen strtoupper strtolower substr implode \
         explode count json_encode json_decode date time round floor ceil max min array foreach as if else for range x i k v \
         sprintf str_repeat ucfirst trim",
    never: "",
    imports: "",
    printing: "",
    comments: &["//", "#"],
    refused: &["`", "$$", "/*", "<<<", "->"],
    quotes: "'\"",
    interpolation: Some(("{$", "}")),
    patterns: false,
    values: false,
};
