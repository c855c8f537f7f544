//! RMF reports, interval files and summaries of a run, computed from `record::Run` alone; never simulates,
//! never reads a clock and never reaches back into the machine.
//!
//! [`html_report()`] also takes the configuration that ran, whose topology it draws. Every table is made in two steps: a function computes rows (plain structs that serialise), another renders
//! them as text. [`mod@display`] answers operators' commands from what a study defines. [`postprocessor()`] gives the three reports of one system and interval in RMF's text form.

mod channel_path_activity;
mod direct_access_device_activity;
pub mod display;
mod error;
mod field;
mod formula;
mod html;
mod intervals_json;
mod io_queuing_activity;
mod measured;
mod page;
mod percentiles;
mod postprocessor;
mod quantity;
mod scope;
mod summary;
mod virtual_date;

#[cfg(test)]
mod golden;
#[cfg(test)]
mod several_machines;

pub use channel_path_activity::{ChannelFigures, ChannelPathActivity, ChannelRow, OperationFigures};
pub use direct_access_device_activity::{
    DeviceFigures, DeviceRow, DirectAccessDeviceActivity, LcuDevices, Response,
};
pub use error::MeasureError;
pub use html::html_report;
pub use intervals_json::{from_json, to_json};
pub use io_queuing_activity::{HyperPavFigures, IoQueuingActivity, IopRow, LcuRow, PathRow, RetryFigures};
pub use percentiles::{Percentiles, ResponsePercentiles};
pub use postprocessor::postprocessor;
pub use quantity::{Quantity, QuantityError, Unit, quantity, quantity_names, quantity_unit};
pub use scope::Scope;
pub use summary::{
    GuidelineWarning, RunSummary, StationUse, credit_words, overload_words, precision_words, summary,
};
