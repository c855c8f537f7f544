//! The command as users meet it: the built binary, on studies of the repository and broken copies of them.

mod bad_input;
mod bench;
mod bench_volume;
mod book;
mod exec;
mod fex32s;
mod figures;
mod help;
mod large_site;
mod output;
mod overlay;
mod precision;
mod published;
mod readme;
mod real_data;
mod report;
mod run;
mod same_bytes;
mod shuffle;
mod support;
mod sweep;
