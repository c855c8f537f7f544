//! The choice of the engine of zEDC cards by `.ci/engines`, on machines that lack tools.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::source::repository;

const TOOLS: [&str; 7] = ["nasm", "autoconf", "automake", "libtoolize", "make", "cc", "cargo"];
const ISAL: &str = "--features=halftrack-cli/isal,halftrack-cli/libdeflate\n";
const LIBDEFLATE: &str = "--features=halftrack-cli/libdeflate\n";

/// A machine whose commands are those of one directory.
struct Machine {
    directory: PathBuf,
}

impl Machine {
    /// Makes a machine with every tool, each of which succeeds, and no way to install one.
    fn new(name: &str) -> Self {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("engines-{name}"));
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory).expect("a directory of the tests");
        let machine = Self { directory };
        for tool in TOOLS {
            machine.set(tool, "exit 0");
        }
        machine.set("dirname", "exec /usr/bin/dirname \"$@\"");
        machine.set("id", "echo 0");
        machine
    }

    /// Gives it a command.
    fn set(&self, tool: &str, script: &str) -> &Self {
        let path = self.directory.join(tool);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a file of the tests");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a file of the tests");
        self
    }

    /// Takes a command away.
    fn without(&self, tool: &str) -> &Self {
        fs::remove_file(self.directory.join(tool)).expect("it has the tool");
        self
    }

    /// Returns the options that are printed, and the notice about them.
    fn engines(&self) -> (String, String) {
        let script = repository().join(".ci/engines");
        let output = Command::new("/bin/sh").arg(script).env("PATH", &self.directory).output();
        let output = output.expect("a shell");
        assert!(output.status.success(), "{output:?}");
        let text = |bytes| String::from_utf8(bytes).expect("text");
        (text(output.stdout), text(output.stderr))
    }
}

#[test]
fn a_machine_with_every_tool_builds_isa_l() {
    let (options, words) = Machine::new("all").engines();
    assert_eq!((options.as_str(), words.as_str()), (ISAL, "engine of zEDC cards: ISA-L\n"));
}

#[test]
fn a_machine_without_an_assembler_builds_libdeflate() {
    let machine = Machine::new("no-nasm");
    let (options, words) = machine.without("nasm").engines();
    assert_eq!(options, LIBDEFLATE);
    assert!(words.starts_with("engine of zEDC cards: libdeflate; ISA-L needs nasm"), "{words}");
    // Neither root nor a network: the installation fails, and is no failure.
    machine.set("apt-get", "exit 100").set("env", "exec /usr/bin/env \"$@\"");
    assert_eq!(machine.engines().0, LIBDEFLATE);
}

#[test]
fn what_isa_l_needs_is_installed_where_that_can_be_done() {
    let machine = Machine::new("apt");
    let nasm = machine.directory.join("nasm");
    let made = format!("echo '#!/bin/sh' >'{0}'\n/bin/chmod +x '{0}'", nasm.display());
    machine.without("nasm").set("apt-get", &made).set("env", "exec /usr/bin/env \"$@\"");
    machine.set("timeout", "exec /usr/bin/timeout \"$@\"");
    assert_eq!(machine.engines().0, ISAL);
}

#[test]
fn a_machine_without_a_compiler_builds_rust_alone() {
    let machine = Machine::new("no-headers");
    let (options, words) = machine.set("cc", "exit 1").engines();
    assert_eq!(options, "");
    assert!(words.starts_with("engine of zEDC cards: zlib-rs; "), "{words}");
}

#[test]
fn an_engine_without_its_source_is_not_taken() {
    let machine = Machine::new("offline");
    machine.set("cargo", "case $* in *isal*) exit 101 ;; esac");
    assert_eq!(machine.engines().0, LIBDEFLATE);
    machine.set("cargo", "exit 101");
    assert_eq!(machine.engines().0, "");
}
