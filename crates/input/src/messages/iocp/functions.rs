//! Messages with an IBM message of the same meaning: PCIe functions.

use crate::messages::register::messages;

messages! { "PCIe functions"
    _ = 180 E "no partition can use the function"
        rule "A function has at least one partition in its access or candidate list."
        cause "The access list is empty and the candidate list is =."
        example "FUNCTION FID=11,PCHID=100,PORT=1,VF=1,PART=((0),(=)),TYPE=HYL"
        fix "Name a partition in one of the lists.";
    _ = 183 E "more than one physical function of an adapter"
        rule "An adapter has one physical function (PF), with a single FID."
        cause "A second FUNCTION with PF names the PCHID, or PF stands with a count of FIDs."
        example "FUNCTION FID=12,PCHID=100,PF,PART=A,TYPE=PAIA after another with PCHID=100,PF"
        fix "Name another PCHID, or use a virtual function.";
    _ = 184 E "the network IEDN on some ports of a RoCE adapter only"
        rule "IEDN is the network of all ports of an adapter, or of none."
        cause "One port has PNETID IEDN and another has a different one."
        example "FUNCTION FID=11,PCHID=100,VF=1,PNETID=(IEDN,NETB),TYPE=ROCE"
        fix "Write IEDN for all ports, or for none.";
    _ = 188 E "a PNETID is used by two internal channels"
        rule "A PNETID names one HiperSockets or ISM network."
        cause "Two VCHIDs have the same PNETID."
        example "FUNCTION FID=12,VCHID=7C1,VF=1,PNETID=N1,TYPE=ISM beside VCHID=7C0 with N1"
        fix "Give one of the channels another PNETID.";
    _ = 190 E "duplicate UID in a UUID partition"
        rule "In a partition named by UUID the user identifiers of functions are unique."
        cause "Two functions of the partition have the same UID=."
        example "FUNCTION FID=12,...,UID=21,PART=A beside FID=11,...,UID=21,PART=A"
        fix "Give one of them another UID.";
    _ = 215 E "duplicate VF"
        rule "A virtual function number stands once on each PCHID and port, or VCHID."
        cause "Two functions have the same VF=."
        example "FUNCTION FID=12,PCHID=100,PORT=1,VF=1,TYPE=HYL beside FID=11 with VF=1"
        fix "Give one of them a free VF.";
    _ = 216 E "a count for a type without VF"
        rule "Only types with virtual functions are defined several at once."
        cause "FID= has a count and TYPE= has no VF."
        example "FUNCTION FID=(11,2),PCHID=100,PART=A,TYPE=NVME"
        fix "Write one FUNCTION for each FID.";
    _ = 217 E "more PNETIDs than ports"
        rule "PNETID= has at most one name for each port of the function."
        cause "One name too many; a RoCE Express2 function has one port."
        example "FUNCTION FID=11,PCHID=100,PORT=1,VF=1,PNETID=(N1,N2),TYPE=ROC2"
        fix "Keep the names of the ports that there are.";
    _ = 219 E "VF is missing"
        rule "Functions of a type with virtual functions are numbered by VF=."
        cause "VF= was left out."
        example "FUNCTION FID=11,PCHID=100,PORT=1,PART=A,TYPE=HYL"
        fix "Add VF=, free on the PCHID and port.";
    _ = 220 E "TYPE is missing"
        rule "From the z13 on a function has a type."
        cause "TYPE= was left out, often in a deck of an older machine."
        example "FUNCTION FID=11,PCHID=100,PORT=1,VF=1,PART=A"
        fix "Add TYPE=, such as HYL, ROC2 or ISM.";
}
