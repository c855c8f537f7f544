//! An independent, slow and obvious model of channel-program execution on a CKD volume, and the comparison of
//! the product with it on random programs.

mod areas;
mod ccw;
mod chain;
mod channel;
mod compare;
mod domain;
mod endings;
mod fault;
mod generator;
mod images;
mod line;
mod list_tracks;
mod parameters;
mod plan;
mod product;
mod reads;
mod run;
mod stand_in;
mod storage;
mod tidaws;
mod tracks;
mod transport;
mod transport_generator;
mod unit;
mod volume;
mod writes;
