//! The command as users meet it: the built binary, on studies of the repository and broken copies of them.

#[path = "../hercules/cards.rs"]
mod cards;
#[path = "../hercules/channel_program.rs"]
mod channel_program;
#[path = "../hercules/filled.rs"]
mod filled;
#[path = "../hercules/layout.rs"]
mod layout;

mod bad_input;
mod bench;
mod bench_link;
mod bench_volume;
mod book;
mod boxes;
mod browser;
mod deck;
mod deck_ctc;
mod deck_diff;
mod deck_draw;
mod deck_export;
mod deck_new;
mod deck_show;
mod director;
mod display;
mod drive;
mod eadm;
mod exec;
mod fex32s;
mod ficon_2002;
mod figures;
mod help;
mod machines_of_2002;
mod output;
mod overlay;
mod overload;
mod plugging;
mod precision;
mod processors;
mod published;
mod readme;
mod real_data;
mod report;
mod run;
mod same_bytes;
mod sap;
mod serve;
mod shuffle;
mod study_new;
mod support;
mod sweep;
mod trace;
mod twenty_lpars;
mod volume;
