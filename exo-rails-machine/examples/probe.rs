use exo_rails_agent::ScriptedModel;
use exo_rails_machine::*;
use serde_json::{Value, json};
use std::time::Instant;

const META: &str = "Context c { n<number>: 0; text<string>: \"\"; any: 0; } Task t { prompt: \"x\"; meta: true; } End e; t -writes-> c; t -> e;";

fn call(tool: &str, arguments: Value) -> Value {
    json!({ "call": [{ "tool": tool, "arguments": arguments }] })
}
fn construct(name: &str, strategy: &str, details: &str) -> Value {
    call(
        "construct_tool",
        json!({ "name": name, "description": "d", "input_schema": {"type":"object"},
        "implementation_strategy": strategy, "implementation_details": details }),
    )
}

async fn go(file: &str, script: Vec<Value>) {
    let reading = exo_rails_dygram::read("flow.dygram", file);
    if reading.report.has_errors() {
        println!("REPORT {}", reading.report);
        return;
    }
    let model: ScriptedModel = Value::from(script).to_string().parse().unwrap();
    let executor = match Executor::builder(&reading.machine, model).build() {
        Ok(e) => e,
        Err(e) => {
            println!("BUILD {e}");
            return;
        }
    };
    let start = Instant::now();
    let r = executor.run().await;
    let (state, error) = match r {
        Ok(d) => (d.state, None),
        Err(s) => (*s.state, Some(s.error.to_string())),
    };
    println!("error {error:?} in {:?}", start.elapsed());
    for step in &state.history().steps {
        println!("step {} -> {:?} {:?}", step.current_node, step.next_nodes, step.errors);
        if let Some(i) = &step.agent_invocation {
            for s in &i.conversation_history {
                let mut c = s.content.clone();
                c.truncate(300);
                println!("  {}: {c}", s.role);
            }
        }
    }
}

async fn rhai(code: &str) {
    go(META, vec![construct("z", "code_generation", code), call("z", json!({})), json!({"say": "done"})]).await;
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let args: Vec<String> = std::env::args().collect();
    match args[1].as_str() {
        "rhai" => {
            let code = match args[2].as_str() {
                "import" => "import \"/etc/passwd\" as p; 1".to_owned(),
                "sleep" => "sleep(3); 1".to_owned(),
                "sleepf" => "sleep(3.0); 1".to_owned(),
                "nest" => "let a=[]; for i in 0..100000 { a=[a]; } a".to_owned(),
                "nest9" => "let a=[]; for i in 0..9000 { a=[a]; } a".to_owned(),
                "nest9str" => "let a=[]; for i in 0..9000 { a=[a]; } a.to_string()".to_owned(),
                "nestmap" => "let a=#{}; for i in 0..9000 { a=#{a:a}; } a".to_owned(),
                "nestboth" => "let a=#{}; for i in 0..9000 { a=#{a:[a]}; } a".to_owned(),
                "cycle" => "let x=[]; let f=||{x}; x.push(x); x.to_string()".to_owned(),
                "cyclefn" => "let m=#{}; m.f=||m; m.to_string()".to_owned(),
                "cyclefn2" => "let m=[]; m.push(||m); m.push(||m); let s = `${m}`; s".to_owned(),
                "cyclefn3" => "let m=#{}; m.f=||m; m".to_owned(),
                "cyclefn4" => "let m=[]; m.push(||m); m == m".to_owned(),
                "plus" => (0..15000).map(|_| "1+").collect::<String>() + "1",
                "plusvar" => "let a=1; ".to_owned() + (0..15000).map(|_| "a+").collect::<String>().as_str() + "1",
                "plus30k" => "let a=1; ".to_owned() + (0..31000).map(|_| "a+").collect::<String>().as_str() + "1",
                "dots" => "let a=#{}; a".to_owned() + (0..15000).map(|_| ".a").collect::<String>().as_str(),
                "idx" => "let a=[]; a".to_owned() + (0..15000).map(|_| "[0]").collect::<String>().as_str(),
                "neg" => (0..30000).map(|_| "-").collect::<String>() + "1",
                "not" => "let a=true; ".to_owned() + (0..30000).map(|_| "!").collect::<String>().as_str() + "a",
                "elif" => "let a=1; if a==2 {} ".to_owned() + (0..3000).map(|_| "else if a==2 {}").collect::<String>().as_str(),
                "blocks" => (0..30000).map(|_| "{").collect::<String>() + (0..30000).map(|_| "}").collect::<String>().as_str(),
                "recurse" => "fn f(n) { if n > 0 { 1 + (1 + (1 + (1 + (1 + (1 + (1 + f(n-1))))))) } else { 0 } } f(30)".to_owned(),
                "recurse2" => format!("fn f(n) {{ if n > 0 {{ {} f(n-1) {} }} else {{ 0 }} }} f(30)", "[".repeat(25), "]".repeat(25)),
                "recurse3" => format!("fn f(n) {{ {} if n > 0 {{ f(n-1) }} {} }} f(30)", "if true {".repeat(14), "}".repeat(14)),
                "recurse4" => format!("fn f(n) {{ {} if n > 0 {{ f(n-1) }} {} }} f(30)", "if switch n { _ => true } { for i in 0..1 {".repeat(6), "}}".repeat(6)),
                "infinite" => "loop {}".to_owned(),
                "strgrow" => "let s = \"x\"; loop { s += s; }".to_owned(),
                "arrs" => "let s = \"x\"; while s.len() < 500000 { s += s; } let a=[]; for i in 0..10000 { a.push(s); } a.len()".to_owned(),
                "pad" => "let s = \"x\"; s.pad(2000000000, 'x'); s.len()".to_owned(),
                "blob" => "let s = blob(4000000000); s.len()".to_owned(),
                "apad" => "let s = []; s.pad(4000000000, 1); s.len()".to_owned(),
                "vars" => "let t = 0; for i in 0..200 { let s = \"x\"; while s.len() < 500000 { s += s; } t += s.len(); } t".to_owned(),
                "range" => "let t = 0; for i in 0..9223372036854775807 { t += 1; } t".to_owned(),
                "sharedexp" => "let a=[1]; let f=||a; for i in 0..40 { let g=||a; let b=[a,a]; a=b; } a.len()".to_owned(),
                "ovf" => "let a = -9223372036854775808; let b = a / -1; b".to_owned(),
                "ovf2" => "let a = -9223372036854775807; a -= 1; a % -1".to_owned(),
                "shl" => "1 << 100".to_owned(),
                "pow" => "2 ** 1000".to_owned(),
                "strsub" => "\"äöü\".sub_string(1, 9223372036854775807)".to_owned(),
                "nan" => "0.0/0.0".to_owned(),
                "eval" => "eval(\"1\")".to_owned(),
                "fneval" => "let f = Fn(\"eval\"); f.call(\"40+2\")".to_owned(),
                "split" => "let s = \"x\"; while s.len() < 500000 { s += s; } s.split(\"\").len()".to_owned(),
                "replace" => "let s = \"x\"; while s.len() < 500000 { s += s; } s.replace(\"x\", s); s.len()".to_owned(),
                "replace2" => "let s = \"x\"; while s.len() < 50000 { s += s; } let t = s; s.replace(\"x\", t); s.len()".to_owned(),
                "json" => "parse_json(\"[\".to_string())".to_owned(),
                "jsondeep" => "let s=\"\"; for i in 0..5000 { s += \"[\"; } for i in 0..5000 { s += \"]\"; } parse_json(s)".to_owned(),
                "sortpanic" => "let a=[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30]; a.sort(|x,y| 1); a".to_owned(),
                "drain" => "let a=[1,2,3]; a.drain(-5, 9223372036854775807); a.splice(9223372036854775807, -1, [1]); a.extract(-9223372036854775808..=9223372036854775807)".to_owned(),
                "bits" => "let x = 1; x.get_bits(0..=9223372036854775807)".to_owned(),
                "bits2" => "let x = 1; x[-9223372036854775808..=63]".to_owned(),
                "chars" => "let x = \"abc\"; let y = []; for c in x.chars(-9223372036854775808, 9223372036854775807) { y.push(c) } y".to_owned(),
                "step" => "let t=0; for i in range(0, 10, -9223372036854775808) { t += 1 } t".to_owned(),
                "big" => "let s = \"x\"; while s.len() < 500000 { s += s; } s".to_owned(),
                "crop" => "let s=\"aäb\"; s.crop(-9223372036854775808, 5); s.truncate(9223372036854775807); s".to_owned(),
                "bloblp" => "let b = blob(8); b.parse_be_int(-9223372036854775808, 9223372036854775807)".to_owned(),
                "throw" => "throw \"\\u001b[31m\"".to_owned(),
                other => other.to_owned(),
            };
            println!("--- {}", args[2]);
            rhai(&code).await;
        }
        "cel" => {
            let text = match args[2].as_str() {
                "nots" => "!".repeat(100_000) + "b",
                "nots2" => "!".repeat(5_000) + "b",
                "negs" => "-".repeat(100_001) + "1 == 1",
                "plus" => "n ".to_owned() + "+ n ".repeat(100_000).as_str() + "== 0",
                "plus5" => "n ".to_owned() + "+ n ".repeat(5_000).as_str() + "== 0",
                "ors" => "b ".to_owned() + "|| b ".repeat(100_000).as_str(),
                "ors5" => "b ".to_owned() + "|| b ".repeat(5_000).as_str(),
                "dots" => "c".to_owned() + ".a".repeat(100_000).as_str() + " == 1",
                "dots5" => "c".to_owned() + ".a".repeat(5000).as_str() + " == 1",
                "idx" => "c".to_owned() + "[0]".repeat(20_000).as_str() + " == 1",
                "methods" => "c".to_owned() + ".size()".repeat(20_000).as_str() + " == 1",
                "paren" => "(".repeat(60) + "b" + ")".repeat(60).as_str(),
                "lists" => "[".repeat(60) + "b" + "]".repeat(60).as_str() + " == 1",
                "bomb" => {
                    let l = (0..100).map(|i| i.to_string()).collect::<Vec<_>>().join(",");
                    format!("[{l}].all(a, [{l}].all(b, [{l}].all(c, [{l}].all(d, a + b + c + d >= 0))))")
                }
                other => other.to_owned(),
            };
            println!("--- {}", &text[..text.len().min(60)]);
            let file = format!(
                "Context c {{ n<number>: 0; b<boolean>: true; s<string>: \"x\"; l<array>: [1,2]; u: 18446744073709551615; f: 1.5; z; }} State a; State d; End e; a -reads-> c; a -when: {text:?}-> d; a -> e;"
            );
            go(&file, vec![]).await;
        }
        "plan" => {
            let n: usize = args[3].parse().unwrap();
            let file = match args[2].as_str() {
                "chain" => (0..n).map(|i| format!("a{i} -> a{};", i + 1)).collect::<String>(),
                "nodes" => {
                    (0..n).map(|i| format!("State a{i};")).collect::<String>()
                        + (0..n).map(|i| format!("a{i} -> a{};", (i + 1) % n)).collect::<String>().as_str()
                }
                "inherit" => format!(
                    "Process p {{ {} }} {} p -> {};",
                    (0..n).map(|i| format!("Task a{i} {{ prompt: \"x\"; }}")).collect::<String>(),
                    (0..n).map(|i| format!("State b{i};")).collect::<String>(),
                    (0..n).map(|i| format!("b{i}")).collect::<Vec<_>>().join(", ")
                ),
                "inheritcond" => format!(
                    "Context c {{ n: 1; }} Process p {{ {} }} {} {}",
                    (0..n).map(|i| format!("Task a{i} {{ prompt: \"x\"; }}")).collect::<String>(),
                    (0..n).map(|i| format!("State b{i};")).collect::<String>(),
                    (0..n).map(|i| format!("p -when: \"c.n > {i}\"-> b{i};")).collect::<String>()
                ),
                "grants" => format!(
                    "Process p {{ {} }} {} p -reads-> {};",
                    (0..n).map(|i| format!("Task a{i} {{ prompt: \"x\"; }}")).collect::<String>(),
                    (0..n).map(|i| format!("Context b{i} {{ x: 1; }}")).collect::<String>(),
                    (0..n).map(|i| format!("b{i}")).collect::<Vec<_>>().join(", ")
                ),
                _ => panic!(),
            };
            let t = Instant::now();
            let r = exo_rails_dygram::read("x", &file);
            println!("{} n={n} bytes {} read {:?} errors {}", args[2], file.len(), t.elapsed(), r.report.has_errors());
            let t = Instant::now();
            let p = Plan::new(&r.machine);
            println!("  plan {:?} ok {}", t.elapsed(), p.is_ok());
            let mem = std::fs::read_to_string("/proc/self/status")
                .unwrap()
                .lines()
                .find(|l| l.starts_with("VmHWM"))
                .unwrap()
                .to_owned();
            println!("  {mem}");
            if args.len() > 4 {
                let t = Instant::now();
                let s = svg(&r.machine, None);
                println!("  svg {:?} {}", t.elapsed(), s.len());
            }
        }
        "celstack" => {
            let n: usize = args[3].parse().unwrap();
            let text = match args[2].as_str() {
                "paren" => "(".repeat(n) + "b" + ")".repeat(n).as_str(),
                "lists" => "[".repeat(n) + "b" + "]".repeat(n).as_str() + " == [b]",
                "plus" => "n".to_owned() + " + n".repeat(n).as_str() + " == 0",
                "ands" => "b".to_owned() + " && b".repeat(n).as_str(),
                "eqs" => "b".to_owned() + " == b".repeat(n).as_str(),
                "dots" => "c".to_owned() + ".a".repeat(n).as_str() + " == 1",
                "idx" => "c".to_owned() + "[0]".repeat(n).as_str() + " == 1",
                "methods" => "c".to_owned() + ".size()".repeat(n).as_str() + " == 1",
                "ternary" => "b ? b : ".repeat(n).as_str().to_owned() + "b",
                "macros" => "l.all(x, ".repeat(n).as_str().to_owned() + "b" + ")".repeat(n).as_str(),
                "calls" => "string(".repeat(n).as_str().to_owned() + "b" + ")".repeat(n).as_str() + " == ''",
                "mixed" => "[1+2*string(".repeat(n).as_str().to_owned() + "b" + ")]".repeat(n).as_str() + " == ''",
                _ => panic!(),
            };
            let file = format!(
                "Context c {{ n<number>: 0; b<boolean>: true; s<string>: \"x\"; l<array>: [1]; }} State a; State d; End e; a -reads-> c; a -when: {text:?}-> d; a -> e;"
            );
            let kb: usize = args[4].parse().unwrap();
            let h = std::thread::Builder::new()
                .stack_size(kb << 10)
                .spawn(move || {
                    tokio::runtime::Builder::new_current_thread()
                        .enable_all()
                        .build()
                        .unwrap()
                        .block_on(go(&file, vec![]));
                })
                .unwrap();
            h.join().unwrap();
        }
        "seq" => {
            let script: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(&args[3]).unwrap()).unwrap();
            go(&std::fs::read_to_string(&args[2]).unwrap(), script).await;
        }
        _ => {}
    }
}
