mod faults;
mod ids;
mod link;
