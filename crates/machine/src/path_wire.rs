//! A path as the machine walks it.

use halftrack_config::{Configuration, Path};

use crate::options::Options;
use crate::route::{Route, Routes, Short, travels_frame_by_frame};

/// One path of one path group, or another way of it.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct PathWire {
    /// Channel.
    pub channel: u32,
    /// Host-adapter port.
    pub port: u32,
    /// Logical control unit.
    pub lcu: u32,
    /// Position in the group, the bit in path masks.
    pub position: u8,
    /// From channel to port.
    pub outbound: Route,
    /// From port to channel.
    pub inbound: Route,
    /// The same, where they are short.
    pub short_outbound: Short,
    pub short_inbound: Short,
    /// Every frame travels by itself on it.
    pub frame_by_frame: bool,
    /// Nothing is peculiar about it or about the run, so that an exchange over it of one chunk each way is plain.
    pub is_plain: bool,
    /// One program holds it at a time.
    pub is_circuit: bool,
    /// A program holds what is behind the bridge that its channel leads to.
    pub is_bridged: bool,
    /// Which column of the plan table it uses.
    pub class: u32,
}

impl PathWire {
    /// `path`, whose logical control unit, position and class are `place`, its routes laid into `routes`.
    pub(crate) fn new(
        configuration: &Configuration,
        options: Options,
        path: &Path,
        (lcu, position, class): (u32, u8, u32),
        routes: &mut Routes,
    ) -> Self {
        let hardware = &configuration.channels[path.channel as usize].hardware;
        let frame_by_frame = travels_frame_by_frame(configuration, options, &path.outbound, &path.inbound);
        let is_bridged = hardware.bridge.is_some();
        Self {
            channel: path.channel,
            port: path.port,
            lcu,
            position,
            outbound: routes.lay(&path.outbound, frame_by_frame),
            inbound: routes.lay_inbound(&path.inbound, frame_by_frame, is_bridged),
            short_outbound: Short::UNKNOWN,
            short_inbound: Short::UNKNOWN,
            frame_by_frame,
            is_plain: false,
            is_circuit: hardware.circuit.is_some(),
            is_bridged,
            class,
        }
    }

    /// Ports are joined for a program before it begins at the control unit.
    #[inline]
    pub(crate) fn has_circuit(&self) -> bool {
        self.is_circuit | self.is_bridged
    }
}

/// The paths from one partition's channel subsystem to one logical control unit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GroupWire {
    /// First of its paths.
    pub first_path: u32,
    /// How many.
    pub paths: u32,
}
