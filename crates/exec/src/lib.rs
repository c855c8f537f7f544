//! Channel programs as text: assembled into storage, disassembled, run against a device, traced.
//! Never touches the machine of the twin or a file's format.
//!
//! ```text
//! text -> tokens -> statements -> things with places -> Program (storage, ORBs, what has to be seen)
//! ```

mod assembly;
mod command_name;
mod content;
mod disassembly;
pub mod message;
mod parameter;
mod status_name;
mod text;

pub use assembly::program::{
    Check, Function, KeyedRange, PlacedCheck, Program, Segment, Step, View, assemble,
};
pub use disassembly::image::Image;
pub use disassembly::writer::{disassemble, disassemble_tccb};
pub use text::cursor::ReadFile;
