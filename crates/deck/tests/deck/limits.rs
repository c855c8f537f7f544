//! Limits that warn, because what they rest on is not certain.

use crate::support::{cards, codes, reading};

/// Writes a deck with one channel spanned over `css` channel subsystems and `units` control units behind it.
fn spanned(css: u32, units: u32) -> String {
    let each = |value: &dyn Fn(u32) -> String| (0..css).map(value).collect::<Vec<_>>().join(",");
    let ids = each(&|css| css.to_string());
    let mut statements = vec![
        "ID SYSTEM=(3931,1)".to_owned(),
        format!(
            "RESOURCE PART=({}),MAXDEV=({})",
            each(&|css| format!("(CSS({css}),(LP{css},1))")),
            each(&|css| format!("(CSS({css}),65280)"))
        ),
        format!("CHPID PATH=(CSS({ids}),40),SHARED,SWITCH=11,PCHID=100,TYPE=FC"),
    ];
    statements.extend((0..units).map(|unit| {
        let path = each(&|css| format!("(CSS({css}),40)"));
        let link = each(&|css| format!("(CSS({css}),1104)"));
        format!("CNTLUNIT CUNUMBR=1{unit:03X},PATH=({path}),UNITADD=((00,016)),LINK=({link}),CUADD={unit:02X},UNIT=2107")
    }));
    statements.iter().map(|statement| cards(statement)).collect()
}

#[test]
fn ranges_of_a_spanned_channel_are_counted_in_each_css() {
    assert_eq!(codes(&reading(&spanned(2, 128))), [""; 0]);
    let found = reading(&spanned(2, 129));
    assert_eq!(codes(&found), ["359W"]);
    assert!(found.deck.is_some(), "a warning");
    assert_eq!(codes(&reading(&spanned(1, 129))), [""; 0]);
}
