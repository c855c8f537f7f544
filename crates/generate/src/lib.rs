//! Studies of whole machines, written from a model and a few sizes: an IOCP deck, a plant and a workload as text. The
//! crate opens no file and depends on no simulation: the catalog and the limits of IOCP decide on the sizes.
//!
//! ```text
//! Request ─┐
//! Catalog ─┴─► Equipment ─► limits ─► Layout ─┬─► deck_text
//!                                             ├─► plant_text
//!                                             └─► workload_text
//! ```
//!
//! [`describe`] writes a deck alone, from a short description of its parts.

mod block;
mod channels;
mod deck_text;
mod description;
mod devices;
mod equipment;
mod header;
mod interconnects;
mod layout;
mod limits;
mod model_row;
mod partitions;
mod plant_text;
mod refusals;
mod request;
mod shares;
mod statement;
mod storage;
mod workload_text;
mod written;

pub use block::Block;
pub use description::describe;
pub use model_row::{ModelRow, models};
pub use request::{Load, Request};
pub use written::{Written, write};
