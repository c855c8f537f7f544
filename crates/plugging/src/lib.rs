//! Places of cards: the I/O cards of a machine from a hardware file or a configuration report, PCHIDs led back to
//! frame, drawer, slot, port, domain, fanout and resource group, and assigned to the channel paths and functions of a
//! deck.
//!
//! The kinds of drawers and features are the catalog's; this crate opens no file.

mod adapter_limits;
mod advice;
mod ao_report;
mod ao_table;
mod availability;
mod cables;
mod columns;
mod deck_structure;
mod hardware;
mod hardware_file;
mod hardware_text;
mod map;
mod names;
pub mod resource_groups;
mod structure;
mod taken;

pub use advice::{advise, advise_parity, other_machine};
pub use ao_report::{is_ao_report, read_ao_report};
pub use ao_table::{Spread, ao_table, balance_line, spreads};
pub use cables::{CABLE_HEADS, Cable, FarEnd, FarEnds, cable_table, cables};
pub use columns::csv_line;
pub use deck_structure::{PhysicalChannel, physical_channel_table, physical_channels};
pub use hardware::{Address, Card, Hardware, Port};
pub use hardware_file::{read_hardware, read_hardware_file};
pub use hardware_text::hardware_text;
pub use map::{Assignment, Cost, MapOptions, Mapping, Subject, Unplaced, map, placed_at};
pub use names::name_of;
pub use structure::{Structure, structure_table};
