//! Channel programs as text: assembled into storage, disassembled, run against a device, traced.
//! Never touches the machine of the twin or a file's format.
//!
//! ```text
//! text -> tokens -> statements -> fragments with places -> Program (storage, ORBs, what has to be seen)
//! Program + Device -> subchannel, step by step -> Report -> listing
//! Image (storage, ORBs) -> text
//! ```

mod assembly;
mod command_name;
mod content;
mod disassembly;
mod listing;
mod parameter;
mod run;
mod status_name;
mod text;

pub use assembly::program::{
    Check, Function, KeyedRange, PlacedCheck, Program, Segment, Step, View, assemble,
};
pub use disassembly::image::Image;
pub use disassembly::writer::{disassemble, disassemble_tccb};
pub use listing::assembly_listing::assembly_listing;
pub use listing::dump::dump;
pub use listing::run_listing::{ipl_listing, run_listing};
pub use run::ipl::{Ipl, Loaded, ipl, ipl_program};
pub use run::record::{
    DeviceEnding, Ending, Failed, Hex, Moved, Report, Shown, StepRecord, TraceKind, TraceRecord,
};
pub use run::running::{RunOptions, run};
pub use text::cursor::ReadFile;
