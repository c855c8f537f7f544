//! RMF reports, interval files and summaries of a run, computed from `record::Run` alone; never simulates,
//! never reads a clock and never reaches back into the machine.
//!
//! [`html_report()`] also takes the configuration that ran, whose topology it draws. Every table is made in two steps: a function computes rows (plain structs that serialise), another renders
//! them as text. [`mod@display`] answers operators' commands from what a study defines. [`postprocessor()`] gives the reports of one system and interval in RMF's text form.

mod channel_path_activity;
mod column;
mod columns;
mod direct_access_device_activity;
pub mod display;
mod eadm_activity;
mod error;
mod field;
mod figures;
mod formula;
mod frame;
mod html;
mod intervals_json;
mod io_queuing_activity;
mod islink_activity;
mod lcu_devices;
mod measured;
mod page;
mod pcie_activity;
mod percentiles;
mod postprocessor;
mod quantity;
mod records;
mod rows;
mod run_reports;
mod scope;
mod socket_activity;
mod summary;
mod synchronous_io_device_activity;
mod table;
mod virtual_date;

#[cfg(test)]
mod golden;
#[cfg(test)]
mod several_machines;

pub use channel_path_activity::{ChannelPathActivity, ChannelRow};
pub use direct_access_device_activity::{DeviceRow, DirectAccessDeviceActivity};
pub use eadm_activity::{EadmActivity, EadmRow};
pub use error::MeasureError;
pub use figures::Figures;
pub use frame::{
    Cells, Counts, Frame, FrameColumn, FrameDefinition, FrameError, Grain, Numbers, Texts, frame, frames,
};
pub use html::{html_report, topology_svg};
pub use intervals_json::{from_json, to_json};
pub use io_queuing_activity::{IoQueuingActivity, IopRow, LcuRow, PathRow};
pub use islink_activity::{IsLinkActivity, IsLinkDeviceRow, IsLinkRows, IsLinkWorkRow};
pub use lcu_devices::LcuDevices;
pub use pcie_activity::{CompressionRow, PcieActivity, PcieFunctionRow};
pub use percentiles::{Percentiles, ResponsePercentiles};
pub use postprocessor::postprocessor;
pub use quantity::{
    Quantity, QuantityError, Unit, quantities, quantities_with, quantity, quantity_definition,
    quantity_names, quantity_unit,
};
pub use run_reports::{RunReports, listing};
pub use scope::Scope;
pub use socket_activity::{ConversationRow, SocketActivity};
pub use summary::{
    GuestPass, GuidelineWarning, RecoverySummary, RelocatedGuest, RunSummary, StationUse, credit_words,
    overload_words, precision_words, summary,
};
pub use synchronous_io_device_activity::{SynchronousDeviceRow, SynchronousIoDeviceActivity};
pub use table::QuantityDefinition;
