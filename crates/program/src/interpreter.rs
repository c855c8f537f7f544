//! Runs channel programs: fetches their control words from storage, has the device execute them, and moves the data
//! between the device and the areas that they describe.
//!
//! ```text
//! command mode     CommandRun ─ next CCW ─► CcwWalk      ─ areas of one command ─► CommandAreas
//! transport mode   TransportRun ─ TCW, TCCB ─ pieces ─► TidawList ─ areas ─► TransportAreas
//! ```
//!
//! Data move straight between storage and the device's buffers. For every program the work of one start is bounded:
//! by the CCWs that it may fetch, by the counts of its control words, and by the data of the device.

mod ccw_walk;
mod command_areas;
mod command_run;
mod piece;
mod tidaw_list;
mod transport_areas;
mod transport_run;

pub use ccw_walk::{BACKWARD_TRANSFERS_MAXIMUM, CCWS_MAXIMUM};
pub(crate) use command_run::{CommandOrb, CommandOutcome, CommandRun};
pub(crate) use transport_run::{TransportOrb, TransportOutcome, run_transport};

use crate::device::SENSE_BYTES;
use crate::scsw::DeferredCondition;
use crate::status::{DeviceStatus, SubchannelStatus};
use crate::storage::StorageFault;

/// How a run of a program ended, as far as both modes have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChannelEnding {
    pub(crate) deferred: DeferredCondition,
    pub(crate) device_status: DeviceStatus,
    pub(crate) subchannel_status: SubchannelStatus,
    pub(crate) sense: Option<[u8; SENSE_BYTES]>,
}

impl ChannelEnding {
    /// Creates an ending that the channel found by itself; `device_status` is what the device had presented before.
    pub(crate) const fn by_channel(status: SubchannelStatus, device_status: DeviceStatus) -> Self {
        Self { deferred: DeferredCondition::Normal, device_status, subchannel_status: status, sense: None }
    }
}

/// Returns the check that a fault in fetching a control word is.
pub(crate) const fn control_check(fault: StorageFault) -> SubchannelStatus {
    match fault {
        StorageFault::Addressing => SubchannelStatus::PROGRAM_CHECK,
        StorageFault::Protection => SubchannelStatus::PROTECTION_CHECK,
        StorageFault::CheckingBlock => SubchannelStatus::CHANNEL_CONTROL_CHECK,
    }
}

/// Returns the check that a fault in moving data is.
pub(crate) const fn data_check(fault: StorageFault) -> SubchannelStatus {
    match fault {
        StorageFault::Addressing => SubchannelStatus::PROGRAM_CHECK,
        StorageFault::Protection => SubchannelStatus::PROTECTION_CHECK,
        StorageFault::CheckingBlock => SubchannelStatus::CHANNEL_DATA_CHECK,
    }
}
