//! A path as the machine walks it.

use halftrack_config::{Configuration, Path};

use crate::wiring::route::{Route, Routes, ShortRoute, Travel};

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
    /// Both, where they are short.
    pub short_outbound: ShortRoute,
    pub short_inbound: ShortRoute,
    /// Every frame travels by itself on it.
    pub frame_by_frame: bool,
    /// Nothing is peculiar about it or about the run, so that an exchange over it of one chunk each way takes the express lane.
    pub is_express: bool,
    /// Nothing happens to it or to any other in the run, and no program holds it: an exchange that has begun goes to its end.
    pub is_undisturbed: bool,
    /// Frames are lost on it, in one direction or both.
    pub is_lossy: bool,
    /// One program holds it at a time.
    pub is_circuit: bool,
    /// A program holds what is behind the bridge that its channel leads to.
    pub is_bridged: bool,
    /// Which column of the plan table it uses.
    pub class: u32,
}

impl PathWire {
    /// Makes the wire of `path`, whose logical control unit, position and class are `place`. Its routes are not laid yet.
    pub(crate) fn new(
        configuration: &Configuration,
        path: &Path,
        (lcu, position, class): (u32, u8, u32),
    ) -> Self {
        let hardware = &configuration.channels[path.channel as usize].hardware;
        Self {
            channel: path.channel,
            port: path.port,
            lcu,
            position,
            outbound: Route::UNLAID,
            inbound: Route::UNLAID,
            short_outbound: ShortRoute::UNKNOWN,
            short_inbound: ShortRoute::UNKNOWN,
            frame_by_frame: false,
            is_express: false,
            is_undisturbed: configuration.disturbances.is_empty()
                && hardware.circuit.is_none()
                && hardware.bridge.is_none(),
            is_lossy: false,
            is_circuit: hardware.circuit.is_some(),
            is_bridged: hardware.bridge.is_some(),
            class,
        }
    }

    /// Lays its routes over the links `outbound` and `inbound` into `routes`.
    pub(crate) fn lay(&mut self, (outbound, inbound): (&[u32], &[u32]), travel: Travel, routes: &mut Routes) {
        self.frame_by_frame = travel.frame_by_frame;
        self.outbound = routes.lay(outbound, travel);
        self.inbound = routes.lay(inbound, Travel { leaves_bridge: self.is_bridged, ..travel });
    }

    /// Returns true when ports are joined for a program before it begins at the control unit.
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
