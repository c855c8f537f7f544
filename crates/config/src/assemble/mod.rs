//! From deck, plant, workload and catalog to one checked configuration, one concept a file.
//!
//! Every step takes the [`Inputs`], reports what does not agree, and goes on with what does, so that one run
//! shows every contradiction; one root cause gives one message.

mod adapters;
mod assumed_times;
mod attachment;
mod bridges;
mod bus;
mod caches;
mod channels;
mod circuits;
mod compressed_streams;
mod compression;
mod conversations;
mod devices;
mod disturbances;
mod eadm;
mod enclosures;
mod endpoint_security;
mod event_parts;
mod fabric;
mod fanout_slots;
mod fcp_subchannels;
mod hardware;
mod hardware_files;
mod initiators;
mod inputs;
mod interconnects;
mod islink_devices;
mod islinks;
mod key_manager;
mod laid_paths;
mod links;
mod logical_control_units;
mod lpar_size;
mod lpars;
mod luns;
mod networks;
mod plugging;
mod ports;
mod processor;
mod reach;
mod refused_paths;
mod roce_functions;
mod routes;
mod sap_placement;
mod shapes;
mod shares;
mod site;
mod smfids;
mod socket_routes;
mod speeds;
mod streams;
mod synchronous;
mod traces;
mod unit_addresses;

use std::collections::BTreeMap;
use std::sync::Arc;

use halftrack_catalog::{Catalog, STATIONS};
use halftrack_deck::model::Deck;
use halftrack_input::{Located, has_errors};
use halftrack_plugging::Hardware;

use crate::assemble::channels::Channels;
use crate::assemble::devices::Devices;
use crate::assemble::event_parts::EventParts;
use crate::assemble::fabric::Fabric;
use crate::assemble::inputs::Inputs;
use crate::assemble::interconnects::Interconnects;
use crate::assemble::links::Links;
use crate::assemble::logical_control_units::LogicalControlUnits;
use crate::assemble::luns::{LogicalUnits, Sources};
use crate::assemble::ports::Ports;
use crate::assemble::streams::Machine;
use crate::compression::Compression;
use crate::configuration::{Configuration, ServiceVariation, Stream};
use crate::conversations::Conversations;
use crate::cpc::Lpar;
use crate::load::Loaded;
use crate::logical_control_unit::Lcu;
use crate::plant::Plant;
use crate::workload_file::WorkloadFile;

/// Decks by file name.
pub type Decks = BTreeMap<String, Deck>;

/// Returns the configuration of `study` that the inputs make together, or every contradiction between them. A machine
/// of the plant without any of the `decks` gives neither.
///
/// The result does not depend on the order of statements and tables.
pub fn assemble(
    decks: &Decks,
    plant: &Plant,
    workload: &WorkloadFile,
    catalog: &Catalog,
    study: &str,
) -> Loaded {
    let Some(inputs) = Inputs::new(decks, plant, workload, catalog) else {
        return Loaded { configuration: None, site: None, diagnostics: Vec::new() };
    };
    let cpcs: Vec<_> = inputs.each().filter_map(|machine| processor::cpc(&machine)).collect();
    check_hardware(&inputs);
    let (lpars, hardware) = (lpars::lpars(&inputs), hardware_files::hardware(&inputs));
    let (interconnects, ports) = (Interconnects::new(&inputs), Ports::new(&inputs));
    let fabric = Fabric::new(&inputs, &ports);
    let (channels, mut links) = (Channels::new(&inputs, &fabric), Links::new(&inputs, &fabric));
    let lcus = LogicalControlUnits::new(&inputs, &channels, &fabric, &ports, &mut links);
    let devices = Devices::new(&inputs, &lcus, &ports);
    let sources = Sources::new(&inputs, &lpars, &channels, &fabric, &ports);
    let luns = LogicalUnits::new(&sources, &mut links, (lcus.all().len(), devices.len()));
    let all_lcus = [lcus.all(), luns.lcus()].concat();
    check_paths(&inputs, (&channels, &ports, &links), &lcus, (&lpars, &all_lcus));
    let synchronous = synchronous::synchronous(&inputs, &lpars, &ports);
    let islinks = islinks::islinks((&inputs, &lpars), (&channels, &fabric), &mut links);
    let machine = Machine {
        inputs: &inputs,
        lpars: &lpars,
        channels: &channels,
        lcus: &lcus,
        devices: &devices,
        luns: &luns,
        ports: &ports,
        synchronous: &synchronous,
    };
    let (streams, eadm) = (streams::streams(&machine), eadm::eadm(&inputs, &lpars));
    let work = beside_channels(&inputs, &lpars, &hardware, &streams);
    let disturbances =
        disturbances::disturbances(&EventParts::new(&machine, (&interconnects, &links), &work));
    let (security, service) = (endpoint_security::endpoint_security(&inputs), service_variation(&inputs));
    let site = site::site(&inputs, &hardware, (&channels, &fabric), (&ports, &lcus));
    let (links, lcus, islinks) = links.number(all_lcus, islinks);
    let key_manager = key_manager::key_manager(&inputs, &lcus);
    let (mut channels, plugs) = channels.into_channels(luns.initiators());
    let shares = shares::shares(&fabric, &interconnects, &plugs, &mut channels);
    let (diagnostics, (ports, box_shares)) = (inputs.into_diagnostics(), ports.into_ports());
    let configuration = (!has_errors(&diagnostics)).then(|| Configuration {
        study: study.to_owned(),
        cpcs,
        lpars,
        channels,
        shares,
        links,
        ports,
        box_shares,
        lcus,
        devices: [devices.into_devices(), luns.into_devices()].concat(),
        streams,
        eadm,
        compression: work.0,
        conversations: work.1,
        synchronous,
        islinks,
        endpoint_security: security,
        service,
        run: workload.run.clone(),
        disturbances,
        key_manager,
    });
    Loaded { site: configuration.is_some().then(|| Arc::new(site)), configuration, diagnostics }
}

/// Returns work that goes over no channel: on compression cards, and between partitions.
fn beside_channels(
    inputs: &Inputs<'_>,
    lpars: &[Lpar],
    hardware: &[Option<Hardware>],
    streams: &[Stream],
) -> (Compression, Conversations) {
    let compression = compression::compression(inputs, lpars, hardware, streams);
    (compression, conversations::conversations(inputs, lpars, hardware))
}

/// Reports what is wrong with the paths of `lcus`, which are disks, and of `all` of the partitions, which are logical units besides.
fn check_paths(
    inputs: &Inputs<'_>,
    (channels, ports, links): (&Channels<'_>, &Ports<'_>, &Links),
    lcus: &LogicalControlUnits,
    all: (&[Lpar], &[Lcu]),
) {
    bridges::check_load(inputs, channels, lcus.all());
    unit_addresses::check(inputs, lcus);
    endpoint_security::Paths::new(inputs, channels, ports, links, all).check();
}

/// Reports hardware that cannot be where it is, or do what it is set to.
fn check_hardware(inputs: &Inputs<'_>) {
    assumed_times::report(inputs);
    for machine in inputs.each() {
        plugging::check(&machine);
        fanout_slots::check(&machine);
        attachment::check(&machine);
    }
    endpoint_security::check(inputs);
    networks::check(inputs);
}

/// Returns the variation of service times, from the catalog.
fn service_variation(inputs: &Inputs<'_>) -> ServiceVariation {
    let stations = inputs.find(&inputs.catalog.services, &Located::new(STATIONS.to_owned(), 0..0));
    stations.map_or_else(ServiceVariation::default, |stations| ServiceVariation {
        channel_scv: stations.channel_scv.value,
        control_unit_scv: stations.control_unit_scv.value,
        sap_scv: stations.sap_scv.value,
    })
}
