//! Whole machines in virtual time: laws, metamorphic relations, determinism, disturbances.

mod site;

mod boxes;
mod bridge;
mod cache;
mod capture;
mod checkers;
mod circuits;
mod credit_reach;
mod determinism;
mod disturbances;
mod failures;
mod fidelity;
mod frame_loss;
mod header_queue;
mod held_bus;
mod hit_ratio;
mod hung_ports;
mod inter_switch_links;
mod iops;
mod mean_value_analysis;
mod metamorphic;
mod operators;
mod parallel;
mod programs;
mod real_data;
mod response;
mod response_times;
mod run_length;
mod several_machines;
mod shares;
mod steady_state;
mod storm;
mod synchronous;
mod trace;
