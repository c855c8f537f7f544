//! Channel programs as text: assembled into storage, disassembled, run against a device, traced.
//! Never touches the machine of the twin or a file's format.
