//! Hardware generations as data: reads and checks `catalog/KIND/ID.toml`, built in or the user's own.
//!
//! It computes nothing from the numbers but those that a card or model in short form leaves to its family, and has no
//! code for their use. Every number has its origin ([`halftrack_input::Origin`]).

mod builtin;
mod catalog;
mod hardware;
mod ledger;
mod link_speeds;
mod shelf;

pub use catalog::Catalog;
pub use hardware::attachment::{Attachment, ExcessLength, Reach};
pub use hardware::between::Interpolation;
pub use hardware::bridge::Bridge;
pub use hardware::by_unit::ByUnit;
pub use hardware::channel::{CardLimits, Channel, ChannelSpeed, ChannelTransport, ChannelWork, PricedWork};
pub use hardware::circuit::CircuitInterface;
pub use hardware::common_numbers::Guideline;
pub use hardware::compression::{Compression, ZEDC};
pub use hardware::compression_family::{CompressionFamily, Payer};
pub use hardware::control_unit::{ControlUnit, ControlUnitTransport, cache_tracks};
pub use hardware::cpc::{Cpc, Plugging};
pub use hardware::director::Director;
pub use hardware::enclosure::Enclosure;
pub use hardware::fcp::ChannelFcp;
pub use hardware::feature::Feature;
pub use hardware::fibre::{Fibre, SINGLE_MODE};
pub use hardware::firmware::Firmware;
pub use hardware::growth::Growth;
pub use hardware::held_bus::{HeldBus, HeldBusFamily};
pub use hardware::interconnect::{Domain, Fanout};
pub use hardware::io_drawer::IoDrawer;
pub use hardware::link_generation::{CodeRate, Coding, LinkGeneration};
pub use hardware::multiplexer::Multiplexer;
pub use hardware::native_pcie::NativePcie;
pub use hardware::prices::Prices;
pub use hardware::processor::{Eadm, Image, Processor, ProcessorNumbers};
pub use hardware::roce_network::{ROCE, RoceNetwork};
pub use hardware::security::{ESP, Security};
pub use hardware::service::{STATIONS, Service};
pub use hardware::shares::Shares;
pub use hardware::speed::Speed;
pub use hardware::structure::{Printed, Structure};
pub use hardware::synchronous::{Synchronous, ZHYPERLINK};
pub use hardware::transport::{SMC_R, TCP, Transport};
pub use hardware::volume::Volume;
pub use ledger::Parameter;
pub use shelf::{Hardware, Shelf};
