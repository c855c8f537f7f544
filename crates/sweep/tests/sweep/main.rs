//! Changes of keys, and the points that they make.

mod change;
mod generations;
mod matrix;
mod points;
