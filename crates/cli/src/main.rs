//! The `halftrack` command: reads arguments, calls the rooms in order, prints; holds no rule and no formula.

mod arguments;
mod bench;
mod calibration;
mod capture;
mod deck;
mod diagnostics;
mod director;
mod display;
mod drive;
mod exec;
mod failure;
mod link_capture;
mod link_port;
mod output_directory;
mod output_file;
mod peak_rss;
mod precision;
mod progress;
mod published;
mod run;
mod run_cache;
mod serve;
mod site;
mod standard_output;
mod study;
mod sweep;
mod system_reports;
mod volume;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use crate::arguments::{Arguments, Command};

/// Exit code when the laws held.
const FINE: u8 = 0;
/// Exit code when a law was violated or the run failed.
const VIOLATED: u8 = 1;

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Published(arguments) => published::published(&arguments),
        Command::Bench(arguments) => bench::bench(&arguments),
        Command::Sweep(arguments) => sweep::sweep(&arguments),
        Command::Exec(arguments) => exec::exec(&arguments),
        Command::Director(arguments) => director::director(&arguments),
        Command::Display(arguments) => display::display(&arguments),
        Command::Drive(arguments) => drive::drive(&arguments),
        Command::Deck(arguments) => deck::deck(&arguments),
        Command::Serve(arguments) => serve::serve(&arguments),
        Command::Study(arguments) => site::site(&arguments),
        Command::Volume(arguments) => volume::volume(&arguments),
    };
    let code = match result {
        Ok(true) => FINE,
        Ok(false) => VIOLATED,
        Err(failure) => {
            // Nothing can be said where standard error is closed.
            let _ = writeln!(io::stderr(), "halftrack: {failure}");
            failure.exit_code()
        }
    };
    ExitCode::from(code)
}
