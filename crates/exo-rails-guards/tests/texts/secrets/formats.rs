//! What the rules of the crate find, and what they leave alone.

use exo_rails_guards::Secrets;

/// Text that looks random, of the letters of an alphabet. Secrets are made here, so that no scanner of repositories reports them.
pub(crate) fn random(alphabet: &str, length: usize) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % letters.len() as u64).unwrap()
    };
    (0..length).map(|_| letters[next()]).collect()
}

pub(crate) fn word(length: usize) -> String {
    random("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", length)
}

fn hex(length: usize) -> String {
    random("0123456789abcdef", length)
}

fn capitals(length: usize) -> String {
    random("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", length)
}

/// Secrets, with the mark that replaces each.
pub(crate) fn tokens() -> Vec<(&'static str, String)> {
    let jwt = format!("eyJ{}.eyJ{}.{}", word(30), word(60), word(43));
    vec![
        ("AWS_ACCESS_KEY", format!("AKIA{}", capitals(16))),
        ("GOOGLE_API_KEY", format!("AIza{}", word(35))),
        ("GOOGLE_OAUTH_SECRET", format!("GOCSPX-{}", word(28))),
        ("GOOGLE_OAUTH_TOKEN", format!("ya29.{}", word(60))),
        ("AZURE_CLIENT_SECRET", format!("abc8Q~{}", word(34))),
        ("DIGITALOCEAN_TOKEN", format!("dop_v1_{}", hex(64))),
        ("GITHUB_TOKEN", format!("ghp_{}", word(36))),
        ("GITHUB_FINE_GRAINED_TOKEN", format!("github_pat_{}", word(82))),
        ("GITLAB_TOKEN", format!("glpat-{}", word(20))),
        ("NPM_TOKEN", format!("npm_{}", word(36))),
        ("PYPI_TOKEN", format!("pypi-AgEIcHlwaS5vcmc{}", word(70))),
        ("RUBYGEMS_TOKEN", format!("rubygems_{}", hex(48))),
        ("DOCKER_TOKEN", format!("dckr_pat_{}", word(27))),
        ("ANTHROPIC_KEY", format!("sk-ant-api03-{}", word(95))),
        ("OPENAI_KEY", format!("sk-proj-{}", word(74))),
        ("HUGGINGFACE_TOKEN", format!("hf_{}", random("abcdefghijklmnopqrstuvwxyzABCDEFGH", 34))),
        ("SLACK_TOKEN", format!("xoxb-123456789012-1234567890123-{}", word(24))),
        ("SLACK_TOKEN", format!("xapp-1-A0123456789-1234567890123-{}", hex(64))),
        ("TELEGRAM_TOKEN", format!("123456789:AA{}", word(33))),
        ("SENDGRID_KEY", format!("SG.{}.{}", word(22), word(43))),
        ("MAILCHIMP_KEY", format!("{}-us12", hex(32))),
        ("TWILIO_KEY", format!("SK{}", hex(32))),
        ("STRIPE_KEY", format!("sk_live_{}", word(24))),
        ("STRIPE_KEY", format!("whsec_{}", word(32))),
        ("SHOPIFY_TOKEN", format!("shpat_{}", hex(32))),
        ("HASHICORP_VAULT_TOKEN", format!("hvs.{}", word(90))),
        ("DATABRICKS_TOKEN", format!("dapi{}", hex(32))),
        ("GRAFANA_TOKEN", format!("glsa_{}_{}", word(32), hex(8))),
        ("AGE_KEY", format!("AGE-SECRET-KEY-1{}", random("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58))),
        ("JWT", jwt),
    ]
}

#[test]
fn a_token_is_hidden_wherever_it_stands_in_a_text() {
    let secrets = Secrets::builder().build().unwrap();
    for (mark, token) in tokens() {
        for (before, after) in [
            ("", ""),
            ("use ", " now"),
            ("(", ")"),
            ("\"", "\""),
            ("key=", "\n"),
            ("é ", "."),
            ("- `", "`"),
            ("\\n", " "),
        ] {
            // After a backslash and a letter, a word does not begin.
            if before == "\\n" && mark != "PRIVATE_KEY" {
                continue;
            }
            let text = format!("{before}{token}{after}");
            assert_eq!(secrets.redacted(&text), format!("{before}[{mark}]{after}"), "{text}");
        }
        let (cut, _) = token.split_at(token.len() / 6);
        assert_eq!(secrets.redacted(cut), cut, "a sixth of a token is not one");
    }
}

#[test]
fn secrets_are_found_by_the_names_of_their_fields() {
    let secrets = Secrets::builder().build().unwrap();
    let (secret, password) = (word(32), "c0rrect-h0rse-battery");
    let aws = random("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/+", 40);
    let table = [
        (format!("aws_secret_access_key = {aws}"), "aws_secret_access_key = [AWS_SECRET_KEY]"),
        (format!("AWS_SECRET_ACCESS_KEY=\"{aws}\""), "AWS_SECRET_ACCESS_KEY=\"[AWS_SECRET_KEY]\""),
        (format!("API_KEY={secret}"), "API_KEY=[GENERIC_SECRET]"),
        (format!("{{\"client_secret\": \"{secret}\"}}"), "{\"client_secret\": \"[GENERIC_SECRET]\"}"),
        // JSON in JSON in JSON.
        (
            format!(r#"{{\\\"client_secret\\\":\\\"{secret}\\\"}}"#),
            r#"{\\\"client_secret\\\":\\\"[GENERIC_SECRET]\\\"}"#,
        ),
        (format!("password: {password}"), "password: [PASSWORD]"),
        (format!("DB_PASSWORD={password}\n"), "DB_PASSWORD=[PASSWORD]\n"),
        (format!("{{\"password\":\"{password}\"}}"), "{\"password\":\"[PASSWORD]\"}"),
        (format!("postgres://app:{password}@db:5432/orders"), "postgres://app:[URL_PASSWORD]@db:5432/orders"),
        (format!("mongodb+srv://app:{password}@db/orders"), "mongodb+srv://app:[URL_PASSWORD]@db/orders"),
        (format!("redis://:{password}@cache"), "redis://:[URL_PASSWORD]@cache"),
        (format!("Authorization: Bearer {secret}"), "Authorization: Bearer [BEARER_TOKEN]"),
        ("Authorization: Basic YXBwOmh1bnRlcjJodW50ZXIy".to_owned(), "Authorization: Basic [BASIC_AUTH]"),
        (format!("curl -u app:{password} https://x"), "curl -u app:[COMMAND_PASSWORD] https://x"),
        (format!("AccountKey={}==;", word(86)), "AccountKey=[AZURE_STORAGE_KEY];"),
    ];
    for (text, expected) in table {
        assert_eq!(secrets.redacted(&text), expected, "{text}");
    }
}

#[test]
fn private_keys_are_hidden_in_every_notation() {
    let secrets = Secrets::builder().build().unwrap();
    let body: Vec<String> = (0..12).map(|_| word(64)).collect();
    let pem = |kind: &str, newline: &str| {
        format!(
            "-----BEGIN {kind}PRIVATE KEY-----{newline}{}{newline}-----END {kind}PRIVATE KEY-----",
            body.join(newline)
        )
    };
    for kind in ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "] {
        for newline in ["\n", "\r\n", "\\n", "\\\\n", "\\r\\n"] {
            let text = format!("key: {}\nend", pem(kind, newline));
            assert_eq!(secrets.redacted(&text), "key: [PRIVATE_KEY]\nend", "{text}");
        }
    }
    // A key whose end is missing.
    let cut = pem("RSA ", "\n").split("-----END").next().unwrap().to_owned();
    assert!(!secrets.redacted(&cut).contains(&body[3]));
    let encrypted =
        pem("RSA ", "\n").replacen("-----\n", "-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0011\n\n", 1);
    assert_eq!(secrets.redacted(&encrypted), "[PRIVATE_KEY]");
    let public = "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----";
    assert_eq!(secrets.redacted(public), public);
    let prose = "A file with `-----BEGIN PRIVATE KEY-----` has a key.";
    assert_eq!(secrets.redacted(prose), prose);
}

#[test]
fn ordinary_text_stays_unchanged() {
    let secrets = Secrets::builder().build().unwrap();
    let table = [
        "The password is required. Password: at least twelve characters.",
        "Set the key `api_key` in the configuration, and the environment variable OPENAI_API_KEY.",
        "api_key = os.environ[\"OPENAI_API_KEY\"]",
        "let token = self.tokens.next_token_of(&mut lexer)?;",
        "const key = request.headers.get('authorization');",
        "token: CancellationToken, key: &'static str",
        "primary_key = \"customer_id\"; foreign_key = \"orders.customer_id\"",
        "password = \"${DB_PASSWORD}\"",
        "password: str = Field(...)",
        "postgres://user:password@localhost:5432/db",
        "https://example.com:8080/a@b",
        "commit 5c2c64cd90be8a4ff49a0a5c1f5c0bfb1a0c1d2e",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "the order 4dd2a7d0-39f3-4d8b-8a59-6dbb1cf8bc43 was paid",
        "AKIAIOSFODNN7EXAMPLE",
        "sk-learn is a library, and task-oriented work is fine",
        "const MAX_TOKENS: usize = 4096; next_page_token = \"\"",
        "Bearer of good news, and a basic authorization.",
        "<input type=\"password\" name=\"password\" autocomplete=\"current-password\">",
        "[GITHUB_TOKEN] password: [PASSWORD] api_key=[GENERIC_SECRET]",
        "Reset your password: https://example.com/reset",
    ];
    for text in table {
        assert_eq!(secrets.redacted(text), text);
    }
}

/// Without a limit, the rule would look at each byte of such a text a hundred times.
#[test]
fn a_rule_loses_its_patience_with_matches_that_overlap() {
    let secrets = Secrets::builder().build().unwrap();
    let few = "pw=".repeat(300);
    assert!(secrets.redacted(&few) == few, "a short text changes");
    let note = "The password is written on the board.\n";
    let many = format!("{note}{}", "pw=".repeat(100_000));
    let redacted = secrets.redacted(&many);
    assert!(redacted.starts_with(note), "{}", &redacted[..100]);
    assert!(
        redacted.len() < many.len() / 2 && redacted.contains("[NAMED_PASSWORD]"),
        "{} bytes are left",
        redacted.len()
    );
}
