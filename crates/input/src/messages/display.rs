//! Messages about operators' commands.

use crate::messages::register::messages;

messages! { "Operators' commands"
    NO_SUCH_COMMAND = 988 E "an operator's command is unknown or malformed"
        rule "Commands are those of z/OS and z/VM that the book lists under displays."
        cause "The command or an operand is misspelt."
        example "D M=CHIP(40)"
        fix "Write the command as the message shows it.";
    NO_ANSWER = 989 E "nothing in the study could answer an operator's command"
        rule "A command is answered from deck, plant and run."
        cause "The command is one of z/OS, but it is about something that is not modelled."
        example "D NET,MAJNODES"
        fix "Use one of the commands that the message lists.";
}
