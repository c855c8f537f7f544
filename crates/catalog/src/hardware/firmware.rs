//! A family of channel firmware: `catalog/firmware/ID.toml`. What a card that is known by little more than its link, its
//! bus and one maximum a protocol takes from the cards of its time.

use halftrack_input::{Expect, Fields, Sourced};

use crate::hardware::by_unit::ByUnit;
use crate::hardware::common_numbers::CommonNumbers;
use crate::hardware::held_bus::HeldBusFamily;
use crate::hardware::shares::Shares;
use crate::shelf::Hardware;

/// One family of firmware.
#[derive(Debug, Clone, PartialEq)]
pub struct Firmware {
    /// Name in words.
    pub title: String,
    /// Numbers of a card of the family where its file has no others.
    pub common: CommonNumbers,
    /// Largest transfer of one program in transport mode, in units of 65,536 bytes.
    pub limit_64k: Option<Sourced<u32>>,
    /// How the processor's time divides where firmware moves the data.
    pub firmware: Option<Shares>,
    /// How it divides where a data router moves them.
    pub router: Option<Shares>,
    /// Firmware that moves the data at one price for every information unit.
    pub by_unit: Option<ByUnit>,
    /// Firmware that stays with every transfer.
    pub held_bus: Option<HeldBusFamily>,
}

impl Hardware for Firmware {
    const DIRECTORY: &'static str = "firmware";

    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let title = fields.required("title", Expect::text());
        let common = CommonNumbers::read(fields, None);
        let limit_64k = fields.sourced_if_given("limit_64k", Expect::integer(1..=255));
        let firmware = fields.table_if_given("firmware", Shares::read);
        let router = fields.table_if_given("router", Shares::read);
        let by_unit = fields.table_if_given("by_unit", ByUnit::read);
        let held_bus = fields.table_if_given("held_bus", HeldBusFamily::read);
        Some(Self {
            title: title?.value,
            common: common?,
            limit_64k: limit_64k?,
            firmware: firmware?,
            router: router?,
            by_unit: by_unit?,
            held_bus: held_bus?,
        })
    }
}

#[cfg(test)]
mod tests {
    use halftrack_input::SourceFile;
    use halftrack_input::messages::{catalog as catalog_numbers, toml_file as numbers};

    use crate::catalog::Catalog;
    use crate::hardware::channel::{Channel, ChannelWork, PricedWork};

    const ROUTED: &str = r#"
title = "short"
firmware = "ficon-2023"
bus_mb_per_s = { value = 6100, source = "assumed", reason = "test" }
[[speed]]
gbps = 32
[command.read_4k_per_s]
value = 25188.9
source = "assumed"
reason = "test"
[transport.read_4k_per_s]
value = 302024
source = "assumed"
reason = "test"
"#;

    const HELD: &str = r#"
title = "short"
firmware = "ficon-2002"
[[speed]]
gbps = 1
[held_bus]
processor_mhz = { value = 333, source = "assumed", reason = "test" }
bus_mhz = { value = 33, source = "assumed", reason = "test" }
bus_bits = { value = 32, source = "assumed", reason = "test" }
read_4k_per_s = { value = 5129, source = "assumed", reason = "test" }
"#;

    /// Reads the card of `text` beside the built-in ones, with the messages about it.
    fn card(text: &str) -> (Option<Channel>, Vec<(u16, String)>) {
        let (mut catalog, mut found) = Catalog::load(&[]);
        catalog.put("channel", "mine", SourceFile::new("mine.toml", text.to_owned()), &mut found);
        let said = found.iter().map(|one| (one.number, one.message.clone())).collect();
        (catalog.channels.get("mine").cloned(), said)
    }

    fn built_in(id: &str) -> Channel {
        Catalog::load(&[]).0.channels.get(id).cloned().expect("built in")
    }

    #[test]
    fn a_card_by_its_maxima_has_the_prices_of_the_card_that_its_family_was_taken_from() {
        let (Some(short), said) = card(ROUTED) else { panic!("{:?}", card(ROUTED).1) };
        assert_eq!(said, []);
        let whole = built_in("fex32s");
        let (ChannelWork::Priced(mine), ChannelWork::Priced(its)) = (&short.work, &whole.work) else {
            panic!("priced by firmware")
        };
        let transport = |work: &PricedWork| work.transport.clone().expect("zHPF");
        for (mine, its) in [(&mine.command, &its.command), (&transport(mine).prices, &transport(its).prices)]
        {
            for (mine, its) in [
                (&mine.program_us, &its.program_us),
                (&mine.command_us, &its.command_us),
                (&mine.unit_us, &its.unit_us),
                (&mine.kib_us, &its.kib_us),
            ] {
                assert!((mine.value - its.value).abs() <= 0.001 * its.value, "{} {}", mine.value, its.value);
            }
        }
        assert_eq!(short.common.credits.value, whole.common.credits.value);
        assert_eq!(transport(mine).limit_64k.value, transport(its).limit_64k.value);
    }

    #[test]
    fn a_card_that_holds_its_bus_has_the_clocks_that_its_maximum_leaves() {
        let (short, said) = card(HELD);
        assert_eq!(said, []);
        let clocks = |card: &Channel| match &card.work {
            ChannelWork::HeldBus(held) => held.sequence_clocks.value,
            ChannelWork::Priced(_) => panic!("its firmware holds the bus"),
        };
        let (mine, its) = (clocks(&short.expect("read")), clocks(&built_in("ficon-z900")));
        assert!((mine / its - 1.0).abs() < 0.002, "{mine} {its}");
    }

    #[test]
    fn a_card_in_short_form_says_one_thing_for_each_mistake() {
        let one = |text: String| {
            let (card, said) = card(&text);
            assert_eq!((card, said.len()), (None, 1), "{said:?}");
            said.into_iter().next().expect("one")
        };
        let (number, said) = one(ROUTED.replace("ficon-2023", "ficon-2032"));
        assert_eq!(
            (number, said.as_str()),
            (catalog_numbers::UNKNOWN_FIRMWARE, "firmware `ficon-2032` is unknown")
        );
        let (number, said) = one(HELD.replace("5129", "12000"));
        let expected = "12000 reads of 4 KiB a second are 83.3 us each, but the bus alone takes 95.0 us";
        assert_eq!((number, said.as_str()), (catalog_numbers::TOO_FAST, expected));
        let command_mode = ROUTED.split("[transport").next().expect("text");
        let (number, _) = one(command_mode.replace("ficon-2023", "ficon-2002"));
        assert_eq!(number, numbers::CHOOSE_ONE);
    }
}
