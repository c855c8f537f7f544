//! Control group whose sockets show the option of SMC-R, and the process that removes it behind the program.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use halftrack_shared_memory::close_at_exec;
use halftrack_smc_host::{ControlGroup, can_show_option, leave_group, remove_when_empty};

use crate::failure::Failure;

/// Arguments of `halftrack smc remove-group`.
#[derive(Debug, Args)]
pub struct RemoveGroupArguments {
    /// Wait in this process until the group is empty
    #[arg(long)]
    wait: bool,
    /// Directory of the group
    directory: PathBuf,
}

/// Moves this process into a group whose sockets show the option, which is removed once it is empty.
///
/// # Errors
/// The kernel or the rights do not permit it; the process is in the group that it was in.
pub fn enter_group() -> io::Result<()> {
    // A program that starts others in this way has a group for all of them.
    if can_show_option()? {
        return Ok(());
    }
    let group = ControlGroup::new()?;
    // What enters is to be removed before anything can fail: a process that removes it is no child of the program.
    let begun = group.enter().and_then(|()| removal(group.directory(), false)?.status());
    match begun {
        Ok(status) if status.success() => Ok(()),
        refused => {
            group.remove()?;
            Err(refused.err().unwrap_or_else(|| io::Error::other("nothing would remove the control group")))
        }
    }
}

/// Removes a group once it is empty, in a process of its own unless it is to wait.
///
/// # Errors
/// It is no such group; an error of the operating system.
pub fn remove_group(arguments: &RemoveGroupArguments) -> Result<bool, Failure> {
    if arguments.wait {
        remove_when_empty(&arguments.directory)?;
    } else {
        leave_group(&arguments.directory)?;
        // Whoever waits for the end of a pipe waits for the program alone.
        close_at_exec()?;
        removal(&arguments.directory, true)?.spawn()?;
    }
    Ok(true)
}

/// Makes the command that removes a group.
fn removal(directory: &Path, is_waiting: bool) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["smc", "remove-group"]).args(is_waiting.then_some("--wait")).arg(directory);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // A signal of the terminal is for the program.
    command.current_dir("/").env_remove("LD_PRELOAD").process_group(0);
    Ok(command)
}
