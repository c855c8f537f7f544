//! A logical unit: blocks with the state that commands see and change.

use halftrack_base::Span;

use crate::access_state::AccessState;
use crate::capacity;
use crate::command::Command;
use crate::identity::Identity;
use crate::inquiry::{self, UnitPages};
use crate::lba_status;
use crate::limits::{TRANSFER_BYTES_MAX, WRITE_SAME_BLOCKS_MAX};
use crate::log_pages;
use crate::logical_blocks::LogicalBlocks;
use crate::masking::Masking;
use crate::medium;
use crate::mode_commands::ModePages;
use crate::mode_parameters::ModeParameters;
use crate::nexus::Nexus;
use crate::operation::{Operation, Traits};
use crate::range::BlockRange;
use crate::report_luns;
use crate::request::Transfer;
use crate::reservation_report;
use crate::reservation_store::ReservationStore;
use crate::reservations::{Consequences, PERSIST_BYTE, Reservations, ReserveOut, SavedReservations};
use crate::response::Refusal;
use crate::sense::{Sense, SenseCode};
use crate::statistics::Statistics;
use crate::target_port_groups::TargetPortGroups;
use crate::task_set::TaskSet;
use crate::unit_attention::UnitAttentions;
use crate::unmap;

/// The surroundings of a command.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context<'a> {
    pub nexus: Nexus,
    pub ports: &'a TargetPortGroups,
    pub masking: &'a Masking,
    /// Data that the initiator has announced.
    pub transfer: Transfer,
    /// Time since the arrival of the command.
    pub elapsed: Span,
}

/// Outcome of the begin of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Begun {
    /// The command is done: data-in, and the bytes that it called for.
    DataIn(Vec<u8>, u64),
    /// The command goes on with data-out, of so many bytes.
    DataOut(Command, u64),
}

/// A logical unit.
#[derive(Debug)]
pub struct LogicalUnit<B> {
    blocks: B,
    identity: Identity,
    modes: ModeParameters,
    is_stopped: bool,
    reservations: Reservations,
    /// Without one, no reservations outlive a loss of power.
    store: Option<Box<dyn ReservationStore>>,
    /// Nexus that has the unit by RESERVE(6).
    reserved_by: Option<Nexus>,
    /// Consequences of the last command for others.
    pub(crate) consequences: Consequences,
    /// States of port groups that the last command demands.
    pub(crate) requested_states: Vec<(u16, AccessState)>,
    statistics: Statistics,
    pub(crate) attentions: UnitAttentions,
    pub(crate) tasks: TaskSet,
}

impl<B: LogicalBlocks> LogicalUnit<B> {
    /// Creates a unit with room for so many tasks, as after power on.
    pub fn new(blocks: B, identity: Identity, depth: usize) -> Self {
        Self {
            modes: ModeParameters::new(blocks.has_write_cache()),
            blocks,
            identity,
            is_stopped: false,
            reservations: Reservations::default(),
            store: None,
            reserved_by: None,
            consequences: Consequences::default(),
            requested_states: Vec::new(),
            statistics: Statistics::default(),
            attentions: UnitAttentions::default(),
            tasks: TaskSet::new(depth),
        }
    }

    /// Returns the blocks.
    pub const fn blocks(&self) -> &B {
        &self.blocks
    }

    /// Returns the blocks, for what is no command.
    pub const fn blocks_mut(&mut self) -> &mut B {
        &mut self.blocks
    }

    /// Gives the blocks back.
    pub fn into_blocks(self) -> B {
        self.blocks
    }

    /// Returns the mode parameters.
    pub(crate) const fn modes(&self) -> ModeParameters {
        self.modes
    }

    /// Returns to the state after power on, as a reset does.
    pub(crate) fn reset(&mut self) {
        self.modes = ModeParameters::new(self.blocks.has_write_cache());
        self.is_stopped = false;
        self.reserved_by = None;
        self.attentions.establish_for_others(None, SenseCode::RESET_FUNCTION);
    }

    /// Has persistent reservations stored from now on, and brings back those that `store` had.
    pub fn set_reservation_store(
        &mut self,
        store: Box<dyn ReservationStore>,
        saved: Option<SavedReservations>,
    ) {
        self.store = Some(store);
        self.reservations = saved.map_or_else(Reservations::default, Reservations::restored);
    }

    /// Ends the RESERVE(6) of a nexus that is gone; persistent reservations stay.
    pub(crate) fn lose_nexus(&mut self, nexus: Nexus) {
        if self.reserved_by == Some(nexus) {
            self.reserved_by = None;
        }
        self.attentions.establish(nexus, SenseCode::NEXUS_LOSS);
    }

    fn is_thin(&self) -> bool {
        self.blocks.space().is_some()
    }

    /// Checks a command, and carries out those without data-out.
    /// Data of a READ are put into `buffer`.
    pub(crate) fn begin(
        &mut self,
        cdb: &[u8],
        context: Context<'_>,
        buffer: &mut Vec<u8>,
    ) -> Result<Begun, Refusal> {
        let opcode = cdb.first().copied().unwrap_or(0);
        if !Operation::is_unchecked(opcode)
            && let Some(event) = self.attentions.take(context.nexus)
        {
            return Err(event.into());
        }
        let (command, operation) = Command::decode(cdb, self.is_thin())?;
        let traits = command.traits(operation);
        if let Some(code) = context.ports.state(context.nexus.target_port).refusal(traits) {
            return Err(code.into());
        }
        self.check_reservation(&command, traits, context.nexus)?;
        self.check_state(traits)?;
        if let Some(range) = command.range() {
            self.check_range(&command, range)?;
        }
        let bytes = command.data_out_bytes(self.blocks.block_bytes());
        if command.is_of_exact_length() && bytes != u64::from(context.transfer.promised()) {
            return Err(SenseCode::INVALID_FIELD_IN_CDB.into());
        }
        if bytes > 0 {
            return Ok(Begun::DataOut(command, bytes));
        }
        if let Command::Read { range } = command {
            let octets =
                medium::read(&mut self.blocks, range, context.transfer.room(), std::mem::take(buffer))?;
            self.statistics.reads.add(range.blocks, context.elapsed);
            return Ok(Begun::DataIn(octets, range.bytes(self.blocks.block_bytes())));
        }
        let mut data = self.data_in(&command, context)?;
        data.truncate(allocation(&command) as usize);
        self.finish(&command, context, &[])?;
        let bytes = data.len() as u64;
        Ok(Begun::DataIn(data, bytes))
    }

    /// Returns the data of a READ once more.
    pub(crate) fn read_again(&mut self, cdb: &[u8], room: u32) -> Option<Vec<u8>> {
        let Ok((Command::Read { range }, _)) = Command::decode(cdb, self.is_thin()) else { return None };
        range.check(self.blocks.blocks()).ok()?;
        medium::read(&mut self.blocks, range, room, Vec::new()).ok()
    }

    fn check_reservation(&self, command: &Command, traits: Traits, nexus: Nexus) -> Result<(), Refusal> {
        let is_of_other = self.reserved_by.is_some_and(|holder| holder != nexus);
        let passes = traits.contains(Traits::UNCHECKED) || *command == Command::Release6;
        if is_of_other && !passes || self.reservations.forbid(nexus, traits) {
            return Err(Refusal::Conflict);
        }
        Ok(())
    }

    fn check_state(&self, traits: Traits) -> Result<(), Refusal> {
        if self.is_stopped && traits.contains(Traits::READY) {
            return Err(SenseCode::STOPPED.into());
        }
        if traits.contains(Traits::WRITES) {
            if self.modes.write_protect {
                return Err(SenseCode::SOFTWARE_WRITE_PROTECTED.into());
            }
            if self.blocks.is_read_only() {
                return Err(SenseCode::WRITE_PROTECTED.into());
            }
        }
        Ok(())
    }

    fn check_range(&self, command: &Command, range: BlockRange) -> Result<(), Refusal> {
        let is_too_long = match *command {
            Command::SynchronizeCache { .. } | Command::PreFetch { .. } => false,
            // WSNZ is on: no blocks do not mean all blocks.
            Command::WriteSame { unmap, .. } => {
                range.blocks == 0 || range.blocks > WRITE_SAME_BLOCKS_MAX || unmap && !self.is_thin()
            }
            _ => range.bytes(self.blocks.block_bytes()) > TRANSFER_BYTES_MAX,
        };
        if is_too_long {
            return Err(SenseCode::INVALID_FIELD_IN_CDB.into());
        }
        range.check(self.blocks.blocks())
    }

    /// Returns the data-in of a command other than READ, before its allocation length.
    fn data_in(&mut self, command: &Command, context: Context<'_>) -> Result<Vec<u8>, Refusal> {
        Ok(match *command {
            Command::Inquiry { page: None, .. } => inquiry::standard(inquiry::DISK, Some(&self.identity)),
            Command::Inquiry { page: Some(page), .. } => {
                let port = context.ports.port(context.nexus.target_port);
                let (block_bytes, is_thin) = (self.blocks.block_bytes(), self.is_thin());
                let pages = UnitPages { identity: &self.identity, port, block_bytes, is_thin };
                pages.page(page).ok_or_else(|| Sense::of_cdb_byte(2))?
            }
            Command::RequestSense { descriptor, .. } => {
                let event = self.attentions.take(context.nexus).unwrap_or(SenseCode::NO_SENSE);
                Sense::from(event).to_bytes(descriptor)
            }
            Command::ReadCapacity10 => capacity::short(&self.blocks),
            Command::ReadCapacity16 { .. } => capacity::long(&self.blocks),
            Command::ReportLuns { select, .. } => report_luns::luns(context.masking, context.nexus, select),
            Command::GetLbaStatus { first, allocation } => lba_status::data(&self.blocks, first, allocation)?,
            Command::LogSense { selection, .. } => {
                log_pages::page(selection, self.statistics, self.blocks.space())?
            }
            Command::ReportTargetPortGroups { extended, .. } => context.ports.report(extended),
            Command::ReportSupportedOperations { selection, .. } => selection.report(self.is_thin())?,
            Command::ReserveIn { action, .. } => {
                reservation_report::data(&self.reservations, action, self.store.is_some())
            }
            Command::ModeSense { long, block_descriptor, selection, .. } => {
                self.mode_pages().sense(long, block_descriptor, selection)?
            }
            _ => Vec::new(),
        })
    }

    /// Carries out what a command does with data-out, or without any data.
    pub(crate) fn finish(
        &mut self,
        command: &Command,
        context: Context<'_>,
        data_out: &[u8],
    ) -> Result<(), Refusal> {
        let nexus = context.nexus;
        match *command {
            Command::Write { range, force_unit_access, verify } => {
                medium::write(&mut self.blocks, range.first, data_out)?;
                self.settle(force_unit_access || verify.is_some())?;
                let written = (data_out.len() / self.blocks.block_bytes() as usize) as u64;
                self.statistics.writes.add(written, context.elapsed);
                if let Some(comparison) = verify {
                    let range = BlockRange { blocks: written, ..range };
                    medium::verify(&mut self.blocks, range, comparison, data_out)?;
                }
            }
            Command::OrWrite { range, force_unit_access } => {
                medium::or_write(&mut self.blocks, range, data_out)?;
                self.settle(force_unit_access)?;
            }
            Command::Verify { range, comparison } => {
                medium::verify(&mut self.blocks, range, comparison, data_out)?;
            }
            Command::CompareAndWrite { range, force_unit_access } => {
                medium::compare_and_write(&mut self.blocks, range, data_out)?;
                self.settle(force_unit_access)?;
            }
            Command::WriteSame { range, unmap, .. } => self.write_same(range, unmap, data_out)?,
            Command::Unmap { .. } => self.unmap(data_out)?,
            Command::SynchronizeCache { .. } => self.blocks.flush()?,
            Command::StartStop { start, flush } => {
                if !start && flush {
                    self.blocks.flush()?;
                }
                self.is_stopped = !start;
            }
            Command::Reserve6 => self.reserved_by = Some(nexus),
            Command::Release6 if self.reserved_by == Some(nexus) => self.reserved_by = None,
            Command::SetTargetPortGroups { .. } => {
                self.requested_states = context.ports.requested(data_out)?
            }
            Command::ReserveOut(out) => self.change_reservations(nexus, out, data_out)?,
            Command::ModeSelect { long, list } if list > 0 => self.mode_select(long, nexus, data_out)?,
            _ => {}
        }
        Ok(())
    }

    /// Changes the persistent reservations, once the new ones are stored where they have to be.
    fn change_reservations(&mut self, nexus: Nexus, out: ReserveOut, list: &[u8]) -> Result<(), Refusal> {
        let mut changed = self.reservations.clone();
        let mut consequences = changed.change(nexus, out, list)?;
        match &mut self.store {
            Some(store) if changed.is_persistent || self.reservations.is_persistent => {
                store.store(changed.is_persistent.then_some(&changed.state))?;
            }
            None if changed.is_persistent => return Err(Sense::of_list_byte(PERSIST_BYTE).into()),
            _ => {}
        }
        self.reservations = changed;
        for (other, event) in consequences.attentions.drain(..) {
            self.attentions.establish(other, event);
        }
        self.consequences = consequences;
        Ok(())
    }

    /// Brings a write to stable storage unless it may wait in the cache.
    fn settle(&mut self, force_unit_access: bool) -> Result<(), Refusal> {
        if force_unit_access || !self.modes.write_cache {
            self.blocks.flush()?;
        }
        Ok(())
    }

    fn write_same(&mut self, range: BlockRange, unmap: bool, data_out: &[u8]) -> Result<(), Refusal> {
        let zeros = vec![0; self.blocks.block_bytes() as usize];
        let block = if data_out.is_empty() { &zeros } else { data_out };
        // Unmapped blocks read as zeros: others cannot be unmapped, and are written.
        if unmap && block == zeros {
            self.blocks.unmap(range.first, range.blocks)?;
        } else {
            medium::write_same(&mut self.blocks, range, block)?;
        }
        self.settle(false)
    }

    fn unmap(&mut self, list: &[u8]) -> Result<(), Refusal> {
        for range in unmap::ranges(list, self.blocks.blocks())? {
            self.blocks.unmap(range.first, range.blocks)?;
        }
        self.settle(false)
    }

    fn mode_pages(&self) -> ModePages {
        ModePages {
            current: self.modes,
            default: ModeParameters::new(self.blocks.has_write_cache()),
            is_read_only: self.blocks.is_read_only(),
            blocks: self.blocks.blocks(),
            block_bytes: self.blocks.block_bytes(),
        }
    }

    fn mode_select(&mut self, long: bool, nexus: Nexus, list: &[u8]) -> Result<(), Refusal> {
        let parameters = self.mode_pages().select(long, list)?;
        if self.modes.write_cache && !parameters.write_cache {
            self.blocks.flush()?;
        }
        self.modes = parameters;
        self.attentions.establish_for_others(Some(nexus), SenseCode::MODE_PARAMETERS_CHANGED);
        Ok(())
    }
}

/// Returns the room that a CDB leaves for data-in.
const fn allocation(command: &Command) -> u32 {
    match *command {
        Command::RequestSense { allocation, .. }
        | Command::Inquiry { allocation, .. }
        | Command::ReadCapacity16 { allocation }
        | Command::ReportLuns { allocation, .. }
        | Command::ReserveIn { allocation, .. }
        | Command::GetLbaStatus { allocation, .. }
        | Command::LogSense { allocation, .. }
        | Command::ReportTargetPortGroups { allocation, .. }
        | Command::ReportSupportedOperations { allocation, .. }
        | Command::ModeSense { allocation, .. } => allocation,
        _ => u32::MAX,
    }
}
