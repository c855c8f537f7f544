//! Changes of keys, and the points that they make.

mod change;
mod generations;
mod head_room;
mod islink_work;
mod islinks;
mod matrix;
mod points;
mod serial_ctc;
