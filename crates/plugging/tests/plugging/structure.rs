//! The structure of cards, and what an update of firmware takes away.

use halftrack_catalog::Catalog;
use halftrack_deck::Selection;
use halftrack_deck::model::filter::Filter;
use halftrack_input::SourceFile;
use halftrack_plugging::{
    Hardware, Structure, physical_channel_table, physical_channels, read_hardware, structure_table,
};

const PRINTED: &str = include_str!("../reports/printed.txt");

fn table(text: &str) -> String {
    let (catalog, _) = Catalog::load(&[]);
    let (hardware, found) = read_hardware(&SourceFile::new("hw", text), &catalog);
    structure_table(&hardware.unwrap_or_else(|| panic!("{found:?}")), &catalog)
}

#[test]
fn a_traditional_card_has_an_asic_for_each_pchid_and_a_native_one_has_none() {
    let (catalog, _) = Catalog::load(&[]);
    let of = |id: &str| {
        let feature = catalog.features.get(id).expect("built in");
        let one = Structure::of(feature, usize::from(feature.pchids.value));
        (one.asics, one.has_sap, one.has_resource_group, one.has_functions)
    };
    assert_eq!(of("ficon"), (2, true, false, false));
    assert_eq!(of("osa-10gbe").0, 1);
    for native in ["zedc", "roce", "roce-2", "zhyperlink"] {
        assert_eq!(of(native), (0, false, true, true), "{native}");
    }
    // Managed like a native adapter, and still a channel.
    assert_eq!(of("coupling"), (0, false, true, false));
}

#[test]
fn the_structure_of_the_printed_table_is_listed() {
    let listed = table(&format!("{PRINTED}A19/LG15/J01 Z22B 08 0418 118/D1 119/D2\n"));
    let lines: Vec<&str> = listed.lines().collect();
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(
        words(lines[1]),
        "Z22B slot 03 0420 zEDC Express 108 0 zIOC RG1 on IFP FUNCTION compression accelerator - -"
    );
    assert_eq!(
        words(lines[5]),
        "Z22B slot 08 0418 FICON Express 118/D1 119/D2 2 SAP, ASIC channel CHPID - - -"
    );
    assert_eq!(
        lines[10..],
        [
            "update of RG1 takes 2 of 4 10GbE RoCE Express, 2 of 4 zEDC Express",
            "update of RG2 takes 2 of 4 10GbE RoCE Express, 2 of 4 zEDC Express",
        ]
    );
}

#[test]
fn a_known_machine_has_its_processors_and_groups() {
    for (machine, line) in [(2964, "IFPs 1, resource groups 2"), (3931, "IFPs 2, resource groups 4")] {
        let file = format!("machine_type = {machine}\n[[drawer]]\nname = \"A\"\n");
        assert!(table(&file).lines().any(|one| one == line), "{machine}");
    }
    let unknown = "[[drawer]]\nname = \"A\"\n[[feature]]\ndrawer = \"A\"\nslot = \"1\"\ncode = \"4711\"\n\
                   pchids = [\"100\"]\n";
    assert_eq!(table(unknown).lines().nth(1).map(|line| line.matches('?').count()), Some(5));
}

/// Returns a hardware file of two cards, compression and RoCE, with these serial numbers.
fn two_cards(first: &str, second: &str) -> String {
    let card = |slot: &str, pchid: &str, code: &str, serial: &str| {
        format!(
            "[[feature]]\ndrawer = \"A\"\nslot = \"{slot}\"\ncode = \"{code}\"\npchids = [\"{pchid}\"]\n\
             part = \"00LY{code}\"\nserial = \"{serial}\"\nresource_group = {slot}\n"
        )
    };
    let cards = card("1", "100", "0420", first) + &card("2", "104", "0411", second);
    format!("[[drawer]]\nname = \"A\"\n{cards}")
}

/// Vital product data are on the mother card: the inventory has the part and serial numbers that the file gives.
#[test]
fn the_inventory_has_serial_numbers() {
    let file = two_cards;
    let read = |text: String| read_hardware(&SourceFile::new("hw", text), &Catalog::load(&[]).0);
    let numbers = |hardware: &halftrack_plugging::Hardware| -> Vec<[String; 2]> {
        let of = |number: &Option<String>| number.clone().unwrap_or_default();
        hardware.cards().iter().map(|card| [of(&card.part), of(&card.serial)]).collect()
    };
    let listed = table(&file("YA9320B41F07", "YA9320B41F08"));
    let roce = listed.lines().nth(2).expect("two cards");
    assert!(roce.ends_with("10 GbE adapter with RDMA, 2 ports  00LY0411  YA9320B41F08"), "{listed}");
    assert!(roce.contains("104/D1D2") && roce.contains("RG2 on IFP"), "{listed}");
    let hardware = read(file("YA9320B41F07", "B-2")).0.expect("fine");
    let again = read(halftrack_plugging::hardware_text(&hardware)).0.expect("fine");
    assert_eq!(numbers(&again), [["00LY0420", "YA9320B41F07"], ["00LY0411", "B-2"]]);
    let lines =
        |text| read(text).1.iter().map(halftrack_input::Diagnostic::line).collect::<Vec<_>>().concat();
    assert!(lines(file("B-2", "B-2")).contains("card B-2"), "{}", lines(file("B-2", "B-2")));
    assert!(lines(file("B-2", "B 2")).contains("serial number"), "{}", lines(file("B-2", "B 2")));
}

/// Each physical channel of a deck has the vital product data of its card, or none is plugged there.
#[test]
fn physical_channels_of_a_deck_have_the_data_of_their_cards() {
    let deck = " ID SYSTEM=(2964,1)
 RESOURCE PART=((CSS(0),(LP01,1)))
 FUNCTION FID=1,VF=1,PART=LP01,PNETID=(NET1,NET2),TYPE=ROCE,PCHID=104
 FUNCTION FID=2,VF=1,PART=LP01,PNETID=(NET1,NET2),TYPE=ROCE,PCHID=108
";
    let (catalog, _) = Catalog::load(&[]);
    let (hardware, _) = read_hardware(&SourceFile::new("hw", two_cards("B-1", "B-2")), &catalog);
    let reading = halftrack_deck::read(SourceFile::new("deck", deck));
    let deck = reading.understood().expect("a deck");
    let selection = Selection::of(deck, Filter::default());
    let shown = |hardware: Option<&Hardware>| {
        let channels = physical_channels(&selection, &catalog, hardware);
        let text = physical_channel_table(&channels, None, hardware.is_some());
        text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>()
    };
    let lines = shown(hardware.as_ref());
    let cards = [
        "PCHID Slot F/C Ports RG Part Serial",
        "104 A slot 2 0411 D1D2 RG2 00LY0411 B-2",
        "108 not plugged - - - - -",
    ];
    assert_eq!(lines[4..], cards);
    assert_eq!(shown(None), lines[..3], "without a hardware file nothing is known of cards");
}
