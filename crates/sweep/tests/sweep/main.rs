//! Changes of keys, and the points that they make.

mod change;
mod generations;
mod head_room;
mod matrix;
mod points;
