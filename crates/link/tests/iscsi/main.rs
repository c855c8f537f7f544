//! The SCSI target before foreign initiators, by a thin iSCSI gateway over the same code: iscsi-test-cu of libiscsi, and a file
//! system that qemu-img carries.

mod expected;
mod file_system;
mod gateway;
mod initiator;
mod rig;
mod sessions;
mod suites;
mod thin_file;
mod tools;
