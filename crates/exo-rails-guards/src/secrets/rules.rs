//! The rules of the guard.
//!
//! Each format is as its service documents it, or as its tokens look. More exact rules come first: if two rules find the same text, the
//! mark of the first one stands in its place. Keywords are missing where the fixed beginning of the token is enough for the search.
//!
//! A token whose beginning occurs in no word may stand behind letters and before them, as in `x_ghp_…`. A rule with a `\b` is for a token
//! whose beginning also ends or begins words.
//!
//! After a change, the tests print the file `begins.rs` that belongs to the rules.

use super::names::{is_password, may_hold_a_secret};
use super::prefixed::{self, is_token};
use crate::scan::{BuiltIn, Except};

const RULE: BuiltIn = BuiltIn::NONE;

/// The rules.
pub(super) static RULES: &[BuiltIn] = &[
    // --- Keys of cloud providers
    BuiltIn {
        id: "aws-access-key",
        description: "an access key id of AWS",
        regex: r"(?:\b|_)((?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})(?:[^0-9A-Za-z]|$)",
        entropy: Some(3.0),
        except: &[Except::secret(&["EXAMPLE$"])],
        ..RULE
    },
    BuiltIn {
        id: "aws-secret-key",
        description: "a secret access key of AWS",
        regex: r#"(?i)aws[a-z0-9_.-]{0,20}(?:secret|sk)[a-z0-9_.-]{0,20}[\s"'\\]{0,4}(?:=>|:=|=|:|,)[\s"'\\=]{0,5}([a-z0-9/+]{40})(?:[^a-z0-9/+=]|$)"#,
        entropy: Some(4.0),
        except: &[Except::secret(&["EXAMPLEKEY$"])],
        ..RULE
    },
    BuiltIn {
        id: "aws-bedrock-key",
        description: "an API key of Amazon Bedrock",
        regex: r"\b(ABSK[A-Za-z0-9+/]{100,}={0,2}|bedrock-api-key-[A-Za-z0-9+/=_-]{20,})",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn {
        id: "google-api-key",
        description: "an API key of Google",
        regex: r"(AIza[0-9A-Za-z_-]{35})(?:[^0-9A-Za-z_-]|$)",
        entropy: Some(3.5),
        ..RULE
    },
    BuiltIn {
        id: "google-oauth-secret",
        description: "a client secret of Google",
        regex: r"(GOCSPX-[0-9A-Za-z_-]{28})(?:[^0-9A-Za-z_-]|$)",
        ..RULE
    },
    BuiltIn {
        id: "google-oauth-token",
        description: "an access token of Google",
        regex: r"\b(ya29\.[0-9A-Za-z_-]{20,})",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn {
        id: "azure-client-secret",
        description: "a client secret of Microsoft Entra",
        regex: r"\b([0-9A-Za-z_~.-]{3}[0-9]Q~[0-9A-Za-z_~.-]{31,34})",
        entropy: Some(3.0),
        keywords: &["q~"],
        ..RULE
    },
    BuiltIn {
        id: "azure-storage-key",
        description: "an account key of Azure",
        regex: r#"(?i)(?:AccountKey|SharedAccessKey|primary[_-]?master[_-]?key)[\s"'\\]{0,4}[=:][\s"'\\]{0,4}([a-z0-9+/]{42,88}={0,2})"#,
        entropy: Some(3.5),
        ..RULE
    },
    BuiltIn {
        id: "azure-shared-signature",
        description: "a shared access signature of Azure",
        regex: "(?i)[?&;]sig=([a-z0-9%+/]{40,100}(?:%3d|=){0,2})",
        entropy: Some(3.5),
        ..RULE
    },
    BuiltIn {
        id: "digitalocean-token",
        description: "a token of DigitalOcean",
        regex: r"(do[opr]_v1_[a-f0-9]{64})",
        ..RULE
    },
    BuiltIn {
        id: "alibaba-access-key",
        description: "an access key id of Alibaba Cloud",
        regex: r"\b(LTAI[A-Za-z0-9]{16,24})\b",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn {
        id: "heroku-key",
        description: "an API key of Heroku",
        regex: r"(HRKU-[0-9A-Za-z_-]{36,64})(?:[^0-9A-Za-z_-]|$)",
        ..RULE
    },
    BuiltIn {
        id: "fly-token",
        description: "a token of Fly.io",
        regex: r"\b(fo1_[0-9A-Za-z_-]{43}|fm[12][ar]?_[0-9A-Za-z+/]{80,}={0,2})",
        ..RULE
    },
    BuiltIn {
        id: "scaleway-key",
        description: "an access key of Scaleway",
        regex: r"\b(SCW[A-Z0-9]{17})\b",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn {
        id: "yandex-key",
        description: "a key of Yandex Cloud",
        regex: r"\b(YC[A-Za-z0-9_-]{38}|AQVN[A-Za-z0-9_-]{35,38}|t1\.[A-Z0-9a-z_-]{1,}=?\.[A-Z0-9a-z_-]{86}=?=?)(?:[^A-Za-z0-9_-]|$)",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn {
        id: "cloudflare-ca-key",
        description: "a certificate authority key of Cloudflare",
        regex: r"\b(v1\.0-[a-f0-9]{24}-[a-f0-9]{146})\b",
        ..RULE
    },
    // --- Places of code
    BuiltIn {
        id: "github-token",
        description: "a token of GitHub",
        regex: r"((?:ghp|gho|ghu|ghs|ghr)_[0-9A-Za-z]{36,})",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn {
        id: "github-fine-grained-token",
        description: "a fine-grained token of GitHub",
        regex: r"(github_pat_[0-9A-Za-z_]{50,})",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn {
        id: "gitlab-token",
        description: "a token of GitLab",
        regex: r"((?:glpat|gldt|glrt|glsoat|glft|glimt|glagent|glptt|glcbt|gloas|glffct|glwt)-[0-9A-Za-z_=-]{20,}(?:\.[0-9a-z]{2,}){0,2}|GR1348941[0-9A-Za-z_-]{20}|_gitlab_session=[0-9a-z]{32})",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn {
        id: "bitbucket-token",
        description: "a token of Bitbucket",
        regex: r"\b(ATBB[0-9A-Za-z_=.-]{20,}|BBDC-[0-9A-Za-z+/]{40,60})",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn {
        id: "atlassian-token",
        description: "an API token of Atlassian",
        regex: r"\b(ATATT3[0-9A-Za-z_=-]{60,}|ATCTT3[0-9A-Za-z_=-]{60,})",
        entropy: Some(3.5),
        ..RULE
    },
    BuiltIn {
        id: "npm-token",
        description: "a token of npm",
        regex: r"(npm_[0-9A-Za-z]{36,})",
        entropy: Some(2.0),
        ..RULE
    },
    BuiltIn {
        id: "pypi-token",
        description: "an upload token of PyPI",
        regex: r"(pypi-Ag[0-9A-Za-z_-]{40,})",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn { id: "rubygems-token", description: "an API key of RubyGems", regex: r"(rubygems_[a-f0-9]{48})", ..RULE },
    BuiltIn {
        id: "nuget-key",
        description: "an API key of NuGet",
        regex: r"\b(oy2[a-z2-7]{43})\b",
        entropy: Some(3.5),
        ..RULE
    },
    BuiltIn {
        id: "crates-token",
        description: "a token of crates.io",
        regex: r"\b(cio[0-9A-Za-z]{32})\b",
        entropy: Some(3.5),
        ..RULE
    },
    BuiltIn { id: "clojars-token", description: "a token of Clojars", regex: r"(?i)(clojars_[0-9a-z]{60,})", ..RULE },
    BuiltIn {
        id: "docker-token",
        description: "an access token of Docker Hub",
        regex: r"(dckr_(?:pat|oat)_[0-9A-Za-z_-]{20,60})",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn {
        id: "artifactory-token",
        description: "a token of JFrog",
        regex: r"\b(AKCp[0-9A-Za-z]{60,80}|cmVmdGtu[0-9A-Za-z]{50,70})\b",
        entropy: Some(3.5),
        ..RULE
    },
    // --- Models
    BuiltIn {
        id: "anthropic-key",
        description: "an API key of Anthropic",
        regex: r"(sk-ant-(?:api|admin|oat|ort|sid)?[0-9]{0,2}-?[0-9A-Za-z_-]{20,})",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn {
        id: "openai-key",
        description: "an API key of OpenAI",
        regex: r"(?:\b|_)(sk-(?:proj|svcacct|admin|None)-[0-9A-Za-z_-]{20,}|sk-[0-9A-Za-z]{20}T3BlbkFJ[0-9A-Za-z]{20}|sk-[0-9A-Za-z]{48}\b)",
        entropy: Some(3.5),
        ..RULE
    },
    BuiltIn {
        id: "openrouter-key",
        description: "an API key of OpenRouter",
        regex: r"(sk-or-(?:v1-)?[0-9a-f]{64,})",
        ..RULE
    },
    BuiltIn {
        id: "huggingface-token",
        description: "a token of Hugging Face",
        regex: r"(hf_[A-Za-z]{34}|api_org_[A-Za-z]{34})",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn {
        id: "groq-key",
        description: "an API key of Groq",
        regex: r"(gsk_[0-9A-Za-z]{48,56})",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn {
        id: "perplexity-key",
        description: "an API key of Perplexity",
        regex: r"(pplx-[0-9A-Za-z]{40,60})",
        entropy: Some(3.5),
        ..RULE
    },
    BuiltIn {
        id: "replicate-token",
        description: "a token of Replicate",
        regex: r"(r8_[0-9A-Za-z]{37,})",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn {
        id: "xai-key",
        description: "an API key of xAI",
        regex: r"(xai-[0-9A-Za-z]{70,90})",
        entropy: Some(3.0),
        ..RULE
    },
    // --- Messages and mail
    BuiltIn {
        id: "slack-token",
        description: "a token of Slack",
        regex: r"(?i)(?:\b|_)(xox[a-z](?:\.xox[bp])?-[0-9a-z][0-9a-z-]{9,}|xapp-[0-9]-[0-9a-z]{1,20}-[0-9]{1,15}-[0-9a-z]{20,80}|xoxe-[0-9]-[0-9a-z]{100,})",
        entropy: Some(2.0),
        ..RULE
    },
    BuiltIn {
        id: "slack-webhook",
        description: "the address of a webhook of Slack",
        regex: r"(?i)hooks\.slack\.com/((?:services|workflows|triggers)/[0-9a-z+/]{35,70})",
        ..RULE
    },
    BuiltIn {
        id: "discord-webhook",
        description: "the address of a webhook of Discord",
        regex: r"(?i)discord(?:app)?\.com/api/(?:v[0-9]{1,2}/)?webhooks/([0-9]{17,20}/[0-9a-z_-]{60,80})",
        ..RULE
    },
    BuiltIn {
        id: "discord-token",
        description: "a token of a Discord bot",
        regex: r"\b((?:MT|Nz|OD|OT|Mj|Mz|ND|NT|Nj)[0-9A-Za-z_-]{21,26}\.[0-9A-Za-z_-]{6}\.[0-9A-Za-z_-]{27,40})",
        entropy: Some(4.0),
        ..RULE
    },
    BuiltIn {
        id: "teams-webhook",
        description: "the address of a webhook of Microsoft Teams",
        regex: r"(?i)\.webhook\.office\.com/(webhookb2/[0-9a-z-]{36}@[0-9a-z-]{36}/IncomingWebhook/[0-9a-z]{32}/[0-9a-z-]{36})",
        ..RULE
    },
    BuiltIn {
        id: "telegram-token",
        description: "a token of a Telegram bot",
        regex: r"\b([0-9]{5,16}:A[A-Za-z0-9_-]{34})(?:[^0-9A-Za-z_-]|$)",
        entropy: Some(3.0),
        keywords: &[":a"],
        ..RULE
    },
    BuiltIn {
        id: "sendgrid-key",
        description: "an API key of SendGrid",
        regex: r"(?i)\b(SG\.[0-9a-z_=-]{16,32}\.[0-9a-z_=-]{32,64})",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn {
        id: "sendinblue-key",
        description: "an API key of Brevo",
        regex: r"(xkeysib-[a-f0-9]{64}-[0-9A-Za-z]{16,})",
        ..RULE
    },
    BuiltIn {
        id: "mailgun-key",
        description: "a key of Mailgun",
        regex: r"\b((?:key|pubkey)-[a-f0-9]{32})\b",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn {
        id: "mailchimp-key",
        description: "an API key of Mailchimp",
        regex: r"\b([a-f0-9]{32}-us[0-9]{1,2})\b",
        entropy: Some(3.0),
        keywords: &["-us"],
        ..RULE
    },
    BuiltIn {
        id: "twilio-key",
        description: "an API key or account of Twilio",
        regex: r"\b((?:SK|AC)[a-f0-9]{32})\b",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn {
        id: "postman-key",
        description: "an API key of Postman",
        regex: r"(?i)(PMAK-[a-f0-9]{24}-[a-f0-9]{34})",
        ..RULE
    },
    BuiltIn {
        id: "notion-token",
        description: "a token of Notion",
        regex: r"\b(ntn_[0-9]{11}[0-9A-Za-z]{35}|secret_[0-9A-Za-z]{43})\b",
        entropy: Some(3.5),
        ..RULE
    },
    BuiltIn {
        id: "linear-key",
        description: "an API key of Linear",
        regex: r"(?i)(lin_(?:api|oauth)_[0-9a-z]{32,64})",
        entropy: Some(2.0),
        ..RULE
    },
    BuiltIn {
        id: "airtable-token",
        description: "a token of Airtable",
        regex: r"(?:\b|_)(pat[0-9A-Za-z]{14}\.[a-f0-9]{64})(?:[^0-9A-Za-z]|$)",
        ..RULE
    },
    BuiltIn {
        id: "figma-token",
        description: "a token of Figma",
        regex: r"(fig(?:d|o|oh|or|ou|ur|p)_[0-9A-Za-z_-]{40,60})",
        entropy: Some(3.0),
        ..RULE
    },
    // --- Payments and shops
    BuiltIn {
        id: "stripe-key",
        description: "a key of Stripe",
        regex: r"(?:\b|_)((?:sk|rk)_(?:live|test|prod)_[0-9A-Za-z]{10,}|whsec_[0-9A-Za-z+/]{32,64}={0,2})",
        entropy: Some(2.0),
        ..RULE
    },
    BuiltIn {
        id: "square-token",
        description: "a token of Square",
        regex: r"\b((?:EAAA|sq0(?:atp|csp|idp)-)[0-9A-Za-z_=-]{22,64})(?:[^0-9A-Za-z_=-]|$)",
        entropy: Some(2.5),
        ..RULE
    },
    BuiltIn {
        id: "paypal-token",
        description: "a production token of Braintree",
        regex: r"\b(access_token\$production\$[0-9a-z]{16}\$[0-9a-f]{32})\b",
        ..RULE
    },
    BuiltIn {
        id: "shopify-token",
        description: "a token of Shopify",
        regex: r"(?i)(shp(?:at|ca|pa|ss)_[a-f0-9]{32})",
        entropy: Some(2.0),
        ..RULE
    },
    BuiltIn {
        id: "plaid-token",
        description: "a token of Plaid",
        regex: r"\b(access-(?:sandbox|development|production)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b",
        ..RULE
    },
    BuiltIn {
        id: "flutterwave-key",
        description: "a key of Flutterwave",
        regex: r"(?i)\b(FLW(?:PUBK|SECK)(?:_TEST)?-?[0-9a-hx-]{12,60})\b",
        entropy: Some(2.0),
        ..RULE
    },
    BuiltIn {
        id: "easypost-token",
        description: "a token of EasyPost",
        regex: r"(?i)\b(EZ[AT]K[0-9a-z]{54})\b",
        entropy: Some(2.0),
        ..RULE
    },
    BuiltIn {
        id: "duffel-token",
        description: "a token of Duffel",
        regex: r"(?i)(duffel_(?:test|live)_[0-9a-z_=-]{43})",
        ..RULE
    },
    BuiltIn {
        id: "lob-key",
        description: "a key of Lob",
        regex: r"(?i)\b((?:live|test)_(?:pub_)?[a-f0-9]{31,35})\b",
        entropy: Some(3.0),
        ..RULE
    },
    // --- Services for running programs
    BuiltIn {
        id: "hashicorp-vault-token",
        description: "a token of HashiCorp Vault",
        regex: r"\b(hv[sbr]\.[0-9A-Za-z_-]{24,}|s\.[0-9A-Za-z]{24}\b)",
        entropy: Some(3.5),
        ..RULE
    },
    BuiltIn {
        id: "terraform-token",
        description: "a token of Terraform Cloud",
        regex: r"(?i)(\.atlasv1\.[0-9a-z_=-]{60,70})",
        entropy: Some(3.5),
        ..RULE
    },
    BuiltIn {
        id: "databricks-token",
        description: "a token of Databricks",
        regex: r"(dapi[a-f0-9]{32}(?:-[0-9])?)",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn {
        id: "doppler-token",
        description: "a token of Doppler",
        regex: r"(?i)(dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[0-9a-z_-]{2,35}\.)?[0-9a-z]{40,44})",
        entropy: Some(2.0),
        ..RULE
    },
    BuiltIn {
        id: "pulumi-token",
        description: "a token of Pulumi",
        regex: r"(pul-[a-f0-9]{40})",
        entropy: Some(2.0),
        ..RULE
    },
    BuiltIn {
        id: "grafana-token",
        description: "a token of Grafana",
        regex: r"(?i)(glsa_[0-9a-z]{32}_[a-f0-9]{8}|glc_[0-9a-z+/]{32,}={0,3}|eyJrIjoi[0-9a-z]{50,}={0,3})",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn {
        id: "sentry-token",
        description: "a token of Sentry",
        regex: r"(sntr(?:ys_eyJ[0-9A-Za-z+/=_-]{60,}|yu_[a-f0-9]{64}))",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn {
        id: "newrelic-key",
        description: "a key of New Relic",
        regex: r"(?i)(NRAK-[0-9a-z]{27}|NRJS-[0-9a-f]{19}|NRII-[0-9a-z-]{32}|NRRA-[0-9a-f]{42,})",
        ..RULE
    },
    BuiltIn {
        id: "dynatrace-token",
        description: "a token of Dynatrace",
        regex: r"(?i)\b(dt0[a-z][0-9]{2}\.[0-9a-z]{24}\.[0-9a-z]{64})\b",
        ..RULE
    },
    BuiltIn {
        id: "prefect-token",
        description: "a token of Prefect",
        regex: r"(pn[ub]_[0-9A-Za-z]{36,})",
        entropy: Some(2.0),
        ..RULE
    },
    BuiltIn {
        id: "planetscale-secret",
        description: "a token or password of PlanetScale",
        regex: r"(?i)(pscale_(?:tkn|oauth|pw)_[0-9a-z_=.-]{32,64})",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn {
        id: "supabase-token",
        description: "a token of Supabase",
        regex: r"(sbp_[a-f0-9]{40}|sb_secret_[0-9A-Za-z_-]{20,60})",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn {
        id: "readme-token",
        description: "an API token of ReadMe",
        regex: r"(rdme_[0-9a-z]{70,})",
        entropy: Some(2.0),
        ..RULE
    },
    BuiltIn {
        id: "typeform-token",
        description: "a token of Typeform",
        regex: r"\b(tfp_[0-9A-Za-z_.=-]{50,70})",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn {
        id: "contentful-token",
        description: "a token of Contentful",
        regex: r"(CFPAT-[0-9A-Za-z_-]{43})",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn {
        id: "shippo-token",
        description: "a token of Shippo",
        regex: r"(shippo_(?:live|test)_[a-f0-9]{40})",
        ..RULE
    },
    BuiltIn {
        id: "frameio-token",
        description: "a token of Frame.io",
        regex: r"(?i)(fio-u-[0-9a-z_=-]{64})",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn {
        id: "tailscale-key",
        description: "a key of Tailscale",
        regex: r"(tskey-(?:auth|api|client|scim|webhook)?-?[0-9A-Za-z_-]{16,80})",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn {
        id: "openshift-token",
        description: "a token of OpenShift",
        regex: r"\b(sha256~[0-9A-Za-z_-]{43})",
        entropy: Some(3.5),
        ..RULE
    },
    BuiltIn {
        id: "onepassword-token",
        description: "a token or secret key of 1Password",
        regex: r"\b(ops_eyJ[0-9A-Za-z+/=]{200,}|A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5})",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn { id: "sonar-token", description: "a token of SonarQube", regex: r"(sq[apu]_[a-f0-9]{40})", ..RULE },
    BuiltIn {
        id: "snyk-token",
        description: "a token of Snyk",
        regex: r"(snyk_(?:uat|sat)\.[a-f0-9]{8}\.[0-9A-Za-z_.-]{40,})",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn {
        id: "facebook-token",
        description: "an access token of Facebook",
        regex: r"\b(EAA[MC][0-9A-Za-z]{100,})\b",
        entropy: Some(4.0),
        ..RULE
    },
    BuiltIn {
        id: "age-key",
        description: "a secret key of age",
        regex: r"(AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58,})",
        ..RULE
    },
    BuiltIn {
        id: "sourcegraph-token",
        description: "a token of Sourcegraph",
        regex: r"(?i)(sgp_(?:(?:[a-f0-9]{16}|local)_)?[a-f0-9]{40})",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn {
        id: "intra42-secret",
        description: "a client secret of Intra 42",
        regex: r"(s-s4t2(?:ud|af)-[a-f0-9]{64})",
        ..RULE
    },
    // The prefixes and their meanings: https://buildkite.com/docs/platform/security/tokens
    BuiltIn {
        id: "buildkite-token",
        description: "a token of Buildkite",
        regex: r"(bk(?:ua|aa|aj|ct)_[0-9A-Za-z_-]{32,100})",
        entropy: Some(3.0),
        ..RULE
    },
    // The prefixes of the key ids: https://docs.honeycomb.io/api/dataset-definitions/authorization
    BuiltIn {
        id: "honeycomb-key",
        description: "a key of Honeycomb",
        regex: r"\b(hc[a-z](?:i|l|m)k_[0-9a-z]{40,80})\b",
        entropy: Some(3.0),
        ..RULE
    },
    // --- Formats of several services
    // A program that shows a file may write something before and after each line: a number, a sign of a comment, a quotation mark. Such a
    // line of a key has at least 40 letters of base64, the first one 56. Between the lines there may be three
    // others, such as headers. No `--` is between them, because it begins the next block.
    BuiltIn {
        id: "private-key",
        description: "a private key",
        regex: concat!(
            r"(?i)(-----BEGIN[ A-Z0-9_-]{0,60}PRIVATE KEY(?: BLOCK)?-----",
            r#"(?:(?:[\s"'+,]|\\+[nr]|[a-z][a-z-]{3,20}: [^\n\\"]{1,80}(?:\n|\\+n)){0,12}[a-z0-9+/]{16}"#,
            r"|(?:(?:[^\n-]|-[^\n-]){0,24}?-?|(?:[^\n-]|-[^\n-]){0,100}?\n(?:(?:--? ?)?(?:[^\n-]|-[^\n-]){0,80}?[a-z][a-z-]{3,20}: [^\n]{1,80}\n|(?:--? ?)?(?:[^\n-]|-[^\n-]){0,40}\n){0,12}?(?:--? ?)?(?:[^\n-]|-[^\n-]){0,80}?-?)[a-z0-9+/]{56})",
            r#"(?:[a-z0-9+/=\s"'+,\\]*[a-z0-9+/=])?(?:(?:(?:[^\n-]|-[^\n-]){0,24}?-?|(?:[^\n-]|-[^\n-]){0,100}?\n(?:(?:--? ?)?(?:[^\n-]|-[^\n-]){0,80}?[a-z][a-z-]{3,20}: [^\n]{1,80}\n|(?:--? ?)?(?:[^\n-]|-[^\n-]){0,40}\n){0,3}?(?:--? ?)?(?:[^\n-]|-[^\n-]){0,80}?-?)[a-z0-9+/]{40}(?:[a-z0-9+/=\s"'+,\\]*[a-z0-9+/=])?)*"#,
            r"(?:(?:[^\n-]|-[^\n-]){0,40}(?:\n(?:--? ?)?(?:[^\n-]|-[^\n-]){0,120}?){0,3}?-?-----END[ A-Z0-9_-]{0,60}PRIVATE KEY(?: BLOCK)?-----)?)",
        ),
        ..RULE
    },
    BuiltIn {
        id: "putty-key",
        description: "a private key of PuTTY",
        regex: r"(PuTTY-User-Key-File-[23]: [^\n]{1,40}\n(?:(?:[^\n]*\n){4,99}?[^\n]{0,80}?Private-MAC: [0-9a-f]{40,64}|(?:[A-Z][A-Za-z0-9-]+: [^\n]*\n|[A-Za-z0-9+/=]+\n){4,}))",
        ..RULE
    },
    BuiltIn {
        id: "jwt",
        description: "a JSON web token",
        regex: r"\b(ey[A-Za-z0-9][A-Za-z0-9_-]{13,}\.ey[A-Za-z0-9_/\\-]{13,}(?:\.(?:[A-Za-z0-9_/\\-]{8,}={0,2})?)?)",
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn {
        id: "url-password",
        description: "a password in the address of a server",
        regex: r#"://[^\s:@/"'<>\x60]{0,100}:([^\s@/"'<>\x60]{3,})@[A-Za-z0-9\[]"#,
        except: &[Except::secret(&[
            r"^[\${<%*]",
            r"^(?i:password|passwd|pass|pwd|secret|x+|\.+|user|your[_-]?\w+|\[\w+\]?|changeme|token|example)$",
        ])],
        ..RULE
    },
    // The lines of a `.netrc` file, as the manual of curl has them.
    BuiltIn {
        id: "netrc-password",
        description: "a password of a `.netrc` file",
        regex: r"(?i)\b(?:machine\s+\S{1,100}|default)\s+(?:(?:login|account)\s+\S{1,100}\s+){0,2}password\s+(\S{4,100})",
        except: &[Except::secret(&["^[a-z]{1,12}[.!?:]?$", r"^[\$<{\[]"])],
        ..RULE
    },
    BuiltIn {
        id: "basic-auth",
        description: "a password in an `Authorization` header",
        regex: r#"(?i)authorization[\\"']{0,3}\s{0,3}[:=]\s{0,3}[\\"']{0,3}basic\s{1,3}([a-z0-9+/]{12,}={0,2})"#,
        entropy: Some(3.0),
        ..RULE
    },
    BuiltIn {
        id: "bearer-token",
        description: "a token in an `Authorization` header",
        regex: r"(?i)\bbearer\s{1,3}([a-z0-9_.~+/-]{20,}={0,2})(?:[^a-z0-9_.~+/=-]|$)",
        entropy: Some(3.5),
        ..RULE
    },
    BuiltIn {
        id: "command-password",
        description: "a password in a command",
        regex: r#"(?i)\b(?:curl|wget|mysql|mysqldump|sshpass|redis-cli|psql)(?:\s(?:[^\n]|\\\n){0,160}?)?\s(?:--?(?:password|user|u|pass)[ =]\s?["']{0,2}(?:[\w.@{}-]{0,60}["']{0,3}:["']{0,2})?|-p ?["']?)([^\s"'<>:]{6,100})(?:["'\s\\:]|$)"#,
        entropy: Some(2.5),
        keywords: &["curl", "wget", "mysql", "sshpass", "redis-cli", "psql"],
        except: &[Except::secret(&[
            r"^[\$%{<]",
            r"^(?i:[\w.-]*(?:user|name|password|passwd|pass|token|root|admin|postgres|localhost)[\w.-]*)$",
            "^[a-z]+$",
            "^--",
        ])],
        ..RULE
    },
    BuiltIn {
        id: "password",
        description: "a password",
        regex: r#"(?i)(?:passw(?:or)?d|passphrase|pwd)[a-z0-9_]{0,10}[\\"'\x60]{0,8}\s{0,3}(?:===?|=>|:=|=|:)\s{0,3}[\\"'\x60]{0,8}([^\s"'\x60\\,;<>\[\](){}]{6,128})(?:[\s"'\x60\\,;<]|$)"#,
        entropy: Some(2.5),
        except: &[
            // Not a value: a variable, a function, a type, a path, an address, or a place for a value.
            Except::secret(&[
                "^[$%@&*/~.]",
                "^https?:",
                r"^(?i:[\w.]*(?:none|null|nil|true|false|undefined|string|str|text|required|optional|password|passwd|example|changeme|change_me|changeit|placeholder|redacted|hidden|masked|your[\w-]*|x{3,}|\*+|\.{3,}|env|environ|getenv|process|config|input|prompt|value|secret|field|param|args?|self|this|request|form|user|data|type|hash|length|reset|forgot|policy|strength|incorrect|invalid|expired|encrypted)[\w.:!?-]*)$",
                "^[a-z]{1,12}[.!?:]?$",
                r"::|->|\.\w+\.",
            ]),
        ],
        ..RULE
    },
    // Names of passwords that are short or of other languages, sentences about a password, and elements of XML.
    BuiltIn {
        id: "named-password",
        description: "a password",
        regex: concat!(
            r"(?i)(?:passw(?:or)?d|passphrase|passwort|kennwort|pwd|psw|pass|pw|mdp|mot de passe|contrase(?:ñ|n)a|clave|senha|parola|heslo|haslo|wachtwoord|losenord|(?-i:hasło|Hasło|lösenord|Lösenord|пароль|Пароль|密码|密碼|パスワード|비밀번호))",
            // An attribute of XML, and the text of an element.
            r#"(?:[\w.-]{0,10}["']\s{1,3}(?:value|content)\s{0,3}=\s{0,3}["']([^"'\s<>]{6,100})["']"#,
            r#"|(?:[\w.-]{0,10}["']?(?:\s[^<>\n]{0,60})?)>([^\s<>"']{6,100})</"#,
            // A sign or a verb, or neither.
            r#"|["'\x60]{0,2}\s{0,3}(?:=|:|：|→|->)\s{0,3}["'\x60]{0,2}([^\s"'\x60\\,;<>\[\](){}]{6,100})"#,
            r#"|(?:\s(?:for|of)\s\S{1,30})?(?:\s(?:is|was|will be|to|are|ist|lautet|war|es|est|era|é|è|jest|je))?:?\s["'\x60]{0,2}([^\s"'\x60\\,;<>\[\](){}]{6,100}))"#,
        ),
        entropy: Some(2.5),
        judge: Some(is_password),
        ..RULE
    },
    // The form of most tokens: a prefix, a sign, and random letters.
    BuiltIn {
        id: "prefixed-token",
        description: "a token with a prefix",
        regex: r"[_-]([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9A-Za-z]{20,}(?:_[0-9A-Za-z]{6,})*)",
        entropy: Some(3.0),
        judge: Some(is_token),
        starts: Some(prefixed::start),
        ..RULE
    },
    BuiltIn {
        id: "generic-secret",
        description: "a value that looks like a secret",
        regex: r#"(?i)(?:api[_-]?key|apikey|secret|access[_-]?key|auth[_-]?key|private[_-]?key|encryption[_-]?key|signing[_-]?key|master[_-]?key|client[_-]?key|credentials?|creds|token|auth|key)[a-z0-9_. \t-]{0,20}[\\"'\x60]{0,8}[ \t]{0,3}(?:={1,3}>?|:{1,3}=?|\?=|\.=|>|,)\s{0,8}[\\"'\x60]{0,8}([a-z0-9_.=+/~!@#$%^&*|-]{14,200})(?:[\s"'\x60\\,;<)\]}]|$)"#,
        entropy: Some(3.3),
        except: &[
            // A secret has letters and digits. Names of variables, paths, versions and hosts are none.
            Except::secret(&[
                "^[^0-9]+$",
                "^[^A-Za-z]+$",
                "^[$%@&*/~.]",
                "^[A-Za-z]+[0-9]{0,2}(?:[./:_=&+-]+[A-Za-z]+[0-9]{0,2})*[./:_=&+-]*$",
                "^(?:[a-z]+[0-9]{0,2})(?:[A-Z][a-z]+[0-9]{0,2})+$",
                "^[0-9]{4}-[0-9]{2}-[0-9]{2}",
                "^(?:sha(?:1|256|384|512)|md5)[-:=]",
                r"(?i)example|placeholder|redacted|changeme|your[_-]|xxxx|\.\.\.|1234567890|abcdef0?1?2",
            ])
            .stopwords(&["localhost", "://", "()"]),
            // Names that end in `key`, `token` or `auth` and hold no secret.
            Except::whole(&[
                "(?i)^key.*[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
                "(?i)keyboard|key[_-]?frame|key[_-]?code|key[_-]?path|tokenizer|author|max[_-]?tokens",
            ]),
        ],
        judge: Some(may_hold_a_secret),
        ..RULE
    },
];
