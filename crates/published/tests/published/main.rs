//! Figures, experiments and studies of a directory: read together, and answered by runs.

mod bridge;
mod computed;
mod directory;
mod endpoint_security;
mod islinks;
mod library;
mod scoreboard;
mod smcr;
