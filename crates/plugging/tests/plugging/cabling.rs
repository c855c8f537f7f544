//! Cables of a deck to frame, drawer, slot, port and end point.

use halftrack_catalog::Catalog;
use halftrack_deck::read;
use halftrack_input::SourceFile;
use halftrack_plugging::{FarEnd, FarEnds, cable_table, cables, read_hardware};

const HARDWARE: &str = "\
A19/LG15/J01 A25B 02 0461 100/D1 101/D2
A19/LG15/J01 A25B 03 0446 104/D1D2
A15/LG02/J01 A25B 11 0451 120/D1D2 RG2
";

const DECK: &str = "         ID SYSTEM=(3931,1)
         RESOURCE PART=((CSS(0),(A,1)),(CSS(1),(B,1))),MAXDEV=((CSS(0),*
               9000),(CSS(1),9000))
         CHPID PATH=(CSS(0,1),40),SHARED,SWITCH=11,PCHID=100,TYPE=FC
         CHPID PATH=(CSS(0),41),SHARED,PCHID=101,TYPE=FC
         CHPID PATH=(CSS(0),70),SHARED,PCHID=104,TYPE=OSD,PNETID=NET1
         CHPID PATH=(CSS(0),F0),SHARED,TYPE=IQD,VCHID=7E0
         CNTLUNIT CUNUMBR=0011,PATH=((CSS(0),40)),UNITADD=((00,1)),LINK*
               =((CSS(0),FE)),UNIT=2032
         CNTLUNIT CUNUMBR=1000,PATH=((CSS(0),40),(CSS(1),40)),LINK=((CS*
               S(0),04),(CSS(1),04)),CUADD=0,UNITADD=((00,16)),UNIT=210*
               7
         CNTLUNIT CUNUMBR=1100,PATH=((CSS(0),40)),LINK=((CSS(0),04)),CU*
               ADD=1,UNITADD=((00,16)),UNIT=2107
         CNTLUNIT CUNUMBR=2000,PATH=((CSS(0),41)),UNITADD=((00,16)),UNI*
               T=2107
         FUNCTION FID=(11,2),PCHID=120,PORT=2,VF=1,PART=((A)),TYPE=HYL
         FUNCTION FID=21,PCHID=1F0,PORT=1,VF=1,PART=((A)),TYPE=HYL
";

#[test]
fn every_cable_is_listed_with_its_place_and_end() {
    let (hardware, found) = read_hardware(&SourceFile::new("hw", HARDWARE), &Catalog::load(&[]).0);
    assert_eq!(found, []);
    let reading = read(SourceFile::new("deck", DECK));
    let deck = reading.deck.unwrap_or_else(|| panic!("{:?}", reading.diagnostics));
    let hardware = hardware.expect("hardware");
    let table = cable_table(&cables(&deck, &hardware, &FarEnds::default()));
    let expected = "\
from                 type  PCHID  frame  drawer  slot  port  to             km
CHPID 0,1.40         FC    100    A      A25B    02    D1    director 11    -
CHPID 0.41           FC    101    A      A25B    02    D2    CU 2000        -
CHPID 0.70           OSD   104    A      A25B    03    D1D2  network NET1   -
FID 0011-0012        HYL   120    A      A25B    11    D2    -              -
FID 0021             HYL   1F0    -      -       -     -     -              -
director 11 port 04  -     -      -      -       -     -     CU 1000, 1100  -
";
    assert_eq!(table, expected);
    let end = |name: &str, km| FarEnd { name: name.to_owned(), km };
    let ends = FarEnds {
        channels: [(0x100, end("director 11 port 20", 0.1))].into(),
        director_ports: [((0x11, 0x04), end("BOXA 0030", 10.0))].into(),
    };
    let known: Vec<[String; 9]> = cables(&deck, &hardware, &ends).iter().map(|cable| cable.cells()).collect();
    assert_eq!((known[0][7].as_str(), known[0][8].as_str()), ("director 11 port 20", "0.1"));
    assert_eq!((known[5][7].as_str(), known[5][8].as_str()), ("BOXA 0030, CU 1000, 1100", "10"));
}
