//! How many devices channels and channel subsystems can hold.
//!
//! Reference: IOCP, section 3. Counted by CSS, so that a spanned channel whose subsystems have devices of their own
//! is not blamed for their sum.

use std::collections::BTreeMap;

use halftrack_input::messages::deck::{CHANNEL_DEVICES, SET_DEVICES};

use crate::model::channel_types::ChannelType;
use crate::model::machines::SUBCHANNEL_SET_DEVICES_MAX;
use crate::rules::definitions::Channel;
use crate::rules::devices::Draft;
use crate::rules::paths::Leg;
use crate::syntax::findings::Findings;

/// CHPARM of an OSA channel without priority queues, which then has four times the devices.
const WITHOUT_QUEUES: u8 = 0x02;

/// Devices so far, by channel and by subchannel set, in each CSS.
#[derive(Debug, Default)]
pub(crate) struct DeviceCounts {
    by_channel: BTreeMap<(usize, u8), u32>,
    by_set: BTreeMap<(u8, u8), u32>,
}

/// Returns the limit of devices of one channel of `kind` (V; FCP M).
fn limit(kind: &ChannelType, channel: &Channel) -> Option<u32> {
    match kind.name {
        "OSC" => Some(254),
        "OSE" => Some(255),
        "OSH" => Some(256),
        "FCP" => Some(480),
        "OSD" | "OSX" => {
            let many =
                channel.path.chparm.as_ref().is_some_and(|parameter| parameter.value == WITHOUT_QUEUES);
            Some(if many { 1920 } else { 480 })
        }
        _ => None,
    }
}

impl DeviceCounts {
    /// Adds the devices of `draft`, which has the paths `legs`. A limit is reported where it is first passed.
    pub(crate) fn check(
        &mut self,
        draft: &Draft,
        legs: &[Leg<'_>],
        device_slots: &[(u8, Vec<u32>)],
        findings: &mut Findings,
    ) {
        let device = &draft.device;
        let count = u32::from(device.count);
        let mut seen: Vec<(usize, u8)> = legs.iter().map(|leg| (leg.index, leg.path.css)).collect();
        seen.sort_unstable();
        seen.dedup();
        // The support device of an OSA is none of its data devices.
        let counts = device.unit.value != "OSAD";
        for leg in legs.iter().filter(|_| counts) {
            let key = (leg.index, leg.path.css);
            let Ok(at) = seen.binary_search(&key) else { continue };
            seen.remove(at);
            let Some(limit) = leg.channel.kind.and_then(|kind| limit(kind, leg.channel)) else { continue };
            let total = self.by_channel.entry(key).or_default();
            let was = std::mem::replace(total, *total + count);
            if was <= limit && *total > limit {
                let kind = &leg.channel.path.channel_type;
                let words = format!(
                    "channel {:02X} has {total} devices in CSS {}, limit {limit} for TYPE={}",
                    leg.path.chpid, leg.path.css, kind.value
                );
                let message = findings
                    .error(CHANNEL_DEVICES, &device.number.span, words)
                    .other(findings.label(&kind.span, "channel type"))
                    .fix("use another channel, or fewer devices");
                findings.report(message);
            }
        }
        self.check_sets(draft, legs, device_slots, findings);
    }

    fn check_sets(
        &mut self,
        draft: &Draft,
        legs: &[Leg<'_>],
        device_slots: &[(u8, Vec<u32>)],
        findings: &mut Findings,
    ) {
        let device = &draft.device;
        let mut css: Vec<u8> = legs.iter().map(|leg| leg.path.css).collect();
        css.sort_unstable();
        css.dedup();
        for css in css {
            let set = device.subchannel_set.of(css);
            let largest = SUBCHANNEL_SET_DEVICES_MAX.get(usize::from(set)).copied().unwrap_or_default();
            let coded = device_slots.iter().find(|(of, _)| *of == css).map(|(_, slots)| slots);
            // The size of a set that MAXDEV leaves out is not published.
            let slots = coded.and_then(|slots| slots.get(usize::from(set)).copied()).unwrap_or(largest);
            let total = self.by_set.entry((css, set)).or_default();
            let was = std::mem::replace(total, *total + u32::from(device.count));
            if was <= slots && *total > slots {
                let words = format!(
                    "{total} devices in subchannel set {set} of CSS {css}, which has room for {slots}"
                );
                let message = findings
                    .error(SET_DEVICES, &device.number.span, words)
                    .fix("raise MAXDEV of RESOURCE, or use another subchannel set");
                findings.report(message);
                // One range of devices, one message.
                return;
            }
        }
    }
}
