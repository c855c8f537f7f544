//! `halftrack smc run`: a program whose TCP connections move to SMC-R.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::group::enter_group;
use super::program::{Obstacle, obstacle};
use super::readable::readable_by_all;
use crate::failure::Failure;
use crate::preload::{Preloaded, become_with};
use crate::standard_error;

/// Library with the functions of the C library that connections need.
pub const LIBRARY: Preloaded =
    Preloaded { file: "libhalftrack_smc_preload.so", package: "halftrack-smc-preload" };

/// Words at the end of `halftrack smc run --help`.
pub const EXAMPLES: &str = "\
The program gets libhalftrack_smc_preload.so of this build in front of its libraries (LD_PRELOAD),
and so do the programs that it starts. Programs that are linked statically, and setuid ones, run
with plain TCP; that is reported. io_uring, which would pass the library by, fails with ENOSYS.
With the fabric roce-udp octets leave a process as packets of RoCE at UDP port 4791 of addresses of
loopback, over two links, which tshark decodes; a connection does not outlast an exec or fork then.

As root, with control groups of version 2, the program runs in a control group of its own, where the
kernel puts the option of RFC 7609 into SYN and SYN-ACK of its connections; the group is removed
behind it. Elsewhere peers are recognised by a registry of this host (--sign).

Examples:
  halftrack smc run redis-server --port 6400 --save ''
  halftrack smc run sockperf ping-pong --tcp -i 127.0.0.1 -p 11111 -m 1024
  halftrack smc run --fabric roce-udp curl -O http://127.0.0.1:8080/large

Exit codes: those of the program; 1 it cannot be started, 2 bad input.";

/// Arguments of `halftrack smc run`.
#[derive(Debug, Args)]
pub struct RunArguments {
    /// Fabric by which octets go; both ends of a connection need the same
    #[arg(long, value_enum, default_value_t = FabricWord::Shm)]
    fabric: FabricWord,
    /// Sign by which peers with SMC-R are recognised
    #[arg(long, value_enum, default_value_t = SignWord::Auto)]
    sign: SignWord,
    /// Octets of an element, 16384 to 524288
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(16384..=524_288))]
    element: Option<u32>,
    /// Library, when it is not beside this command
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
    /// Program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

/// Fabric on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FabricWord {
    /// Memory that both processes share
    Shm,
    /// RoCE version 2 over UDP, by two ports of loopback for each end of a link group
    RoceUdp,
}

/// Sign on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SignWord {
    /// Option of TCP where the kernel and the rights permit it, and the registry
    Auto,
    /// Option of TCP; without it the program is not started, and the reason is shown
    Option,
    /// Registry of listening sockets of this host
    Registry,
}

/// Becomes the program.
///
/// # Errors
/// It cannot be started, or the library is missing.
pub fn run(arguments: &RunArguments) -> Result<bool, Failure> {
    let library = readable_by_all(&LIBRARY.find(arguments.library.as_deref())?)?;
    if let Some(reason) = arguments.program.first().and_then(|program| obstacle(program)) {
        let name = arguments.program[0].display();
        let reason = match reason {
            Obstacle::Static => "is linked statically",
            Obstacle::Setuid => "is setuid or setgid",
        };
        standard_error::print(&format!("halftrack smc run: {name} {reason}: it runs with plain TCP\n"));
    }
    let fabric = match arguments.fabric {
        FabricWord::Shm => "shm",
        FabricWord::RoceUdp => "roce-udp",
    };
    let element = arguments.element.map(|bytes| bytes.to_string());
    let mut variables = vec![("HALFTRACK_SMC_FABRIC", OsStr::new(fabric))];
    variables.extend(element.as_ref().map(|bytes| ("HALFTRACK_SMC_ELEMENT", OsStr::new(bytes))));
    if arguments.sign != SignWord::Registry {
        let entered = enter_group();
        if let (SignWord::Option, Err(error)) = (arguments.sign, entered) {
            return Err(Failure::Argument(format!("--sign option: {error}")));
        }
    }
    Err(become_with(&library, &arguments.program, &variables))
}
