//! Exchanges of both ends: plans, halves, ports, circuits and their faults.

mod circuits;
mod common;
mod faults;
mod fcp;
mod fcp_target;
mod halves;
mod peer_states;
mod plans;
mod ports;
mod runs;
