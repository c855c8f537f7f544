//! The `halftrack` command: reads arguments, calls the rooms in order, prints; holds no rule and no formula.

mod arguments;
mod before_run;
mod bench;
mod capture;
mod check;
mod deck;
mod diagnostics;
mod director;
mod display;
mod drive;
mod ending;
mod exec;
mod explain;
mod fail_on;
mod failure;
mod faults;
mod islink;
mod link;
mod link_access;
mod link_capture;
mod link_faults;
mod link_incidents;
mod link_port;
mod precision;
mod preload;
mod progress;
mod published;
mod quantities;
mod run;
mod run_cache;
mod serve;
mod site;
mod smc;
mod standard_error;
mod standard_output;
mod study;
mod sweep;
mod threads;
mod trial_progress;
mod volume;
mod zedc;

use std::process::ExitCode;

use clap::Parser;

use crate::arguments::{Arguments, Command};
use crate::ending::Ending;

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Check(arguments) => check::check(&arguments).map(Ending::from),
        Command::Published(arguments) => published::published(&arguments).map(Ending::from),
        Command::Bench(arguments) => bench::bench(&arguments).map(Ending::from),
        Command::Sweep(arguments) => sweep::sweep(&arguments),
        Command::Quantities(arguments) => quantities::quantities(&arguments).map(Ending::from),
        Command::Exec(arguments) => exec::exec(&arguments).map(Ending::from),
        Command::Explain(arguments) => explain::explain(&arguments).map(Ending::from),
        Command::Faults(arguments) => faults::faults(&arguments).map(Ending::from),
        Command::Director(arguments) => director::director(&arguments).map(Ending::from),
        Command::Display(arguments) => display::display(&arguments).map(Ending::from),
        Command::Drive(arguments) => drive::drive(&arguments).map(Ending::from),
        Command::Link(arguments) => link::link(&arguments).map(Ending::from),
        Command::Deck(arguments) => deck::deck(&arguments).map(Ending::from),
        Command::Islink(arguments) => islink::islink(&arguments).map(Ending::from),
        Command::Serve(arguments) => serve::serve(&arguments).map(Ending::from),
        Command::Smc(arguments) => smc::smc(&arguments).map(Ending::from),
        Command::Study(arguments) => site::site(&arguments).map(Ending::from),
        Command::Volume(arguments) => volume::volume(&arguments).map(Ending::from),
        Command::Zedc(arguments) => zedc::zedc(&arguments).map(Ending::from),
    };
    let code = match result {
        Ok(ending) => ending.exit_code(),
        Err(failure) => {
            standard_error::print(&format!("halftrack: {failure}\n"));
            failure.exit_code()
        }
    };
    ExitCode::from(code)
}
