//! `halftrack display`: operators' commands, answered from a study or from a moment of its run.

use std::collections::BTreeSet;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::Args;
use halftrack::record::Moment;
use halftrack::report::display::{self as displays, DisplayError, Known};
use halftrack::{Diagnostic, LoadOptions, MomentError, Options, Study, refused_events};
use halftrack_base::Span;
use halftrack_deck::listing;
use halftrack_input::messages::study as numbers;

use crate::deck::hardware_argument::{self, CatalogArguments};
use crate::diagnostics;
use crate::failure::Failure;
use crate::progress::ProgressBar;
use crate::standard_error::{self, standard_error};
use crate::standard_output::print;

/// Words at the end of `halftrack display --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack display studies/z16-oltp 'D M=DEV(1000)'
  halftrack display studies/z16-oltp 'd m=dev(01000,(40))' --system PROD2
  halftrack display studies/z16-oltp 'DISPLAY M=CHP(40)'
  halftrack display studies/z16-oltp 'D M=CHP(40),PATHINFO' --json
  halftrack display studies/z16-oltp 'D U,DASD,ONLINE,1000,4' --at 0.5
  halftrack display studies/z16-oltp 'DS P,1000,4'
  halftrack display studies/published/isfc 'QUERY ISLINK' --at 0.5 --system VMB

Commands, long or short, in upper or lower case:
  D M=DEV(..)
  D M=CHP, D M=CHP(..)[,PATHINFO]
  D M=CU(..)
  D U[,class[,ONLINE|OFFLINE[,first[,lines]]]]
  D IOS,CONFIG|MIDAW|HYPERPAV|ZHPF|ZHYPERLINK|MIH|RECOVERY|DCM
  D PCIE[,PFID=..|,DD]
  DS P,first[,count]
  QUERY ISLINK [rdev..], ACTIVATE ISLINK rdev.. [NODE node], DEACTIVE ISLINK rdev.. (z/VM)

Values that a study does not have are shown as dots or NOT AVAILABLE. No command changes anything.

Exit codes: 0 answered, even when the device is unknown; 2 bad input, the command included: the
error is underlined.";

/// Seconds of virtual time at most: 30 days, as the longest run.
const AT_MAX_S: f64 = halftrack_config::workload_file::RUN_MAX_S;

/// Arguments of `halftrack display`.
#[derive(Debug, Args)]
pub struct DisplayArguments {
    /// Directory with deck.iocp, plant.toml and workload.toml
    #[arg(value_name = "STUDY")]
    study: PathBuf,
    /// The operator command, quoted for the shell
    #[arg(value_name = "COMMAND")]
    command: String,
    /// System that answers (a partition name) [default: the first one with work]
    #[arg(long, value_name = "NAME")]
    system: Option<String>,
    /// Run the study for this many seconds of virtual time, warm-up included, and show its state then
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    at: Option<f64>,
    /// Seed of the random-number streams [default: the one of the workload]
    #[arg(long, value_name = "N", requires = "at")]
    seed: Option<u64>,
    /// Script of faults, the format of `halftrack faults`: its events are added to those of the workload
    #[arg(long, value_name = "FILE", requires = "at")]
    faults: Option<PathBuf>,
    /// Hardware file or configuration report of the features installed: with it D PCIE shows the functions in standby
    #[arg(long, value_name = "HW")]
    hardware: Option<PathBuf>,
    #[command(flatten)]
    catalog: CatalogArguments,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

fn seconds(text: &str) -> Result<f64, String> {
    let parsed = text.parse().ok().filter(|seconds| (0.0..=AT_MAX_S).contains(seconds));
    parsed.ok_or_else(|| format!("expected seconds of virtual time from 0 to {AT_MAX_S}"))
}

/// Answers the command; always true.
///
/// # Errors
/// Bad input, the command included; output that cannot be written.
pub fn display(arguments: &DisplayArguments) -> Result<bool, Failure> {
    let (study, notes) = load(arguments)?;
    let (configuration, site) = (study.configuration(), study.site());
    let plugged = arguments.hardware.as_deref().map(|path| plugged(path, arguments)).transpose()?;
    // A command that is none is refused before anything runs.
    let mut known = Known { configuration, site, moment: None, plugged: plugged.as_ref() };
    let mut answer = respond(arguments, known)?;
    diagnostics::show(&notes)?;
    let options = Options::new(arguments.seed.unwrap_or(study.options().seed));
    let moment = arguments.at.map(|at_s| state_at(&study, &options, Span::from_s_f64(at_s))).transpose()?;
    if let Some(moment) = &moment {
        for line in refused_events(configuration, moment) {
            writeln!(standard_error(), "halftrack: {line}")?;
        }
        known.moment = Some(moment);
        answer = respond(arguments, known)?;
    }
    print(&if arguments.json { answer.to_json() } else { answer.text() })?;
    Ok(true)
}

/// Returns the state of the study's machine at `at`, with a bar on the way.
fn state_at(study: &Study, options: &Options, at: Span) -> Result<Moment, Failure> {
    let bar = ProgressBar::new();
    let moment = study.moment(options, at, &mut |progress| {
        bar.show(progress);
        ControlFlow::Continue(())
    });
    bar.clear();
    moment.map_err(|error| match error {
        MomentError::Wiring(error) => error.into(),
        MomentError::Cancelled(_) => unreachable!("the bar breaks nothing off"),
    })
}

fn respond(arguments: &DisplayArguments, known: Known<'_>) -> Result<displays::Display, Failure> {
    displays::display(&arguments.command, known, arguments.system.as_deref()).map_err(|error| match error {
        DisplayError::Command(diagnostic) => {
            standard_error::print(&listing(&[*diagnostic]));
            Failure::OperatorCommand
        }
        DisplayError::System { .. } => Failure::Argument(error.to_string()),
    })
}

/// Loads the study, with the messages that concern displays alone.
fn load(arguments: &DisplayArguments) -> Result<(Study, Vec<Diagnostic>), Failure> {
    let options = LoadOptions {
        catalogs: arguments.catalog.catalogs.clone(),
        faults: arguments.faults.clone(),
        ..LoadOptions::default()
    };
    match Study::load(&arguments.study, &options) {
        Ok(study) => {
            // What a run would warn of is nothing to an operator, but for what displays alone show.
            let mut shown = BTreeSet::new();
            let notes = study.diagnostics().iter();
            let notes = notes.filter(|one| one.number == numbers::ENDPOINT_SECURITY);
            let notes = notes.filter(|one| shown.insert(one.message.clone())).cloned().collect();
            Ok((study, notes))
        }
        Err(error) => {
            diagnostics::show(&error.diagnostics)?;
            Err(Failure::Study { study: arguments.study.clone() })
        }
    }
}

/// Returns the PCHIDs of the hardware file.
fn plugged(path: &Path, arguments: &DisplayArguments) -> Result<BTreeSet<u16>, Failure> {
    let hardware = hardware_argument::load(path, &arguments.catalog)?;
    Ok(hardware.pchids().collect())
}
