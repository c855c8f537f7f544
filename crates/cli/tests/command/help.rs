//! Help and usage messages of the command.

use crate::support::{code, halftrack, stderr, stdout};

#[test]
fn help_has_examples_and_exit_codes() {
    for command in ["run", "bench"] {
        let help = halftrack(&[command, "--help"]);
        assert_eq!(code(&help), 0);
        for part in ["Examples:", &format!("halftrack {command} studies/"), "Exit codes:", "--catalog <DIR>"]
        {
            assert!(stdout(&help).contains(part), "{part} is missing in:\n{}", stdout(&help));
        }
    }
    assert!(stdout(&halftrack(&["--help"])).contains("Exit codes:"));
    let display = halftrack(&["display", "--help"]);
    for part in
        ["Examples:", "halftrack display studies/z16-oltp 'D M=DEV(1000)'", "Exit codes:", "--at <SECONDS>"]
    {
        assert!(stdout(&display).contains(part), "{part} is missing in:\n{}", stdout(&display));
    }
}

#[test]
fn wrong_arguments_are_bad_input() {
    for arguments in [&["run"] as &[&str], &["run", "study", "--fidelity", "exact"], &["walk"], &[]] {
        let refused = halftrack(arguments);
        assert_eq!(code(&refused), 2, "{arguments:?}: {}", stderr(&refused));
        assert_eq!(stdout(&refused), "");
    }
}
