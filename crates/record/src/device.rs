//! Device counters (SMF type 74-1) and logical-control-unit counters (SMF type 78-3).

use serde::{Deserialize, Serialize};

use crate::zero::is_zero;
use crate::{ResponseTimes, SynchronousIo};

/// One base device, its aliases' work included, as one system saw it in one interval.
///
/// Response of an I/O = IOSQ + PEND + DISC + CONN; command response (CMR) and device busy delay are parts of
/// PEND, interrupt delay is in none of them (RMF's definitions).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DeviceInterval {
    /// Partition name.
    pub lpar: String,
    /// Subchannel set of the base.
    pub subchannel_set: u8,
    /// Device number.
    pub number: u16,
    /// Device type as RMF prints it, such as `33909`.
    pub device_type: String,
    /// Cylinders of the volume.
    pub cylinders: u32,
    /// Volume serial.
    pub volser: String,
    /// Storage group; empty when none.
    pub storage_group: String,
    /// Number of the logical control unit.
    pub lcu: u16,
    /// True when HyperPAV aliases serve the base.
    pub hyperpav: bool,
    /// I/Os whose measured times are in the sums below (SSC and MEC are equal here).
    pub completed: u64,
    /// Time waiting for a base or alias, ps.
    pub iosq_ps: u64,
    /// Pending time, ps.
    pub pend_ps: u64,
    /// Initial command response time, part of pending, ps.
    pub cmr_ps: u64,
    /// Device busy delay, part of pending, ps.
    pub device_busy_ps: u64,
    /// Interrupt delay, ps.
    pub interrupt_ps: u64,
    /// Disconnect time, ps.
    pub disc_ps: u64,
    /// Connect time, ps.
    pub conn_ps: u64,
    /// Integral over the interval of exposures (base and bound aliases) in use, ps·exposures.
    pub exposures_ps: u64,
    /// Integral over the interval of time during which at least one exposure was in use, ps.
    pub in_use_ps: u64,
    /// Synchronous I/O; `None` where no stream of the system requests any of the device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub synchronous: Option<SynchronousIo>,
    /// Name of the set that it is a SCSI logical unit of, its number being the unit's; `None` for a device of FICON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub luns: Option<String>,
}

/// One logical control unit as one system saw it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LcuInterval {
    /// Partition name.
    pub lpar: String,
    /// LCU number (the lowest control-unit number of the group).
    pub lcu: u16,
    /// Control units of the LCU.
    pub control_units: Vec<u16>,
    /// Per path, by CHPID.
    pub paths: Vec<LcuPath>,
    /// Requests that found neither base nor alias free.
    pub alias_waits: u64,
    /// Requests in all.
    pub requests: u64,
    /// Highest number of aliases in use at once.
    pub aliases_in_use_max: u32,
    /// Aliases that its devices share; 0 without any, and in files of older runs.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub aliases: u32,
    /// Sum of connect, disconnect and command-response time of its devices, ps.
    pub open_exchange_ps: u64,
    /// Sum of connect time, ps.
    pub connect_ps: u64,
    /// Starts that found no path free and were put on the control-unit-header queue (QCT); FICON has none of it but for
    /// control-unit busy.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub queued: u64,
    /// Sum over those of the length of the queue that they found, themselves included (QSM).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub queue_sum: u64,
    /// From START SUBCHANNEL to the first attempt, of all starts (CSST), ps; `None` in files of runs that did not count it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub css_delay_ps: Option<u64>,
    /// Response times of the I/Os of its devices; empty in files of runs that did not count them.
    #[serde(default, skip_serializing_if = "ResponseTimes::is_empty")]
    pub response_times: ResponseTimes,
    /// Name of the set of SCSI logical units that it stands for; `None` for a logical control unit of FICON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub luns: Option<String>,
}

/// One channel path of a logical control unit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LcuPath {
    /// CHPID.
    pub chpid: u8,
    /// Operations that took this path.
    pub taken: u64,
    /// Times a port of a director was busy; zero on FICON, which waits for its turn there.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub director_port_busy: u64,
    /// Times the control unit answered busy.
    pub control_unit_busy: u64,
    /// Time spent after control-unit busy until redriven, ps.
    pub control_unit_busy_ps: u64,
    /// Command response time, ps.
    pub cmr_ps: u64,
    /// Online at the end of the interval.
    pub online: bool,
}
