//! The definitions of the statements read so far: the state against which later statements are checked.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use halftrack_input::SourceFile;

use crate::model::channel_types::ChannelType;
use crate::model::css_list::CssScope;
use crate::model::machines::Machine;
use crate::model::partitions::{PartitionSet, Partitions};
use crate::model::{ChannelPath, ControlUnit, Deck, DeviceRange, Function, IdStatement};
use crate::rules::channel_load::ChannelLoad;
use crate::rules::device_counts::DeviceCounts;
use crate::rules::device_numbers::DeviceNumbers;
use crate::rules::functions::FunctionUse;
use crate::rules::links::LinkUse;

/// A channel path as the rules need it.
#[derive(Debug)]
pub(crate) struct Channel {
    pub(crate) path: ChannelPath,
    /// Properties of its type; `None` for an unknown type.
    pub(crate) kind: Option<&'static ChannelType>,
    /// Partitions with access.
    pub(crate) access: PartitionSet,
    /// Its statement had no error, so that later rules may build on it.
    pub(crate) sound: bool,
}

/// A control unit as the rules need it.
#[derive(Debug)]
pub(crate) struct Unit {
    pub(crate) definition: ControlUnit,
    /// For each path, its channel; `None` when it is not defined.
    pub(crate) channels: Vec<Option<usize>>,
    /// Its statement had no error.
    pub(crate) sound: bool,
}

/// Everything defined so far.
#[derive(Debug)]
pub(crate) struct Definitions {
    pub(crate) machine: &'static Machine,
    pub(crate) id: IdStatement,
    /// Device slots of each CSS, by subchannel set.
    pub(crate) device_slots: Vec<(u8, Vec<u32>)>,
    pub(crate) uuid: Vec<(u8, String)>,
    pub(crate) functions: Vec<Function>,
    pub(crate) function_use: FunctionUse,
    pub(crate) counts: DeviceCounts,
    /// The missing LSYSTEM has been reported.
    pub(crate) lsystem_missed: bool,
    pub(crate) partitions: Partitions,
    pub(crate) channels: Vec<Channel>,
    /// Channel by (CSS, CHPID).
    pub(crate) channel_index: BTreeMap<(u8, u8), usize>,
    /// Where a PCHID or VCHID, with its port, was taken.
    pub(crate) physical: BTreeMap<(&'static str, u16, u8), Range<usize>>,
    pub(crate) units: Vec<Unit>,
    /// Control unit by number.
    pub(crate) unit_index: BTreeMap<u16, usize>,
    pub(crate) devices: Vec<DeviceRange>,
    /// A CHPID statement had errors: undefined channels are no news.
    pub(crate) channel_errors: bool,
    /// A CNTLUNIT statement had errors: undefined control units are no news.
    pub(crate) unit_errors: bool,
    /// Channels and control units already reported as undefined.
    pub(crate) undefined_channels: BTreeSet<(u8, u8)>,
    pub(crate) undefined_units: BTreeSet<u16>,
    pub(crate) load: ChannelLoad,
    pub(crate) links: LinkUse,
    pub(crate) numbers: DeviceNumbers,
}

impl Definitions {
    /// Begins without any definition, on `machine`.
    pub(crate) fn new(machine: &'static Machine) -> Self {
        Self {
            machine,
            id: IdStatement::default(),
            device_slots: Vec::new(),
            uuid: Vec::new(),
            functions: Vec::new(),
            function_use: FunctionUse::default(),
            counts: DeviceCounts::default(),
            lsystem_missed: false,
            partitions: Partitions::default(),
            channels: Vec::new(),
            channel_index: BTreeMap::new(),
            physical: BTreeMap::new(),
            units: Vec::new(),
            unit_index: BTreeMap::new(),
            devices: Vec::new(),
            channel_errors: false,
            unit_errors: false,
            undefined_channels: BTreeSet::new(),
            undefined_units: BTreeSet::new(),
            load: ChannelLoad::default(),
            links: LinkUse::default(),
            numbers: DeviceNumbers::default(),
        }
    }

    /// Returns the meaning of CSS tags after RESOURCE.
    pub(crate) fn scope(&self) -> CssScope<'_> {
        CssScope {
            machine: self.machine,
            partitions: Some(&self.partitions),
            untagged: self.partitions.untagged_css(),
        }
    }

    /// Builds the deck of these definitions, for the limits level `asked`.
    pub(crate) fn into_deck(self, source: &Arc<SourceFile>, asked: Option<u8>) -> Deck {
        let is_coded = self.id.machine_type.as_ref().is_none_or(|one| one.value == self.machine.machine_type);
        let coded = self.id.level.as_ref().map(|level| level.value).filter(|_| is_coded);
        Deck {
            source: Arc::clone(source),
            machine: self.machine,
            level: asked.or(coded),
            id: self.id,
            device_slots: self.device_slots,
            uuid: self.uuid,
            functions: self.functions,
            partitions: self.partitions.into_list(),
            channel_paths: self.channels.into_iter().map(|channel| channel.path).collect(),
            control_units: self.units.into_iter().map(|unit| unit.definition).collect(),
            devices: self.devices,
        }
    }
}
