mod faults;
mod ids;
mod link;
mod memory;
