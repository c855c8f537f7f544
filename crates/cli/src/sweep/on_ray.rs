//! A sweep on a Ray cluster: Python runs the points there and leaves their runs in the cache, from which the sweep goes on as
//! any other.

use std::env;
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use halftrack::PackedSweep;

use crate::failure::Failure;

/// Variable that names the interpreter.
const INTERPRETER: &str = "HALFTRACK_PACKAGE_PYTHON";
/// Exit code of an interpreter without the package.
const NO_PACKAGE: i32 = 91;
/// Start of the launcher.
const LAUNCH: &str = "\
import sys
try:
    from halftrack.launch import main
except ImportError:
    sys.exit(91)
sys.exit(main())
";

/// Runs the points of `sweep` whose runs are not in the directory `cache` on the cluster at `address`. An empty
/// one is the cluster that Ray finds, or makes of this machine.
///
/// # Errors
/// No interpreter, no package, no cluster: the message has the mend. Files that cannot be written.
pub fn run_on_ray(sweep: &PackedSweep, cache: &Path, address: &str) -> Result<(), Failure> {
    let interpreter = env::var_os(INTERPRETER).unwrap_or_else(|| OsString::from("python3"));
    let name = interpreter.to_string_lossy();
    let unwritten = |source| Failure::output(env::temp_dir(), source);
    let mut pack = tempfile::NamedTempFile::new().map_err(unwritten)?;
    pack.write_all(&sweep.pack()).and_then(|()| pack.flush()).map_err(unwritten)?;
    let mut launcher = Command::new(&interpreter);
    launcher.args(["-c", LAUNCH]).arg(pack.path()).arg(cache);
    if !address.is_empty() {
        launcher.args(["--address", address]);
    }
    // Standard output is that of the sweep.
    let status = launcher.stdin(Stdio::null()).stdout(Stdio::null()).status().map_err(|error| {
        Failure::Argument(format!(
            "--ray needs Python, and `{name}` cannot be started ({error}): install python3, or name an interpreter in \
             {INTERPRETER}"
        ))
    })?;
    match status.code() {
        Some(0) => Ok(()),
        Some(NO_PACKAGE) => Err(Failure::Argument(format!(
            "--ray needs the Python package halftrack, which `{name}` does not have: install it with `{name} -m pip install \
             './python[ray]'`, or name another interpreter in {INTERPRETER}"
        ))),
        _ => Err(Failure::Ray),
    }
}
