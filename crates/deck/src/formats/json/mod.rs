//! A deck as JSON, form 1.
//!
//! The form is stable: members are added, never renamed or taken away. Numbers that decks write in hexadecimal are
//! strings of capital digits with the width of IOCP's reports; counts are numbers. What is not coded is `null` or
//! an empty list. `at` is a place in the file as read: card and column, both from 1.

mod channel;
mod function;
mod message;
mod unit;

use halftrack_input::{SourceFile, has_errors};
use serde::Serialize;

pub use self::message::MessageRecord;

use self::channel::ChannelRecord;
use self::function::FunctionRecord;
use self::unit::{ControlUnitRecord, DeviceRecord};
use crate::model::selection::Selection;
use crate::model::{Deck, Partition};
use crate::reading::Reading;
use crate::syntax::encoding::DeckFile;

/// Number of the form.
const FORM: u8 = 1;

/// A place in the file.
#[derive(Debug, Serialize)]
struct At {
    card: usize,
    column: usize,
}

impl At {
    fn of(source: &SourceFile, place: usize) -> Self {
        let (card, column) = source.position(place);
        Self { card, column }
    }
}

/// A partition of a channel subsystem, by name.
#[derive(Debug, Serialize)]
struct Holder<'a> {
    css: u8,
    name: &'a str,
}

fn holders<'a>(list: impl IntoIterator<Item = &'a (u8, String)>) -> Vec<Holder<'a>> {
    list.into_iter().map(|(css, name)| Holder { css: *css, name }).collect()
}

#[derive(Debug, Serialize)]
struct Source<'a> {
    name: &'a str,
    encoding: &'static str,
    records: &'static str,
    cards: usize,
}

#[derive(Debug, Serialize)]
struct MachineRecord {
    r#type: u16,
    name: &'static str,
    level: Option<u8>,
    assumed: bool,
}

#[derive(Debug, Default, Serialize)]
struct Identity<'a> {
    msg1: Option<&'a str>,
    msg2: Option<&'a str>,
    /// Machine of SYSTEM=, which need not be the machine that was checked.
    system: Option<u16>,
    level: Option<u8>,
    lsystem: Option<&'a str>,
    token: Option<&'a str>,
}

impl<'a> Identity<'a> {
    fn of(deck: &'a Deck) -> Self {
        let id = &deck.id;
        let words = |value: &'a Option<halftrack_input::Located<String>>| {
            value.as_ref().map(|one| one.value.as_str())
        };
        Self {
            msg1: words(&id.msg1),
            msg2: words(&id.msg2),
            system: id.machine_type.as_ref().map(|one| one.value),
            level: id.level.as_ref().map(|one| one.value),
            lsystem: words(&id.lsystem),
            token: words(&id.token),
        }
    }
}

#[derive(Debug, Serialize)]
struct PartitionRecord<'a> {
    css: u8,
    /// `null` in BASIC mode.
    mif: Option<String>,
    /// `null` for a reserved partition.
    name: Option<&'a str>,
    at: At,
}

impl<'a> PartitionRecord<'a> {
    fn of(source: &SourceFile, partition: &'a Partition) -> Self {
        Self {
            css: partition.css,
            mif: (partition.mif > 0).then(|| format!("{:X}", partition.mif)),
            name: partition.name.as_deref(),
            at: At::of(source, partition.span.start),
        }
    }
}

#[derive(Debug, Serialize)]
struct DeviceSlots<'a> {
    css: u8,
    sets: &'a [u32],
}

/// A card of HCD.
#[derive(Debug, Serialize)]
struct AnnotationRecord<'a> {
    text: &'a str,
    statement: Option<&'a str>,
    at: At,
}

/// The whole.
#[derive(Debug, Serialize)]
struct Form<'a> {
    deck: u8,
    source: Source<'a>,
    machine: MachineRecord,
    valid: bool,
    id: Identity<'a>,
    partitions: Vec<PartitionRecord<'a>>,
    device_slots: Vec<DeviceSlots<'a>>,
    uuid: Vec<Holder<'a>>,
    channel_paths: Vec<ChannelRecord<'a>>,
    control_units: Vec<ControlUnitRecord<'a>>,
    devices: Vec<DeviceRecord<'a>>,
    functions: Vec<FunctionRecord<'a>>,
    annotations: Vec<AnnotationRecord<'a>>,
    messages: Vec<MessageRecord<'a>>,
}

/// Returns the part of the deck that `selection` leaves, with all messages. `reading` is that of `file`.
pub fn json(file: &DeckFile, reading: &Reading, selection: &Selection<'_>) -> String {
    let deck = selection.deck;
    let source = &*file.source;
    let annotations = deck.annotations();
    let form = Form {
        deck: FORM,
        source: Source {
            name: &source.name,
            encoding: file.encoding.name(),
            records: file.records.name(),
            cards: reading.script.cards.len(),
        },
        machine: MachineRecord {
            r#type: reading.machine.machine_type,
            name: reading.machine.name,
            level: deck.level(),
            assumed: reading.assumed,
        },
        valid: !has_errors(&reading.diagnostics),
        id: Identity::of(deck),
        partitions: selection.partitions().map(|one| PartitionRecord::of(source, one)).collect(),
        device_slots: deck.device_slots.iter().map(|(css, sets)| DeviceSlots { css: *css, sets }).collect(),
        uuid: holders(&deck.uuid),
        channel_paths: selection
            .channel_paths()
            .map(|(channel, css)| ChannelRecord::of(selection, &annotations, channel, css))
            .collect(),
        control_units: selection
            .control_units()
            .map(|unit| ControlUnitRecord::of(selection, &annotations, unit))
            .collect(),
        devices: selection.devices().map(|range| DeviceRecord::of(source, &annotations, range)).collect(),
        functions: selection
            .functions()
            .map(|function| FunctionRecord::of(source, &annotations, function))
            .collect(),
        annotations: selection
            .annotations(&annotations)
            .map(|one| AnnotationRecord {
                text: &one.text,
                statement: one.subject.as_deref(),
                at: At::of(source, one.span.start),
            })
            .collect(),
        messages: reading.diagnostics.iter().map(MessageRecord::of).collect(),
    };
    serde_json::to_string_pretty(&form).expect("plain records serialise") + "\n"
}
