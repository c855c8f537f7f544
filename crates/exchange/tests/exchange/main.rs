//! Exchanges of both ends: plans, halves, ports, circuits and their faults.

mod circuits;
mod common;
mod faults;
mod halves;
mod plans;
mod ports;
