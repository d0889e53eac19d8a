//! The texts with which the matches of each rule begin. A test writes this file from the regexes of the rules.

use crate::scan::Begins::{self, Anywhere, AtBorder, With, WordWith};

/// Where the matches of each rule begin, in the order of the rules.
#[rustfmt::skip]
pub(super) const BEGINS: &[Begins] = &[
    // aws-access-key
    With(&["_abia", "_acca", "_akia", "_asia", "abia", "acca", "akia", "asia"]),
    // aws-secret-key
    With(&["aws"]),
    // aws-bedrock-key
    WordWith(&["absk", "bedrock-api-"]),
    // google-api-key
    With(&["aiza"]),
    // google-oauth-secret
    With(&["gocspx-"]),
    // google-oauth-token
    WordWith(&["ya29."]),
    // azure-client-secret
    AtBorder,
    // azure-storage-key
    With(&["accountkey", "primary-mast", "primary_mast", "primarymaste", "sharedaccess"]),
    // azure-shared-signature
    With(&["&sig=", ";sig=", "?sig="]),
    // digitalocean-token
    With(&["doo_v1_", "dop_v1_", "dor_v1_"]),
    // alibaba-access-key
    WordWith(&["ltai"]),
    // heroku-key
    With(&["hrku-"]),
    // fly-token
    WordWith(&["fm1_", "fm1a_", "fm1r_", "fm2_", "fm2a_", "fm2r_", "fo1_"]),
    // scaleway-key
    WordWith(&["scw"]),
    // yandex-key
    WordWith(&["aqvn", "t1.", "yc"]),
    // cloudflare-ca-key
    WordWith(&["v1.0-0", "v1.0-1", "v1.0-2", "v1.0-3", "v1.0-4", "v1.0-5", "v1.0-6", "v1.0-7", "v1.0-8", "v1.0-9", "v1.0-a", "v1.0-b", "v1.0-c", "v1.0-d", "v1.0-e", "v1.0-f"]),
    // github-token
    With(&["gho_", "ghp_", "ghr_", "ghs_", "ghu_"]),
    // github-fine-grained-token
    With(&["github_pat_"]),
    // gitlab-token
    With(&["_gitlab_sess", "glagent-", "glcbt-", "gldt-", "glffct-", "glft-", "glimt-", "gloas-", "glpat-", "glptt-", "glrt-", "glsoat-", "glwt-", "gr1348941"]),
    // bitbucket-token
    WordWith(&["atbb", "bbdc-"]),
    // atlassian-token
    WordWith(&["atatt3", "atctt3"]),
    // npm-token
    With(&["npm_"]),
    // pypi-token
    With(&["pypi-ag"]),
    // rubygems-token
    With(&["rubygems_0", "rubygems_1", "rubygems_2", "rubygems_3", "rubygems_4", "rubygems_5", "rubygems_6", "rubygems_7", "rubygems_8", "rubygems_9", "rubygems_a", "rubygems_b", "rubygems_c", "rubygems_d", "rubygems_e", "rubygems_f"]),
    // nuget-key
    WordWith(&["oy2"]),
    // crates-token
    WordWith(&["cio"]),
    // clojars-token
    With(&["clojars_"]),
    // docker-token
    With(&["dckr_oat_", "dckr_pat_"]),
    // artifactory-token
    WordWith(&["akcp", "cmvmdgtu"]),
    // anthropic-key
    With(&["sk-ant-", "sk-ant-admin", "sk-ant-api", "sk-ant-oat", "sk-ant-ort", "sk-ant-sid"]),
    // openai-key
    With(&["_sk-", "_sk-admin-", "_sk-none-", "_sk-proj-", "_sk-svcacct-", "sk-", "sk-admin-", "sk-none-", "sk-proj-", "sk-svcacct-"]),
    // openrouter-key
    With(&["sk-or-0", "sk-or-1", "sk-or-2", "sk-or-3", "sk-or-4", "sk-or-5", "sk-or-6", "sk-or-7", "sk-or-8", "sk-or-9", "sk-or-a", "sk-or-b", "sk-or-c", "sk-or-d", "sk-or-e", "sk-or-f", "sk-or-v1-0", "sk-or-v1-1", "sk-or-v1-2", "sk-or-v1-3", "sk-or-v1-4", "sk-or-v1-5", "sk-or-v1-6", "sk-or-v1-7", "sk-or-v1-8", "sk-or-v1-9", "sk-or-v1-a", "sk-or-v1-b", "sk-or-v1-c", "sk-or-v1-d", "sk-or-v1-e", "sk-or-v1-f"]),
    // huggingface-token
    With(&["api_org_", "hf_"]),
    // groq-key
    With(&["gsk_"]),
    // perplexity-key
    With(&["pplx-"]),
    // replicate-token
    With(&["r8_"]),
    // xai-key
    With(&["xai-"]),
    // slack-token
    With(&["_xapp-", "_xox", "_xoxe-", "xapp-0", "xapp-1", "xapp-2", "xapp-3", "xapp-4", "xapp-5", "xapp-6", "xapp-7", "xapp-8", "xapp-9", "xox", "xoxe-0", "xoxe-1", "xoxe-2", "xoxe-3", "xoxe-4", "xoxe-5", "xoxe-6", "xoxe-7", "xoxe-8", "xoxe-9"]),
    // slack-webhook
    With(&["hooks.slack."]),
    // discord-webhook
    With(&["discord.com/", "discordapp.c"]),
    // discord-token
    WordWith(&["mj", "mt", "mz", "nd", "nj", "nt", "nz", "od", "ot"]),
    // teams-webhook
    With(&[".webhook.off"]),
    // telegram-token
    WordWith(&["00", "01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "21", "22", "23", "24", "25", "26", "27", "28", "29", "30", "31", "32", "33", "34", "35", "36", "37", "38", "39", "40", "41", "42", "43", "44", "45", "46", "47", "48", "49", "50", "51", "52", "53", "54", "55", "56", "57", "58", "59", "60", "61", "62", "63", "64", "65", "66", "67", "68", "69", "70", "71", "72", "73", "74", "75", "76", "77", "78", "79", "80", "81", "82", "83", "84", "85", "86", "87", "88", "89", "90", "91", "92", "93", "94", "95", "96", "97", "98", "99"]),
    // sendgrid-key
    WordWith(&["sg."]),
    // sendinblue-key
    With(&["xkeysib-0", "xkeysib-1", "xkeysib-2", "xkeysib-3", "xkeysib-4", "xkeysib-5", "xkeysib-6", "xkeysib-7", "xkeysib-8", "xkeysib-9", "xkeysib-a", "xkeysib-b", "xkeysib-c", "xkeysib-d", "xkeysib-e", "xkeysib-f"]),
    // mailgun-key
    WordWith(&["key-0", "key-1", "key-2", "key-3", "key-4", "key-5", "key-6", "key-7", "key-8", "key-9", "key-a", "key-b", "key-c", "key-d", "key-e", "key-f", "pubkey-0", "pubkey-1", "pubkey-2", "pubkey-3", "pubkey-4", "pubkey-5", "pubkey-6", "pubkey-7", "pubkey-8", "pubkey-9", "pubkey-a", "pubkey-b", "pubkey-c", "pubkey-d", "pubkey-e", "pubkey-f"]),
    // mailchimp-key
    AtBorder,
    // twilio-key
    WordWith(&["ac0", "ac1", "ac2", "ac3", "ac4", "ac5", "ac6", "ac7", "ac8", "ac9", "aca", "acb", "acc", "acd", "ace", "acf", "sk0", "sk1", "sk2", "sk3", "sk4", "sk5", "sk6", "sk7", "sk8", "sk9", "ska", "skb", "skc", "skd", "ske", "skf"]),
    // postman-key
    With(&["pmak-0", "pmak-1", "pmak-2", "pmak-3", "pmak-4", "pmak-5", "pmak-6", "pmak-7", "pmak-8", "pmak-9", "pmak-a", "pmak-b", "pmak-c", "pmak-d", "pmak-e", "pmak-f"]),
    // notion-token
    WordWith(&["ntn_0", "ntn_1", "ntn_2", "ntn_3", "ntn_4", "ntn_5", "ntn_6", "ntn_7", "ntn_8", "ntn_9", "secre"]),
    // linear-key
    With(&["lin_api_", "lin_oauth_"]),
    // airtable-token
    With(&["_pat", "pat"]),
    // figma-token
    With(&["figd_", "figo_", "figoh_", "figor_", "figou_", "figp_", "figur_"]),
    // stripe-key
    With(&["_rk_live_", "_rk_prod_", "_rk_test_", "_sk_live_", "_sk_prod_", "_sk_test_", "_whsec_", "rk_live_", "rk_prod_", "rk_test_", "sk_live_", "sk_prod_", "sk_test_", "whsec_"]),
    // square-token
    WordWith(&["eaaa", "sq0atp-", "sq0csp-", "sq0idp-"]),
    // paypal-token
    WordWith(&["access_token"]),
    // shopify-token
    With(&["shpat_", "shpca_", "shppa_", "shpss_"]),
    // plaid-token
    WordWith(&["access-devel", "access-produ", "access-sandb"]),
    // flutterwave-key
    WordWith(&["flwpubk", "flwseck"]),
    // easypost-token
    WordWith(&["ezak", "eztk"]),
    // duffel-token
    With(&["duffel_live_", "duffel_test_"]),
    // lob-key
    WordWith(&["live_0", "live_1", "live_2", "live_3", "live_4", "live_5", "live_6", "live_7", "live_8", "live_9", "live_a", "live_b", "live_c", "live_d", "live_e", "live_f", "live_pub_", "test_0", "test_1", "test_2", "test_3", "test_4", "test_5", "test_6", "test_7", "test_8", "test_9", "test_a", "test_b", "test_c", "test_d", "test_e", "test_f", "test_pub_"]),
    // hashicorp-vault-token
    WordWith(&["hvb.", "hvr.", "hvs.", "s."]),
    // terraform-token
    With(&[".atlasv1."]),
    // databricks-token
    With(&["dapi0", "dapi1", "dapi2", "dapi3", "dapi4", "dapi5", "dapi6", "dapi7", "dapi8", "dapi9", "dapia", "dapib", "dapic", "dapid", "dapie", "dapif"]),
    // doppler-token
    With(&["dp.audit.", "dp.ct.", "dp.pt.", "dp.sa.", "dp.scim.", "dp.st."]),
    // pulumi-token
    With(&["pul-0", "pul-1", "pul-2", "pul-3", "pul-4", "pul-5", "pul-6", "pul-7", "pul-8", "pul-9", "pul-a", "pul-b", "pul-c", "pul-d", "pul-e", "pul-f"]),
    // grafana-token
    With(&["eyjrijoi", "glc_", "glsa_"]),
    // sentry-token
    With(&["sntrys_eyj", "sntryu_0", "sntryu_1", "sntryu_2", "sntryu_3", "sntryu_4", "sntryu_5", "sntryu_6", "sntryu_7", "sntryu_8", "sntryu_9", "sntryu_a", "sntryu_b", "sntryu_c", "sntryu_d", "sntryu_e", "sntryu_f"]),
    // newrelic-key
    With(&["nrak-", "nrii-", "nrjs-0", "nrjs-1", "nrjs-2", "nrjs-3", "nrjs-4", "nrjs-5", "nrjs-6", "nrjs-7", "nrjs-8", "nrjs-9", "nrjs-a", "nrjs-b", "nrjs-c", "nrjs-d", "nrjs-e", "nrjs-f", "nrra-0", "nrra-1", "nrra-2", "nrra-3", "nrra-4", "nrra-5", "nrra-6", "nrra-7", "nrra-8", "nrra-9", "nrra-a", "nrra-b", "nrra-c", "nrra-d", "nrra-e", "nrra-f"]),
    // dynatrace-token
    WordWith(&["dt0"]),
    // prefect-token
    With(&["pnb_", "pnu_"]),
    // planetscale-secret
    With(&["pscale_oauth", "pscale_pw_", "pscale_tkn_"]),
    // supabase-token
    With(&["sb_secret_", "sbp_0", "sbp_1", "sbp_2", "sbp_3", "sbp_4", "sbp_5", "sbp_6", "sbp_7", "sbp_8", "sbp_9", "sbp_a", "sbp_b", "sbp_c", "sbp_d", "sbp_e", "sbp_f"]),
    // readme-token
    With(&["rdme_"]),
    // typeform-token
    WordWith(&["tfp_"]),
    // contentful-token
    With(&["cfpat-"]),
    // shippo-token
    With(&["shippo_live_", "shippo_test_"]),
    // frameio-token
    With(&["fio-u-"]),
    // tailscale-key
    With(&["tskey-", "tskey--", "tskey-api", "tskey-api-", "tskey-auth", "tskey-auth-", "tskey-client", "tskey-scim", "tskey-scim-", "tskey-webhoo"]),
    // openshift-token
    WordWith(&["sha256~"]),
    // onepassword-token
    WordWith(&["a3-", "ops_eyj"]),
    // sonar-token
    With(&["sqa_", "sqp_", "squ_"]),
    // snyk-token
    With(&["snyk_sat.0", "snyk_sat.1", "snyk_sat.2", "snyk_sat.3", "snyk_sat.4", "snyk_sat.5", "snyk_sat.6", "snyk_sat.7", "snyk_sat.8", "snyk_sat.9", "snyk_sat.a", "snyk_sat.b", "snyk_sat.c", "snyk_sat.d", "snyk_sat.e", "snyk_sat.f", "snyk_uat.0", "snyk_uat.1", "snyk_uat.2", "snyk_uat.3", "snyk_uat.4", "snyk_uat.5", "snyk_uat.6", "snyk_uat.7", "snyk_uat.8", "snyk_uat.9", "snyk_uat.a", "snyk_uat.b", "snyk_uat.c", "snyk_uat.d", "snyk_uat.e", "snyk_uat.f"]),
    // facebook-token
    WordWith(&["eaac", "eaam"]),
    // age-key
    With(&["age-secret-k"]),
    // sourcegraph-token
    With(&["sgp_0", "sgp_1", "sgp_2", "sgp_3", "sgp_4", "sgp_5", "sgp_6", "sgp_7", "sgp_8", "sgp_9", "sgp_a", "sgp_b", "sgp_c", "sgp_d", "sgp_e", "sgp_f", "sgp_local_0", "sgp_local_1", "sgp_local_2", "sgp_local_3", "sgp_local_4", "sgp_local_5", "sgp_local_6", "sgp_local_7", "sgp_local_8", "sgp_local_9", "sgp_local_a", "sgp_local_b", "sgp_local_c", "sgp_local_d", "sgp_local_e", "sgp_local_f"]),
    // intra42-secret
    With(&["s-s4t2af-0", "s-s4t2af-1", "s-s4t2af-2", "s-s4t2af-3", "s-s4t2af-4", "s-s4t2af-5", "s-s4t2af-6", "s-s4t2af-7", "s-s4t2af-8", "s-s4t2af-9", "s-s4t2af-a", "s-s4t2af-b", "s-s4t2af-c", "s-s4t2af-d", "s-s4t2af-e", "s-s4t2af-f", "s-s4t2ud-0", "s-s4t2ud-1", "s-s4t2ud-2", "s-s4t2ud-3", "s-s4t2ud-4", "s-s4t2ud-5", "s-s4t2ud-6", "s-s4t2ud-7", "s-s4t2ud-8", "s-s4t2ud-9", "s-s4t2ud-a", "s-s4t2ud-b", "s-s4t2ud-c", "s-s4t2ud-d", "s-s4t2ud-e", "s-s4t2ud-f"]),
    // buildkite-token
    With(&["bkaa_", "bkaj_", "bkct_", "bkua_"]),
    // honeycomb-key
    WordWith(&["hc"]),
    // private-key
    With(&["-----begin"]),
    // putty-key
    With(&["putty-user-k"]),
    // jwt
    WordWith(&["ey"]),
    // url-password
    With(&["://"]),
    // netrc-password
    WordWith(&["default\t", "default\n", "default\u{c}", "default\r", "default ", "machine\t", "machine\n", "machine\u{c}", "machine\r", "machine "]),
    // basic-auth
    With(&["authorizatio"]),
    // bearer-token
    WordWith(&["bearer\t", "bearer\n", "bearer\u{c}", "bearer\r", "bearer "]),
    // command-password
    WordWith(&["curl\t", "curl\t-", "curl\n", "curl\n-", "curl\u{c}", "curl\u{c}-", "curl\r", "curl\r-", "curl ", "curl -", "mysql\t", "mysql\n", "mysql\u{c}", "mysql\r", "mysql ", "mysqld", "psql\t", "psql\t-", "psql\n", "psql\n-", "psql\u{c}", "psql\u{c}-", "psql\r", "psql\r-", "psql ", "psql -", "redis-", "sshpas", "wget\t", "wget\t-", "wget\n", "wget\n-", "wget\u{c}", "wget\u{c}-", "wget\r", "wget\r-", "wget ", "wget -"]),
    // password
    With(&["passphrase", "passwd", "password", "pwd"]),
    // named-password
    With(&["clave", "contrase", "haslo", "hasło", "heslo", "kennwort", "losenord", "lösenord", "mdp", "mot de passe", "parola", "pass", "passphrase", "passwd", "password", "passwort", "psw", "pw", "pwd", "senha", "wachtwoord", "Пароль", "пароль", "パスワー", "密码", "密碼", "비밀번호"]),
    // prefixed-token
    Anywhere,
    // generic-secret
    With(&["access-key", "access_key", "accesskey", "api-key", "api_key", "apikey", "auth", "auth-key", "auth_key", "authkey", "client-key", "client_key", "clientkey", "credential", "credentials", "creds", "encryption-k", "encryption_k", "encryptionke", "key", "master-key", "master_key", "masterkey", "private-key", "private_key", "privatekey", "secret", "signing-key", "signing_key", "signingkey", "token"]),
];
