//! Messages with an IBM message of the same meaning: devices.

use crate::messages::register::messages;

messages! { "Devices"
    _ = 300 E "unit addresses run past FF"
        rule "Unit addresses are 00 to FF."
        cause "The first unit address, or the last two digits of the device number, plus the count is above 100 \
            (hexadecimal)."
        example "IODEVICE ADDRESS=(10F8,016),CUNUMBR=(1000),UNIT=3390"
        fix "Give UNITADD=, or define fewer devices.";
    _ = 302 E "duplicate control unit in a list"
        rule "CUNUMBR= of IODEVICE names a control unit once."
        cause "The number was copied."
        example "IODEVICE ADDRESS=1000,CUNUMBR=(1000,1000),UNIT=3390"
        fix "Remove one of the two.";
    _ = 303 E "a control unit does not answer to the unit address"
        rule "The unit addresses of devices lie in UNITADD= of each of their control units."
        cause "The range of the control unit is smaller, or begins elsewhere."
        example "IODEVICE ADDRESS=(1008,016),CUNUMBR=(1000) with UNITADD=((00,016))"
        fix "Widen UNITADD= of the control unit, or give UNITADD= of the devices.";
    _ = 304 E "more than eight paths to a device"
        rule "A device has at most eight paths in a channel subsystem."
        cause "Its control units have more channels together."
        example "CUNUMBR=(1000,1001) with five and four channels"
        fix "Remove channels from PATH= of the control units.";
    _ = 308 E "a control unit is undefined"
        rule "CUNUMBR= of IODEVICE names control units that stand before it."
        cause "No CNTLUNIT has the number, or it follows later."
        example "IODEVICE ADDRESS=1000,CUNUMBR=(1001),UNIT=3390"
        fix "Correct the number, or move the CNTLUNIT in front.";
    _ = 310 W "TIMEOUT on channels that have none"
        rule "TIMEOUT= is for devices on parallel and ESCON converter channels."
        cause "It stands with a device on other channels, where it is ignored."
        example "IODEVICE ADDRESS=1000,CUNUMBR=(1000),TIMEOUT=Y,UNIT=3390"
        fix "Remove TIMEOUT=.";
    _ = 311 E "control units with channels that do not mix"
        rule "The control units of a device have channels of one family."
        cause "One of them is on channels of another family."
        example "CUNUMBR=(1000,1001) with channels of TYPE=FC and TYPE=FCP"
        fix "Name control units on channels of one family.";
    _ = 313 E "control units with shared and unshared channels"
        rule "The channels of all control units of a device are shared, or none are."
        cause "One control unit has shared channels and another has not."
        example "CUNUMBR=(1000,1001) with channel 40 SHARED and channel 41 PART=A"
        fix "Make all channels shared, or all unshared.";
    _ = 315 E "a device candidate list on unshared channels"
        rule "PART= and NOTPART= of IODEVICE are for devices on shared channels."
        cause "The channels of the device belong to one partition."
        example "IODEVICE ADDRESS=1000,CUNUMBR=(1000),PART=A with channel 40 PART=A"
        fix "Remove the list, or share the channels.";
    _ = 323 C "an OSAD device on a control unit with CUADD"
        rule "OSA/SF uses the OSAD device (unit address FE) of CUADD 0 only."
        cause "The control unit of the device has another CUADD=."
        example "CNTLUNIT CUNUMBR=1000,CUADD=1,UNIT=OSA with a device at FE"
        fix "Define the OSAD device on the control unit with CUADD=0.";
    _ = 325 E "the type has subchannel set 0 only"
        rule "Devices on parallel and coupling channels are in subchannel set 0."
        cause "SCHSET= is above 0."
        example "IODEVICE ADDRESS=(FFF0,7),CUNUMBR=(FFF0),SCHSET=1,UNIT=CFP"
        fix "Remove SCHSET=.";
    _ = 352 E "duplicate unit address on a control unit"
        rule "A unit address of a control unit is one device in a channel subsystem."
        cause "Two IODEVICE statements lead to the same address."
        example "ADDRESS=1000 and ADDRESS=2000, both UNITADD=00 on CUNUMBR=(1000)"
        fix "Correct UNITADD= of one of them.";
    _ = 361 E "duplicate device number in a partition"
        rule "In a subchannel set a partition has each device number once."
        cause "Two IODEVICE statements have a number in common, and one partition has access to the channels of \
            both."
        example "IODEVICE ADDRESS=1000 on control units 1000 and 2000"
        fix "Use other numbers, another SCHSET=, or keep the partition away by NOTPART=.";
}
