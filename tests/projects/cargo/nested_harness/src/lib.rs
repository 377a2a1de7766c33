use std::process::Command;

#[test]
fn runs_another_harness() {
    let report = r#"{ "type": "suite", "event": "started", "test_count": 1 }
{ "type": "test", "event": "started", "name": "inner" }
{ "type": "test", "name": "inner", "event": "ok" }
{ "type": "suite", "event": "ok", "passed": 1, "failed": 0, "ignored": 0, "measured": 0, "filtered_out": 0 }"#;
    Command::new("echo").arg(report).status().unwrap();
}
