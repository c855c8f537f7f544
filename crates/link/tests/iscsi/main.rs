//! The SCSI target before foreign initiators, by a thin iSCSI gateway over the same code: iscsi-test-cu of libiscsi, and a file
//! system that qemu-img carries.

mod gateway;
mod rig;
mod thin_file;
