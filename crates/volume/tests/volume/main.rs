//! Volumes: checked, cut off from power, made by other programs.

mod check;
mod ckd_volume;
mod compressed_power_cut;
mod dasdinit;
mod failed_barrier;
mod group_commit;
mod power_cut;
