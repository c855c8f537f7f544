//! From deck, plant, workload and catalog to one checked configuration, one concept a file.
//!
//! Every step takes the [`Inputs`], reports what does not agree, and goes on with what does, so that one run
//! shows every contradiction; one root cause gives one message.

mod attachment;
mod caches;
mod channels;
mod devices;
mod disturbances;
mod fabric;
mod hardware;
mod inputs;
mod interconnects;
mod links;
mod logical_control_units;
mod lpars;
mod plugging;
mod ports;
mod reach;
mod routes;
mod shapes;
mod shares;
mod speeds;
mod streams;

use halftrack_catalog::Catalog;
use halftrack_deck::diagnostic::has_errors;
use halftrack_deck::model::Deck;

use crate::assemble::channels::Channels;
use crate::assemble::devices::Devices;
use crate::assemble::fabric::Fabric;
use crate::assemble::inputs::Inputs;
use crate::assemble::interconnects::Interconnects;
use crate::assemble::links::Links;
use crate::assemble::logical_control_units::LogicalControlUnits;
use crate::assemble::ports::Ports;
use crate::assemble::streams::Machine;
use crate::configuration::Configuration;
use crate::load::Loaded;
use crate::plant::Plant;
use crate::workload_file::WorkloadFile;

/// Characters of MSG1 that name the IOCDS.
const IOCDS_NAME_CHARACTERS: usize = 8;

/// The configuration of `study` that the four inputs make together, or every contradiction between them.
///
/// The result does not depend on the order of statements and tables.
pub fn assemble(
    deck: &Deck,
    plant: &Plant,
    workload: &WorkloadFile,
    catalog: &Catalog,
    study: &str,
) -> Loaded {
    let inputs = Inputs::new(deck, plant, workload, catalog);
    let cpc = hardware::cpc(&inputs);
    plugging::check(&inputs);
    attachment::check(&inputs);
    let lpars = lpars::lpars(&inputs);
    let interconnects = Interconnects::new(&inputs);
    let ports = Ports::new(&inputs);
    let fabric = Fabric::new(&inputs, &ports);
    let channels = Channels::new(&inputs, &fabric);
    let mut links = Links::new(&inputs, &fabric);
    let lcus = LogicalControlUnits::new(&inputs, &channels, &fabric, &ports, &mut links);
    let devices = Devices::new(&inputs, &lcus, &ports);
    let machine = Machine {
        inputs: &inputs,
        lpars: &lpars,
        channels: &channels,
        lcus: &lcus,
        devices: &devices,
        ports: &ports,
    };
    let streams = streams::streams(&machine);
    let disturbances = disturbances::disturbances(&inputs, &channels, &lcus, &interconnects);
    let (links, lcus) = links.number(lcus.into_lcus());
    let mut channels = channels.into_channels();
    let shares = shares::shares(&fabric, &interconnects, &mut channels);
    let diagnostics = inputs.into_diagnostics();
    let configuration = cpc.filter(|_| !has_errors(&diagnostics)).map(|cpc| Configuration {
        study: study.to_owned(),
        iocds: iocds(deck),
        cpc,
        basic: deck.is_basic(),
        lpars,
        channels,
        shares,
        links,
        ports: ports.into_ports(),
        lcus,
        devices: devices.into_devices(),
        streams,
        run: workload.run.clone(),
        disturbances,
    });
    Loaded { configuration, diagnostics }
}

/// The IOCDS name: the first characters of MSG1, empty without it (IOCP, ID statement).
fn iocds(deck: &Deck) -> String {
    let message = deck.msg1.as_ref().map(|message| message.value.as_str()).unwrap_or_default();
    message.chars().take(IOCDS_NAME_CHARACTERS).collect::<String>().trim_end().to_owned()
}
