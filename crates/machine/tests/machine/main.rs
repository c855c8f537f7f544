//! Whole machines in virtual time: laws, metamorphic relations, determinism, disturbances.

mod site;

mod checkers;
mod determinism;
mod disturbances;
mod fidelity;
mod metamorphic;
mod response;
mod steady_state;
mod storm;
