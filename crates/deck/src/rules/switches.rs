//! One switch number, one kind of director.
//!
//! Reference: IOCP, section 4.3; R203. An ESCON director takes FICON only over its bridge, as FCV.

use halftrack_input::Located;

use crate::model::channel_types::ChannelType;
use crate::rules::definitions::{Channel, Definitions};
use crate::syntax::findings::Findings;

/// Returns true when a channel needs a director for native FICON.
fn is_native(kind: &ChannelType) -> bool {
    kind.two_byte_links
}

/// Reports R203 at the first channel of a switch that does not fit the earlier ones.
pub(crate) fn check(
    kind: &ChannelType,
    switch: Option<&Located<u8>>,
    definitions: &Definitions,
    findings: &mut Findings,
) {
    let Some(switch) = switch.filter(|_| kind.has_links) else { return };
    let same_switch = |channel: &&Channel| {
        channel.path.switch.as_ref().is_some_and(|other| other.value == switch.value)
            && channel.kind.is_some_and(|kind| kind.has_links)
    };
    let mut earlier = definitions.channels.iter().filter(same_switch);
    let native = |channel: &Channel| channel.kind.is_some_and(is_native);
    let Some(first) = earlier.next().filter(|first| native(first) != is_native(kind)) else { return };
    if earlier.any(|channel| native(channel) == is_native(kind)) {
        return;
    }
    let (mine, its) = (kind.name, &first.path.channel_type.value);
    let words =
        format!("switch {:02X} already carries {its} channels; {mine} cannot join them", switch.value);
    let message = findings
        .error(203, &switch.span, words)
        .other(findings.label(&first.path.chpid.span, format!("channel of TYPE={its}")))
        .fix("give native FICON and ESCON directors different switch numbers; FCV joins ESCON");
    findings.report(message);
}
