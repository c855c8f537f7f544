//! Laws of whole machines.

mod answers;
mod data;
mod fairness;
mod loss;
