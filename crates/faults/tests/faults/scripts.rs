//! Scripts: written, read back, refused.
