//! Decks, hardware and loads of the tests.

use halftrack_catalog::Catalog;
use halftrack_deck::model::Deck;
use halftrack_deck::read;
use halftrack_input::{Diagnostic, SourceFile};
use halftrack_plugging::read_hardware;
use halftrack_zedc::sizing::CardSpeed;
use halftrack_zedc_twin::{Activity, Installation, Load, read_load, run};

/// Speed of the published card, with the set-up of the catalog.
pub const SPEED: CardSpeed = CardSpeed { mb_per_s: 1000.0, setup_us: 8.0 };

/// PCHIDs of four cards, two in each resource group.
pub const PCHIDS: [&str; 4] = ["108", "10C", "178", "17C"];
const GROUPS: [&str; 4] = ["RG1", "RG1", "RG2", "RG2"];

/// Returns a z13 deck with a function on each of the first `cards` cards for each of `partitions` of LP01, LP02 and so on.
pub fn deck(cards: usize, partitions: usize) -> Deck {
    let names: Vec<String> = (1..=15).map(|at| format!("(LP{at:02},{at:X})")).collect();
    let mut statements =
        format!("         ID SYSTEM=(2964,1)\n         RESOURCE PART=({})\n", names[..5].join(","));
    for partition in 1..=partitions {
        for (at, pchid) in PCHIDS[..cards].iter().enumerate() {
            let fid = partition * 16 + at;
            statements += &format!(
                "         FUNCTION FID={fid:X},VF={partition},PART=((LP{partition:02})),TYPE=ZEDC,PCHID={pchid}\n"
            );
        }
    }
    let reading = read(SourceFile::new("deck", statements));
    reading.deck.unwrap_or_else(|| panic!("{:?}", reading.diagnostics))
}

/// Installs the first `cards` cards with the functions of [`deck`].
pub fn installation(cards: usize, partitions: usize) -> Installation {
    let rows = PCHIDS.iter().zip(GROUPS).enumerate().take(cards);
    let report: String = rows
        .map(|(at, (pchid, group))| format!("A19/LG15/J01  Z22B  {:02}    0420  {pchid}  {group}\n", at + 1))
        .collect();
    let report = format!("Source        Drwr  Slot  F/C   PCHID/Ports or AID  RG   Comment\n{report}");
    let (catalog, _) = Catalog::load(&[]);
    let (hardware, found) = read_hardware(&SourceFile::new("hw", report), &catalog);
    let hardware = hardware.unwrap_or_else(|| panic!("{found:?}"));
    Installation::new(&deck(cards, partitions), &hardware).expect("no more than a machine takes")
}

/// Reads a load for the deck.
pub fn load(text: &str) -> (Option<Load>, Vec<Diagnostic>) {
    read_load(&SourceFile::new("load", text), &deck(1, 1))
}

/// Runs a load.
pub fn activity(cards: usize, partitions: usize, text: &str) -> Activity {
    let (load, found) = load(text);
    run(installation(cards, partitions), &load.unwrap_or_else(|| panic!("{found:?}")), SPEED)
}

/// Returns a stream of 64 KiB requests.
pub fn stream(name: &str, partition: &str, mb_per_s: f64) -> String {
    format!(
        "[[compression]]\nname = \"{name}\"\npartition = \"{partition}\"\nexploiter = \"smf\"\n\
         mb_per_s = {mb_per_s:?}\nrequest_bytes = 65536\nratio = 2.0\n"
    )
}
