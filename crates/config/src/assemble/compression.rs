//! Compression: the work of the workload, and the cards that decks and hardware files give its machines.

use halftrack_catalog::ZEDC;
use halftrack_input::messages::compression as numbers;
use halftrack_input::{Located, Severity, nearest_or_all};
use halftrack_plugging::Hardware;
use halftrack_zedc::sizing::CardSpeed;
use halftrack_zedc_twin::{Installation, Place, ReadStream};

use crate::assemble::inputs::Inputs;
use crate::compression::{CardMachine, CompressedStream, Compression, CompressionArrivals, CompressionWork};
use crate::configuration::Stream;
use crate::cpc::Lpar;

/// Value of TYPE= of functions of the cards.
const TYPE: &str = "ZEDC";

/// Returns cards of the files of `hardware` and work, that of `streams` too; what no machine can do is reported.
pub fn compression(
    inputs: &Inputs<'_>,
    lpars: &[Lpar],
    hardware: &[Option<Hardware>],
    streams: &[Stream],
) -> Compression {
    let read = &inputs.workload.compression;
    let mut work: Vec<_> = read.iter().filter_map(|one| find(inputs, lpars, one)).collect();
    work.extend((0..).zip(streams).filter_map(|(index, stream)| of_stream(index, stream)));
    work.sort_by(|a, b| a.name.cmp(&b.name));
    let has_work =
        |machine: &Inputs<'_>| work.iter().any(|one| lpars[one.lpar as usize].cpc == machine.machine);
    let users = inputs.each().zip(hardware).filter(|(machine, _)| has_work(machine));
    let machines: Vec<_> =
        users.filter_map(|(machine, hardware)| cards(&machine, hardware.as_ref())).collect();
    let without_io = read.iter().map(|one| (&one.partition, &one.stream.name));
    let compressed = inputs.workload.streams.iter().filter(|stream| stream.compression.is_some());
    for (partition, name) in without_io.chain(compressed.map(|stream| (&stream.lpar, &stream.name.value))) {
        let plan = lpars.iter().find(|lpar| lpar.name == partition.value);
        let plan = plan.and_then(|lpar| machines.iter().find(|machine| machine.cpc == lpar.cpc));
        if let Some(machine) = plan {
            warn_of_software(inputs, machine, partition, name);
        }
    }
    Compression { machines, work, software_mb_per_s: inputs.workload.software_mb_per_s }
}

/// Finds the partition of the work.
fn find(inputs: &Inputs<'_>, lpars: &[Lpar], read: &ReadStream) -> Option<CompressionWork> {
    let name = &read.partition.value;
    let found = lpars.iter().position(|lpar| lpar.name == *name);
    let plant = inputs.plant;
    // A partition that the plant has and the deck lacks has been reported there.
    if found.is_none() && plant.lpars.iter().all(|lpar| lpar.name.value != *name) {
        let message =
            format!("compression {} runs in {name}, but the plant has no such partition", read.stream.name);
        let names = plant.lpars.iter().map(|lpar| lpar.name.value.as_str());
        let error = inputs.in_workload(numbers::NO_COMPRESSION_LPAR, &read.partition.span, message);
        inputs.report(error.fix(nearest_or_all(name, names)));
    }
    let stream = &read.stream;
    let request = CompressedStream {
        exploiter: stream.exploiter,
        operation: stream.operation,
        plain_bytes: stream.request_bytes,
        ratio: stream.ratio,
    };
    found.map(|lpar| CompressionWork {
        lpar: lpar as u32,
        name: stream.name.clone(),
        arrivals: CompressionArrivals::Every(stream.between_arrivals()),
        request,
    })
}

/// Returns the work of stream `index`, if its data are compressed.
fn of_stream(index: u32, stream: &Stream) -> Option<CompressionWork> {
    let request = stream.compression?;
    let arrivals = CompressionArrivals::Stream(index);
    Some(CompressionWork { lpar: stream.lpar, name: stream.name.clone(), arrivals, request })
}

/// Returns the cards of a machine; none of one whose deck has no function of them.
fn cards(inputs: &Inputs<'_>, hardware: Option<&Hardware>) -> Option<CardMachine> {
    let mut functions = inputs.deck.functions.iter();
    let function = functions.find(|one| one.kind.as_ref().is_some_and(|kind| kind.value == TYPE));
    if let (Some(function), None, None) = (function, &hardware, &inputs.cpc.hardware) {
        let message = "the deck has functions of TYPE=ZEDC, but the plant names no hardware file";
        let error = inputs.in_plant(numbers::CARDS_UNKNOWN, &inputs.cpc.model.span, message);
        let error = error.other(inputs.deck_label(&function.fid.span, "one of the functions"));
        inputs.report(
            error.fix("add `hardware = \"hardware.toml\"` to the CPC, with the cards that are plugged"),
        );
        return None;
    }
    let none = Hardware::default();
    let installation = match Installation::new(inputs.deck, hardware.unwrap_or(&none)) {
        Ok(installation) => installation,
        Err(refused) => {
            let place = inputs.cpc.hardware.as_ref().map_or(&inputs.cpc.model.span, |name| &name.span);
            let error = inputs.in_plant(numbers::TOO_MANY_COMPRESSION_CARDS, place, refused.to_string());
            inputs.report(error.fix("take cards out of the hardware file"));
            return None;
        }
    };
    let Some(card) = inputs.catalog.features.get(ZEDC).and_then(|feature| feature.compression.as_ref())
    else {
        let message = format!("feature {ZEDC} of the catalog has no [compression]");
        let error = inputs.in_plant(numbers::CARDS_UNKNOWN, &inputs.cpc.model.span, message);
        inputs.report(error.fix("add it to your catalog file"));
        return None;
    };
    let speed = CardSpeed { mb_per_s: card.mb_per_s.value, setup_us: card.setup_us.value };
    Some(CardMachine { cpc: inputs.machine, speed, plan: installation.plan() })
}

/// Warns of work whose partition has no function on a card.
fn warn_of_software(inputs: &Inputs<'_>, machine: &CardMachine, partition: &Located<String>, work: &str) {
    let name = &partition.value;
    let is_served = machine.plan.functions.iter().any(|function| {
        function.partition.as_ref() == Some(name) && matches!(function.place, Place::Card(_))
    });
    if is_served {
        return;
    }
    let message = format!("no card serves partition {name}: software compresses all of {work}");
    let warning = inputs.in_workload(numbers::SOFTWARE_ONLY, &partition.span, message);
    let fix = "give the partition a FUNCTION of TYPE=ZEDC on a PCHID that the hardware file has";
    inputs.report(warning.severity(Severity::Warning).fix(fix));
}
