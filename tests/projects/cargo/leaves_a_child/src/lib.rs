use std::process::Command;

#[test]
fn starts_and_forgets() {
    Command::new("sh").args(["-c", "sleep 30 & echo started"]).status().unwrap();
}
