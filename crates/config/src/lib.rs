//! Plant, workload and channel files, and the checked [`Configuration`] that they make together with a deck and the
//! catalog; never behaviour, and never a number about hardware that the catalog does not give.
//!
//! ```text
//! deck.iocp ─┐
//! plant.toml ├─ load ─► Configuration, or every message about all files
//! workload.toml ┤   ▲
//! traces (.csv) ┘   │
//! catalog ──────────┘
//!
//! channel.toml ─ read_channel ─► ChannelFile
//! control-unit.toml ─ read_control_unit ─► ControlUnitFile
//! director.toml ─ read_director ─► DirectorFile
//! faults.toml ─ read_script ─► ScriptFile
//! ```

mod assemble;
mod byte_size;
mod card_misfit;
pub mod channel_file;
mod channel_plug;
mod compression;
pub mod configuration;
pub mod control_unit_file;
mod conversations;
mod cpc;
mod cpc_name;
mod credits;
mod data_path;
mod device_range;
pub mod director_file;
mod disturbance;
mod eadm;
mod endpoint_security;
pub mod fault_script;
mod fcp;
mod frame_errors;
pub mod identity;
mod islink;
pub mod islink_file;
mod key_manager;
pub mod link_access;
mod link_place;
mod load;
mod locality;
mod logical_control_unit;
mod place;
pub mod plant;
mod sample;
mod share;
mod share_ppm;
mod site;
mod study_files;
mod synchronous;
mod trace;
mod trace_file;
mod unique;
mod unit_range;
pub mod workload_file;

pub use assemble::{Decks, assemble};
pub use card_misfit::CardMisfit;
pub use channel_file::{ChannelFile, read_channel};
pub use channel_plug::ChannelPlug;
pub use compression::{CardMachine, CompressedStream, Compression, CompressionArrivals, CompressionWork};
pub use configuration::*;
pub use control_unit_file::{ControlUnitFile, read_control_unit};
pub use conversations::{Conversation, Conversations, PATHS, RoceFunction, SocketPath};
pub use cpc::{Cpc, DefinitionFile, Eadm, Lpar, SapCore, Subsystem};
pub use cpc_name::CpcName;
pub use data_path::{DataPath, HeldBus};
pub use device_range::DeviceRange;
pub use director_file::{DirectorFile, read_director};
pub use disturbance::{Disturbance, DisturbanceKind, Part};
pub use eadm::{EADM_KINDS, EadmKind, EadmWork};
pub use endpoint_security::{EndpointSecurity, KeyServer};
pub use fcp::{FcpChannel, Initiator, Luns};
pub use frame_errors::{BIT_ERROR_RATE_MAX, ErrorUnit, FrameErrors};
pub use identity::ChannelIdentity;
pub use islink::{IsLink, IsLinkDevice, IsLinkFlow, IsLinkRelocation, IsLinkRequests, IsLinkWork};
pub use key_manager::KeyManager;
pub use link_place::LinkPlace;
pub use load::{Loaded, configure, load, plant_messages, workload_messages};
pub use locality::Locality;
pub use logical_control_unit::{Lcu, Path, PathGroup, RoutePair};
pub use place::{AdapterPort, DirectorPort, Place};
pub use plant::{Plant, read_plant};
pub use sample::Sample;
pub use share::Share;
pub use site::{ChannelSite, DeckPath, MachineSite, PathPlace, Site, StorageSite};
pub use study_files::StudyFiles;
pub use synchronous::{Directions, SynchronousIo, SynchronousLink, SynchronousRequest, SynchronousStream};
pub use trace::{Trace, TraceRow};
pub use trace_file::{TraceLine, read_trace};
pub use unit_range::UnitRange;
pub use workload_file::{WorkloadFile, read_workload};
