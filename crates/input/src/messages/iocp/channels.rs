//! Messages with an IBM message of the same meaning: channel paths.

use crate::messages::register::messages;

messages! { "Channel paths"
    _ = 139 W E "a PCHID is missing"
        rule "A channel path or function on a card is placed by PCHID=."
        cause "The deck is not yet mapped to hardware."
        example "CHPID PATH=(CSS(0),40),SHARED,TYPE=FC"
        fix "Add PCHID=; `halftrack deck map` chooses one for each.";
    _ = 200 E "duplicate channel path"
        rule "A channel path is a CHPID in a channel subsystem, and is defined once."
        cause "Two CHPID statements name the same number and channel subsystem."
        example "CHPID PATH=(CSS(0),40),PCHID=104,TYPE=FC after one for 40"
        fix "Choose a free CHPID number.";
    SWITCH_NOT_FOR_TYPE = 201 E "SWITCH has no meaning for the type"
        rule "SWITCH= is for channels that lead to a director: FC, FCV, CNC, CVC and CTC."
        cause "It was copied to a channel of another type. The reference gives 201, 202 and 208 as one group; the \
            number within it is ours."
        example "CHPID PATH=(CSS(0),40),PCHID=100,SWITCH=11,TYPE=OSD"
        fix "Remove SWITCH=.";
    KEYWORD_NOT_FOR_TYPE = 202 E "a keyword has no meaning for the type"
        rule "Each channel or function type has its own keywords."
        cause "The keyword belongs to another type, or TYPE= is wrong."
        example "CHPID PATH=(CSS(0),40),PCHID=100,PORT=1,TYPE=FC"
        fix "Remove the keyword, or correct TYPE=.";
    _ = 203 E "FICON and ESCON channels on one switch"
        rule "A switch number stands for a FICON or for an ESCON director."
        cause "Channels of both kinds have the same SWITCH=."
        example "SWITCH=11 with TYPE=FC and with TYPE=CNC"
        fix "Give the directors different switch numbers.";
    _ = 204 W "more channels of a type than the machine has"
        rule "Machines have a limited number of channels of some types."
        cause "The deck defines more than the published limit."
        example "33 CHPIDs of TYPE=IQD"
        fix "Remove channels, or check SYSTEM=.";
    _ = 205 E "the type cannot be shared"
        rule "Channels of types CVC and CBY belong to one partition."
        cause "SHARED is coded for such a channel."
        example "CHPID PATH=40,SHARED,PCHID=100,TYPE=CVC"
        fix "Name the partition by PART=.";
    _ = 207 E "duplicate PCHID, VCHID or FID"
        rule "A PCHID or VCHID carries one channel path, and a FID names one function."
        cause "Two statements have the same number."
        example "CHPID PATH=(CSS(0),41),PCHID=100,TYPE=FC beside CHPID 40 with PCHID=100"
        fix "Give one of them a free number.";
    COUPLING_KEYWORD_NOT_FOR_TYPE = 208 E "a coupling keyword has no meaning for the type"
        rule "CPATH= and CSYSTEM= are for coupling links."
        cause "They stand with a channel of another type."
        example "CHPID PATH=(CSS(0),40),PCHID=100,CSYSTEM=X,TYPE=FC"
        fix "Remove the keyword, or correct TYPE=.";
    _ = 209 E "the type cannot be spanned"
        rule "Channels of types CNC, CTC, CVC, CBY, FCV, CFR and CBR are in one channel subsystem."
        cause "PATH= names several channel subsystems."
        example "CHPID PATH=(CSS(0,1),40),SHARED,PCHID=100,TYPE=FCV"
        fix "Define a channel for each channel subsystem.";
    _ = 210 E "a CHPARM that the type does not have"
        rule "CHPARM= has values of its own for each channel type."
        cause "The value is that of another type."
        example "CHPID PATH=(CSS(0),40),PCHID=100,CHPARM=02,TYPE=FC"
        fix "Remove CHPARM=, or write a value of the type.";
    _ = 369 E "LSYSTEM is missing for a coupling link"
        rule "A machine with coupling links to others has a name, LSYSTEM= of ID."
        cause "A channel of type CIB, CL5, CL6 or CS5 is defined and ID has no LSYSTEM=."
        example "ID SYSTEM=(3931,1) with TYPE=CL5"
        fix "Add LSYSTEM=.";
    _ = 371 E "FC and FCP on one card without MIXTYPE"
        rule "On machines before the z13 the ports of a card are of one type unless MIXTYPE is coded for each."
        cause "Two PCHIDs of a card have TYPE=FC and TYPE=FCP."
        example "PCHID=100,TYPE=FC and PCHID=101,TYPE=FCP"
        fix "Code MIXTYPE for both, or use another card.";
    _ = 374 E "types that never mix on one card"
        rule "The ports of a card are of types that its hardware serves together."
        cause "Two PCHIDs of one card have types of different cards."
        example "PCHID=100,TYPE=FC and PCHID=101,TYPE=OSD"
        fix "Move one of the channels to another card.";
}
