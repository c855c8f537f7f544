//! Messages about keys and certificates of a working link.

use crate::messages::register::messages;

messages! { "Keys and certificates of a working link"
    UNPROTECTED_PORT = 878 W "a port that other hosts can reach requires neither key nor certificate"
        rule "A port that other hosts can reach should let nobody claim a name without a proof."
        cause "The port listens beyond this host, and has no keys in `hosts`, no `key`, and the file no `[tls]`."
        example "listen = \"0.0.0.0:3225\" with hosts = [\"50:05:07:64:00:00:00:40\"]"
        fix "Give the hosts keys, `{ wwpn = \"...\", key = \"FILE\" }`, or the file a table `[tls]`.";
    OPEN_KEY = 879 W "others may read a key of a link"
        rule "The file of a key is readable by its owner alone."
        cause "Its permissions let the group or everybody read it."
        example "key = \"prod1.key\" with mode 0644"
        fix "`chmod 600` the file, and make a new key if it was read.";
    NOT_IN_CERTIFICATE = 899 E "the certificate of a file does not name one of its ports"
        rule "Each port of a file with `[tls]` is named in its certificate: `URI:urn:halftrack:wwpn:` and 16 digits."
        cause "The certificate is of another file, or its subject alternative name was left out."
        example "wwpn = \"50:05:07:63:00:00:00:30\" with a certificate for 5005076300000031"
        fix "Make a certificate that names the port.";
    UNUSABLE_KEY = 998 E "a key or certificate of a link cannot be used"
        rule "A key has at least 32 octets, raw or in hexadecimal digits; certificates and keys of TLS are PEM files."
        cause "The file is missing, too short, or of another form, or certificate and key do not belong together."
        example "key = \"prod1.key\" with a file of 16 octets"
        fix "`openssl rand -hex 32 > prod1.key` makes a key; docs/link.md has the commands for certificates.";
}
