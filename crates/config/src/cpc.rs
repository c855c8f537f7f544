//! The machines: central processor complexes and their partitions.

use halftrack_base::Span;

use crate::cpc_name::CpcName;

/// A processor complex: SAPs and what an I/O costs on them and on the partitions' CPs.
#[derive(Debug, Clone, PartialEq)]
pub struct Cpc {
    /// Name, where the plant gives it one.
    pub name: CpcName,
    /// IOCDS name: MSG1 of its deck.
    pub iocds: String,
    /// The definition file that its deck was written from, where its token names one.
    pub definition_file: Option<DefinitionFile>,
    /// It runs undivided: its one image is in the configuration's partitions, with MIF id 0.
    pub basic: bool,
    /// Machine type, such as 3931.
    pub machine_type: u16,
    /// Model, such as `Max39`.
    pub model: String,
    /// Processor drawers; 0 where they are not known.
    pub drawers: u8,
    /// Where its SAP cores are, by (drawer, module, chip, core): thread `t` is of core `t / threads_per_core`. Empty
    /// where the structure of the machine is not known.
    pub sap_cores: Vec<SapCore>,
    /// IOP threads of a SAP core.
    pub threads_per_core: u16,
    /// IOP threads (SAP cores × threads a core).
    pub iop_threads: u16,
    /// IOP thread time of a start on this machine, whatever adds to it with drawers and cores included.
    pub iop_start: Span,
    /// IOP thread time of an interrupt, likewise.
    pub iop_interrupt: Span,
    /// IOP thread time of a start that was answered busy and is tried again, likewise.
    pub iop_retry: Span,
    /// IOP threads that take interrupts: every `n`th, 2 on machines whose even threads take them.
    pub interrupt_thread_stride: u16,
    /// CP time to start an I/O.
    pub cp_start: Span,
    /// CP time to take its interrupt.
    pub cp_interrupt: Span,
    /// The part of a start that one image does for one I/O at a time: it starts at most one in each such time. Zero
    /// sets no limit.
    pub image_serial: Span,
    /// Cost of work on EADM subchannels; `None` on a machine without them.
    pub eadm: Option<Eadm>,
}

/// A definition file (IODF) as the token of HCD in a deck names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinitionFile {
    /// Last qualifier of its data set, such as `IODF45`.
    pub name: String,
    /// When it was written, `YYYY-MM-DDThh:mm:ss`; empty where the token has no date.
    pub created: String,
}

/// Where a SAP core is; all numbers from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SapCore {
    /// Drawer of the machine.
    pub drawer: u8,
    /// Module of the drawer.
    pub dcm: u8,
    /// Chip of the module.
    pub chip: u8,
    /// Core of the chip.
    pub core: u8,
}

/// IOP thread time of work on EADM subchannels, which have no device number and no path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Eadm {
    /// A compression.
    pub compression: Span,
    /// An operation of storage-class memory.
    pub scm: Span,
}

/// A channel subsystem of one of the machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subsystem {
    /// Index of the machine.
    pub cpc: u8,
    /// Channel subsystem.
    pub css: u8,
}

/// Work that a processor with two threads does, of that of one thread alone, per mille. Assumed: a quarter more is common.
const SMT_CAPACITY_PERMILLE: u64 = 1250;

/// A logical partition with one z/OS image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lpar {
    /// Name, unique among those of all machines.
    pub name: String,
    /// SMF system id, by which reports call its z/OS.
    pub smfid: String,
    /// Index of its machine.
    pub cpc: u8,
    /// Channel subsystem.
    pub css: u8,
    /// MIF image id.
    pub mif: u8,
    /// Central processors, or IFLs.
    pub cps: u16,
    /// They are IFLs, each with so many threads: a partition of Linux or z/VM.
    pub ifl_threads: Option<u8>,
    /// `ZHPF=YES` in force (IECIOSxx; the default is NO).
    pub zhpf: bool,
    /// `HYPERPAV=YES` in force.
    pub hyperpav: bool,
}

impl Lpar {
    /// Returns the channel subsystem that it uses.
    #[must_use]
    pub const fn subsystem(&self) -> Subsystem {
        Subsystem { cpc: self.cpc, css: self.css }
    }

    /// Returns the threads of its processors.
    #[must_use]
    pub fn threads(&self) -> u32 {
        u32::from(self.cps) * u32::from(self.ifl_threads.unwrap_or(1))
    }

    /// Returns the time of a thread for work that takes a whole processor `alone`.
    #[must_use]
    pub fn time_of_thread(&self, alone: Span) -> Span {
        match self.ifl_threads {
            Some(threads) if threads > 1 => {
                Span::from_ps(alone.as_ps() * u64::from(threads) * 1000 / SMT_CAPACITY_PERMILLE)
            }
            _ => alone,
        }
    }
}
