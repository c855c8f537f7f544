//! Networks of the plant: what RoCE ports want of fibres, switches, multiplexers and the OSD beside them.

use halftrack_catalog::RoceNetwork;
use halftrack_deck::model::Function;
use halftrack_input::Severity;
use halftrack_input::messages::conversation as numbers;

use crate::assemble::inputs::Inputs;
use crate::assemble::roce_functions::roce_type;
use crate::plant::Network;

/// Reports networks with RoCE ports that break their rules.
pub fn check(inputs: &Inputs<'_>) {
    let features = &inputs.catalog.features;
    for network in &inputs.plant.networks {
        let name = &network.pnetid.value;
        let is_on_it = |function: &&Function| function.pnetids.iter().flatten().any(|one| one == name);
        let has = |kind: &String| {
            inputs.each().any(|machine| {
                let mut functions = machine.deck.functions.iter().filter(is_on_it);
                functions.any(|function| roce_type(function) == Some(kind))
            })
        };
        for id in features.ids() {
            let Some(feature) = features.get(id).filter(|feature| feature.types.iter().any(has)) else {
                continue;
            };
            if let Some(rules) = &feature.network {
                check_length(inputs, network, (id, rules));
                check_gear(inputs, network, rules);
            }
        }
    }
}

/// Checks the fibre of a port, and the way of one fibre or of two with a switch between them.
fn check_length(inputs: &Inputs<'_>, network: &Network, (id, rules): (&str, &RoceNetwork)) {
    let (name, reach_km) = (&network.pnetid.value, rules.reach_km.value);
    let report = |at: &std::ops::Range<usize>, message: String| {
        let mut error = inputs.in_plant(numbers::NETWORK_TOO_LONG, at, message);
        error.others.extend(inputs.catalog.features.label(id, rules.reach_km.span.clone(), "its reach"));
        let fix =
            "shorten it, or give `switches = 2` or more, which are cascaded, or `dwdm` between two of them";
        inputs.report(error.fix(fix));
    };
    if let Some(port_km) = network.port_km.as_ref().filter(|port_km| port_km.value > reach_km) {
        let km = port_km.value;
        report(
            &port_km.span,
            format!("a fibre at a port of {name} is {km} km long; it reaches {reach_km} km"),
        );
    }
    let fibres = match network.switches {
        _ if network.dwdm.is_some() => return,
        switches @ 0..=1 => switches + 1,
        _ => return,
    };
    let (km, far_km) = (network.km.value, reach_km * f64::from(fibres));
    if km > far_km {
        let way = if fibres == 1 { "from port to port" } else { "over one switch" };
        report(&network.km.span, format!("network {name} is {km} km long; {way} it reaches {far_km} km"));
    }
}

/// Checks flow control, multiplexers and the OSD.
fn check_gear(inputs: &Inputs<'_>, network: &Network, rules: &RoceNetwork) {
    let name = &network.pnetid.value;
    if network.switches > 0 {
        let wrong = [
            (&network.pause, false, "Global Pause of its switches is off", "set `pause = true`"),
            (&network.pfc, true, "priority flow control of its switches is on", "set `pfc = false`"),
        ];
        for (flag, wrong, words, fix) in wrong {
            if flag.value == wrong {
                let message = format!("network {name} has RoCE ports, and {words}: that is not supported");
                inputs.report(inputs.in_plant(numbers::NETWORK_FLOW_CONTROL, &flag.span, message).fix(fix));
            }
        }
    }
    let qualified = &rules.multiplexers.value;
    if let Some(dwdm) = network.dwdm.as_ref().filter(|dwdm| !qualified.contains(&dwdm.value)) {
        let message = format!("multiplexers {} of network {name} are not qualified for RoCE", dwdm.value);
        let warning = inputs.in_plant(numbers::NOT_QUALIFIED, &dwdm.span, message);
        let fix = format!("qualified are {}", qualified.join(" and "));
        inputs.report(warning.severity(Severity::Warning).fix(fix));
    }
    let least = rules.osd_gbps_min.value;
    if network.osd_gbps.value < least {
        let message =
            format!("the OSD of network {name} has {} Gbit/s; beside RoCE ports {least} is the least", {
                network.osd_gbps.value
            });
        let error = inputs.in_plant(numbers::OSD_TOO_SLOW, &network.osd_gbps.span, message);
        inputs.report(error.fix(format!("give `osd_gbps = {least}` or more")));
    }
}
