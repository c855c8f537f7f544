//! Messages about conversations and their networks in a study.

use crate::messages::register::messages;

messages! { "Conversations in a study"
    NETWORK_TOO_LONG = 703 E "a network is longer than the optics of its ports reach"
        rule "A 10GbE port reaches 300 m over OM3 fibre: to another port, or to a switch, behind which the other port is as far."
        cause "`km` is more than 0.3 without a switch or 0.6 with one, or `port_km` is more than 0.3."
        example "km = 10 and switches = 1 in [[network]]"
        fix "Shorten the fibres, or cascade switches (`switches = 2`) or put multiplexers between them (`dwdm`).";
    NETWORK_FLOW_CONTROL = 704 E "switches of a network with RoCE ports have the wrong flow control"
        rule "Switches between RoCE ports have Global Pause on and priority flow control off."
        cause "`pause = false` or `pfc = true` in a network that carries SMC-R."
        example "pfc = true in [[network]]"
        fix "Set `pause = true` and `pfc = false`.";
    OSD_TOO_SLOW = 705 E "the OSD beside RoCE ports is too slow"
        rule "Connections of SMC-R begin over an OSD of 1 Gbit/s or more."
        cause "`osd_gbps` of the network is less than 1."
        example "osd_gbps = 0.1 in [[network]]"
        fix "Give the network a faster OSD.";
    NOT_QUALIFIED = 706 W "multiplexers of a network are not qualified for RoCE"
        rule "The catalog lists the multiplexers that are qualified for SMC-R and RoCE Express."
        cause "`dwdm` names others."
        example "dwdm = \"Wavestar\" in [[network]]"
        fix "Take qualified ones, or test yours.";
    NO_CONVERSATION_LPAR = 707 E "a conversation is of a partition that the plant does not have, or of one alone"
        rule "`client` and `server` of [[conversation]] are two [[lpar]] of the plant."
        cause "A name is mistyped, or both are the same."
        example "client = \"LP14\" and server = \"LP14\""
        fix "Correct the name.";
    ROCE_UNKNOWN = 708 E "a conversation goes over RoCE functions, and nothing is given about their cards"
        rule "A hardware file states which cards are plugged, and the catalog how fast a port is."
        cause "The deck has functions of TYPE=ROCE, and its CPC no `hardware`."
        example "path = \"smc-r\" in a study whose plant has no `hardware`"
        fix "Write a hardware file with features 0411, and name it by `hardware` in the CPC of the plant.";
    FALLS_BACK = 709 W "a conversation falls back to TCP"
        rule "SMC-R needs RoCE functions of both partitions, on plugged cards, with a port on the network of their OSD."
        cause "A partition has no such function, its PNETID is another one, or the catalog has no speed of its ports."
        example "PNETID=(NET2) on the functions of the server, and NET1 on those of the client"
        fix "Give both partitions functions with the PNETID of their OSD, or leave the conversation to TCP.";
    NO_NETWORK = 710 E "two partitions have no network in common"
        rule "A conversation goes over a [[network]] that both partitions reach by a CHPID of TYPE=OSD with its PNETID."
        cause "The plant lacks the network, or the deck an OSD with that PNETID to which the partition has access."
        example "[[network]] pnetid = \"NET1\" and OSD channels with PNETID=NET2"
        fix "Add the network to the plant, or PNETID to the CHPID.";
    ADAPTER_IS_AWAY = 720 E "an adapter is pulled that is not in its slot"
        rule "An adapter is pulled when it is plugged: after the end of the event that pulled it before."
        cause "Two events pull one adapter, and the second begins before the first has ended."
        example "adapter-pulled of PCHID 110 at 1 s for 2 s, and again at 2 s"
        fix "Begin the second one later, or make one event of both.";
}
