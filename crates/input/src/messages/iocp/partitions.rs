//! Messages with an IBM message of the same meaning: partitions and access lists.

use crate::messages::register::messages;

messages! { "Partitions and access"
    _ = 137 E "a second partition without SHARED or REC"
        rule "A channel path belongs to one partition at a time unless it is shared or reconfigurable."
        cause "The candidate list names several partitions, and neither SHARED nor REC is coded."
        example "CHPID PATH=(CSS(0),40),PART=((A),(A,B)),TYPE=FC"
        fix "Code REC behind the lists, or SHARED in place of PART=.";
    _ = 148 E "only REC may stand here"
        rule "Behind the access and candidate lists of PART= only REC may stand."
        cause "Another word, often a third list or a misspelt REC."
        example "CHPID PATH=(CSS(0),40),PART=((A),(A),JUNK),TYPE=FC"
        fix "Write REC, or remove the word.";
    _ = 149 E "a partition is not defined in the CSS"
        rule "Access and candidate lists name partitions of RESOURCE in the same channel subsystem."
        cause "The name is misspelt, or the partition is in another channel subsystem."
        example "CHPID PATH=(CSS(0),40),PART=X,TYPE=FC"
        fix "Correct the name, or add the partition to RESOURCE.";
    _ = 153 E "PART and NOTPART for one CSS"
        rule "For each channel subsystem access is given by PART= or taken away by NOTPART=, not both."
        cause "Both keywords name the same channel subsystem."
        example "CHPID PATH=(CSS(0),40),PART=A,NOTPART=B,TYPE=FC"
        fix "Keep one of the two.";
    _ = 155 E "duplicate MIF id in a CSS"
        rule "Partitions of one channel subsystem have different MIF image ids, 1 to 15."
        cause "Two partitions of RESOURCE have the same id."
        example "RESOURCE PART=((A,1),(B,1)),MAXDEV=65280"
        fix "Give one of them a free id.";
    _ = 156 E "duplicate partition name"
        rule "A partition stands once in a list."
        cause "The name was copied, or is the name of two partitions."
        example "RESOURCE PART=((A,1),(A,2)),MAXDEV=65280"
        fix "Remove or rename one of the two.";
    _ = 157 E "too many partitions"
        rule "A channel subsystem has at most 15 partitions, and a machine as many as its type allows."
        cause "RESOURCE names more than that."
        example "RESOURCE PART=((L0,1),(L1,2),...) with 16 names"
        fix "Remove partitions, or move some to another channel subsystem.";
    _ = 162 W "MAXDEV is missing; the maximum is reserved"
        rule "MAXDEV= of RESOURCE is the number of devices for which each subchannel set reserves storage."
        cause "The keyword is left out, so that the maximum is reserved."
        example "RESOURCE PART=((A,1))"
        fix "Add MAXDEV=, such as MAXDEV=(65280,65535).";
    _ = 164 I "MAXDEV lacks a CSS; the default is taken"
        rule "MAXDEV= gives a number for each channel subsystem of RESOURCE."
        cause "A channel subsystem with partitions is not in MAXDEV=."
        example "RESOURCE PART=((CSS(0),(A,1)),(CSS(1),(B,1))),MAXDEV=((CSS(0),65280))"
        fix "Add (CSS(1),65280).";
    _ = 165 E "a CSS tag is missing"
        rule "Where a deck has several channel subsystems, each list begins with its own: CSS(n)."
        cause "The value stands without CSS(n)."
        example "CHPID PATH=40,SHARED,PCHID=100,TYPE=FC"
        fix "Write PATH=(CSS(0),40).";
    _ = 167 E "a CSS does not exist"
        rule "Channel subsystems are numbered from 0 to one less than the machine has."
        cause "The number is too large for the machine type."
        example "CHPID PATH=(CSS(6),40),SHARED,PCHID=100,TYPE=FC"
        fix "Name a channel subsystem of the machine, or correct SYSTEM=.";
    _ = 192 E "MCS_1 is given I/O"
        rule "The partition MCS_1 owns no channel paths and no functions."
        cause "PART= or NOTPART= gives it access."
        example "CHPID PATH=40,PCHID=100,PART=MCS_1,TYPE=FC"
        fix "Name another partition.";
}
