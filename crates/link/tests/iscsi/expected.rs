//! Suites of iscsi-test-cu, and the tests whose outcome is not to pass.

use crate::rig::{LONG_UNIT, SHORT_UNIT};

/// Tests that have the same outcome for the same reason.
#[derive(Debug)]
pub struct Expected {
    /// Units.
    pub units: &'static [u32],
    /// Suite and tests.
    pub suite: &'static str,
    pub tests: &'static [&'static str],
    /// They fail; otherwise they are skipped.
    pub fails: bool,
    /// Reason that the program prints, or a part of the assertion that fails.
    pub printed: &'static str,
}

const fn skipped(suite: &'static str, tests: &'static [&'static str], printed: &'static str) -> Expected {
    Expected { units: &[SHORT_UNIT, LONG_UNIT], suite, tests, fails: false, printed }
}

/// Every suite for SCSI and for iSCSI, with the number of its tests.
pub const SUITES: [(&str, usize); 51] = [
    ("SCSI.CompareAndWrite", 5),
    ("SCSI.ExtendedCopy", 6),
    ("SCSI.GetLBAStatus", 3),
    ("SCSI.Inquiry", 7),
    ("SCSI.Mandatory", 1),
    ("SCSI.ModeSense6", 5),
    ("SCSI.NoMedia", 1),
    ("SCSI.OrWrite", 6),
    ("SCSI.Prefetch10", 4),
    ("SCSI.Prefetch16", 4),
    ("SCSI.PreventAllow", 8),
    ("SCSI.PrinReadKeys", 2),
    ("SCSI.PrinServiceactionRange", 1),
    ("SCSI.PrinReportCapabilities", 1),
    ("SCSI.ProutRegister", 1),
    ("SCSI.ProutReserve", 13),
    ("SCSI.ProutClear", 1),
    ("SCSI.ProutPreempt", 1),
    ("SCSI.Read6", 2),
    ("SCSI.Read10", 6),
    ("SCSI.Read12", 5),
    ("SCSI.Read16", 5),
    ("SCSI.ReadCapacity10", 1),
    ("SCSI.ReadCapacity16", 4),
    ("SCSI.ReadDefectData10", 1),
    ("SCSI.ReadDefectData12", 1),
    ("SCSI.ReadOnly", 1),
    ("SCSI.ReceiveCopyResults", 2),
    ("SCSI.ReportSupportedOpcodes", 4),
    ("SCSI.Reserve6", 7),
    ("SCSI.Sanitize", 11),
    ("SCSI.StartStopUnit", 3),
    ("SCSI.TestUnitReady", 1),
    ("SCSI.Unmap", 3),
    ("SCSI.Verify10", 8),
    ("SCSI.Verify12", 8),
    ("SCSI.Verify16", 8),
    ("SCSI.Write10", 6),
    ("SCSI.Write12", 5),
    ("SCSI.Write16", 5),
    ("SCSI.WriteAtomic16", 6),
    ("SCSI.WriteSame10", 10),
    ("SCSI.WriteSame16", 10),
    ("SCSI.WriteVerify10", 6),
    ("SCSI.WriteVerify12", 6),
    ("SCSI.WriteVerify16", 6),
    ("SCSI.MultipathIO", 4),
    ("iSCSI.iSCSIcmdsn", 2),
    ("iSCSI.iSCSIdatasn", 1),
    ("iSCSI.iSCSIResiduals", 10),
    ("iSCSI.iSCSITMF", 2),
];

/// Every test that does not pass, with its reason.
pub const EXPECTED: &[Expected] = &[
    // It reads the status of block i + 1, and demands that of block i + 2^n, where a physical block has 2^n logical blocks:
    // the same for n = 0 alone.
    Expected {
        units: &[SHORT_UNIT],
        suite: "GetLBAStatus",
        tests: &["UnmapSingle"],
        fails: true,
        printed: "test_get_lba_status_unmap_single.c:135",
    },
    // No copies by the target.
    skipped(
        "ExtendedCopy",
        &["Simple", "ParamHdr", "DescrType", "ValidTgtDescr", "ValidSegDescr"],
        "EXTENDEDCOPY is not implemented.",
    ),
    skipped("ExtendedCopy", &["DescrLimits"], "RECEIVECOPYRESULT is not implemented."),
    skipped("ReceiveCopyResults", &["CopyStatus", "OpParams"], "RECEIVECOPYRESULT is not implemented."),
    // A fixed disk, which can be written.
    skipped(
        "PreventAllow",
        &["Simple", "Eject", "ITNexusLoss", "Logout", "WarmReset", "ColdReset", "LUNReset", "2ITNexuses"],
        "Logical unit is not removable. Skipping test.",
    ),
    skipped("StartStopUnit", &["Simple"], "Media is not removable."),
    skipped("ReadOnly", &["ReadOnlySBC"], "Logical unit is not write-protected. Skipping test."),
    // No list of defects, no atomic writes beyond a block.
    skipped("ReadDefectData10", &["Simple"], "READDEFECTDATA10 is not implemented."),
    skipped("ReadDefectData12", &["Simple"], "READDEFECTDATA12 is not implemented."),
    skipped(
        "WriteAtomic16",
        &["Simple", "BeyondEol", "ZeroBlocks", "WriteProtect", "DpoFua", "VPD"],
        "WRITEATOMIC16 is not implemented.",
    ),
    // No SANITIZE, for which the program would need a flag of its own.
    skipped(
        "Sanitize",
        &[
            "BlockErase",
            "BlockEraseReserved",
            "CryptoErase",
            "CryptoEraseReserved",
            "ExitFailureMode",
            "InvalidServiceAction",
            "Overwrite",
            "OverwriteReserved",
            "Readonly",
            "Reservations",
            "Reset",
        ],
        "--allow-sanitize flag is not set. Skipping test.",
    ),
    // WSNZ: a WRITE SAME of no blocks is refused.
    skipped("WriteSame10", &["ZeroBlocks"], "WRITESAME10 does not support 0-blocks."),
    skipped("WriteSame16", &["ZeroBlocks"], "WRITESAME16 does not support 0-blocks."),
    // A physical block is a logical one.
    Expected {
        units: &[LONG_UNIT],
        suite: "CompareAndWrite",
        tests: &["InvalidDataOutSize"],
        fails: false,
        printed: "LBPPB < 2. Skipping test",
    },
    Expected {
        units: &[LONG_UNIT],
        suite: "WriteSame10",
        tests: &["UnmapUnaligned", "InvalidDataOutSize"],
        fails: false,
        printed: "LBPPB < 2. Skipping test",
    },
    Expected {
        units: &[LONG_UNIT],
        suite: "WriteSame16",
        tests: &["UnmapUnaligned", "InvalidDataOutSize"],
        fails: false,
        printed: "LBPPB < 2. Skipping test",
    },
];
