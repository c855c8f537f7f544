//! Two processes exchange a stream over two links of RoCE.

mod capture;
mod pair;
mod reuse;
