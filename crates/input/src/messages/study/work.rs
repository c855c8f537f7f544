//! Messages about streams, traces, volumes, events and runs.

use crate::messages::register::messages;

messages! { "Streams, volumes and runs of a study"
    NO_VIRTUAL_PORT = 824 E "a stream names a virtual port that a path does not have"
        rule "A virtual port (NPIV) that a stream names is on every path of the channel, with a name of its own on each."
        cause "The name is misspelt, or one of the paths has no `[[path.virtual_port]]` of it."
        example "virtual_port = \"LNX1\" where one of two paths has no virtual port LNX1"
        fix "Add the virtual port to the path, or correct the name.";
    NO_SYNCHRONOUS_LINK = 825 E "synchronous I/O has no link that could be used"
        rule "Synchronous I/O needs 1 to 16 `[[zhyperlink]]` of a host with a path group, beside its channel paths."
        cause "`synchronous` of a stream without a `[[zhyperlink]]`, one with `path_group = false`, or a seventeenth."
        example "synchronous = \"read\" in a file without [[zhyperlink]]"
        fix "Add a [[zhyperlink]] with the socket of the control unit, or take `synchronous` away.";
    LUN_WITHOUT_PORT = 826 E "a LUN is at a port that is not of FCP"
        rule "LUNs are seen at ports of FCP, devices at ports of FICON: `protocol` of a port says of which it is."
        cause "`ports` of a LUN names a port of FICON, or none of the file; or no port is of FCP."
        example "ports = [\"0030\"] where port 0030 has no protocol = \"fcp\""
        fix "Name a port of FCP, or write `protocol = \"fcp\"` at the port.";
    MIXED_PROTOCOLS = 827 E "streams of one channel are of FICON and of FCP"
        rule "A channel path is of FICON or of FCP, and so are all streams of a channel file."
        cause "`protocol = \"fcp\"` in some streams of the file and not in others."
        example "two [[stream]], one of them with protocol = \"fcp\""
        fix "Put the streams of FCP into a file of their own, with paths of their own.";
    RUN_TOO_LONG = 880 E "a run is longer than can be run"
        rule "Warm-up and intervals together are at most the time that the message names."
        cause "`intervals`, `interval_s` or the date is too large."
        example "interval_s = 1e9"
        fix "Lower `intervals` or `interval_s`.";
    BEYOND_THIS_HOST = 881 E "an address can be reached by other hosts without permission in the file"
        rule "A served control unit or director listens to this host only, unless its file allows more."
        cause "`listen` is an address of the network."
        example "listen = \"0.0.0.0:5000\""
        fix "Listen at 127.0.0.1, or write `listen_beyond_this_host = true`.";
    NO_VOLUME_TO_SERVE = 882 E "a volume cannot be served"
        rule "Each volume of a control-unit file is an image that can be opened."
        cause "The file is missing, is no image, is opened elsewhere, or has a journal of another image."
        example "image = \"work.ckd\" without that file"
        fix "Name the first file of a volume; `halftrack volume check` reads an image, `halftrack volume create` \
            makes one.";
    CANNOT_LISTEN = 883 E "a port cannot listen at its address"
        rule "Each port has an address that no other program uses."
        cause "The address is taken, or is not one of this host."
        example "listen = \"127.0.0.1:5000\" while another halftrack serves there"
        fix "End the other program, or give another address.";
    NO_CACHE = 888 E "a stream draws tracks for a control unit whose cache has no size"
        rule "Hits of drawn tracks follow from the size of the cache."
        cause "`tracks` of the stream is given and `cache_tracks` of the control unit is not."
        example "tracks = 5000 on a [[control_unit]] without cache_tracks"
        fix "Give the control unit `cache_tracks`, or the stream a `hit_ratio`.";
    NO_TRACE = 889 E "a trace is missing or has no I/Os"
        rule "`trace` of a stream is a file of the study with I/Os at several times."
        cause "The name is mistyped, the file is empty, or all its times are equal and it is repeated."
        example "trace = \"io.csv\" without that file"
        fix "Name a trace of the study.";
    NO_STUDY = 900 E "a study or one of its files is missing"
        rule "A study is a directory with deck.iocp, plant.toml and workload.toml."
        cause "The path is mistyped, or one of the three files is missing."
        example "halftrack run studys/z16-oltp"
        fix "Correct the path; `halftrack study new` writes a study.";
    NO_LPAR = 916 E "the plant lacks the partition of a stream"
        rule "`lpar` of a stream is an [[lpar]] of the plant."
        cause "The name is mistyped, or the table is missing."
        example "lpar = \"PORD1\""
        fix "Correct the name, or add an [[lpar]].";
    NO_ACCESS = 917 E "the partition of a stream has no access to what it uses"
        rule "A partition reaches a device when channel and device lists allow it."
        cause "PART= or NOTPART= keeps the partition away."
        example "PART=A with a stream in partition B"
        fix "Give the partition access to the channels of its devices.";
    NO_DEVICE = 918 E "the deck lacks a device of a stream"
        rule "`devices` of a stream are device numbers of IODEVICE statements."
        cause "The number is mistyped, or is in another subchannel set."
        example "devices = [\"2000-20FF\"] where the deck ends at 1FFF"
        fix "Name devices of the deck; \"1.1000\" is device 1000 of subchannel set 1.";
    NOT_A_BASE = 919 E "a device of a stream is no base device of a disk"
        rule "Streams name bases; the supervisor uses their aliases itself."
        cause "The device is an alias, or of another unit."
        example "devices = [\"1080-10FF\"] of UNIT=3390A"
        fix "Name the bases.";
    NO_PATH = 920 E "no path leads from the partition of a stream to a device"
        rule "A device is reached over at least one channel that the partition has."
        cause "Its control unit has paths in other channel subsystems only."
        example "a partition of CSS 1 and PATH=((CSS(0),40))"
        fix "Add PATH= for the channel subsystem of the partition.";
    VOLSER_TWICE = 921 E "a volume serial is duplicate"
        rule "Each base device has a volume serial of its own."
        cause "The `volser` patterns of two boxes or ranges make the same serial."
        example "volser = \"HT%04d\" in two boxes"
        fix "Give them different patterns.";
    NO_VOLUME = 922 E "volumes of the plant name devices that their box does not have"
        rule "[[control_unit.volumes]] names base devices of the box."
        cause "The range is mistyped, or an earlier range has its devices already."
        example "devices = [\"3000-30FF\"] of a box without them"
        fix "Correct the range, or remove it.";
    DOES_NOT_FIT = 923 E "a program does not fit the track or the volume"
        rule "Records and tracks of a stream fit the geometry of its devices."
        cause "`record_bytes`, `records` or `tracks` is too large."
        example "record_bytes = 60000"
        fix "Lower it; a 3390 track holds one record of 56,664 bytes.";
    NO_TRANSPORT = 924 E "a stream wants transport mode where it is switched off"
        rule "Transport mode needs zHPF in the partition."
        cause "`zhpf = \"NO\"` stands in the [[lpar]] of the stream."
        example "mode = \"transport\" with zhpf = \"NO\""
        fix "Set `zhpf = \"YES\"`, or let the stream use command mode.";
    EVENT_MISSES = 925 E "an event happens to something that deck and plant do not define"
        rule "A part that an event names exists, and the machine has faults of its kind."
        cause "The name is mistyped, or of another channel subsystem; or the kind of fault is one that only a working link has."
        example "chpid = \"0.4F\" without that CHPID"
        fix "Name what the deck or plant defines, in the form that the message shows, or a kind of fault that it lists.";
    TRACE_LINE = 946 E "a line of a trace is no recorded I/O"
        rule "A trace has the columns of docs/formats/trace.md, in order of time."
        cause "A column is missing, or a value is malformed."
        example "1,1000,0,raed,4096"
        fix "Correct the line.";
    TRACE_MISFIT = 947 E "an I/O of a trace does not fit its stream"
        rule "Devices, tracks and sizes of a trace are those of the stream that follows it."
        cause "The device is not of the stream, or the size is no number of its records."
        example "device 1010 where the stream has 1000-100F"
        fix "Correct the trace, or the stream.";
    NO_FRAMES_TO_LOSE = 948 E "frames are to be lost on a fibre that carries no exchanges of FICON"
        rule "`bit_error_rate` and faults that lose frames belong to fibres whose frames are lost one by one: those of FICON."
        cause "The fibre is one of ESCON, a bus, or leads to a bridge."
        example "bit_error_rate = 1e-12 on the [[cable]] of a channel of TYPE=CNC"
        fix "Remove `bit_error_rate` or the event, or give it to a fibre of FICON.";
    UNIT_ADDRESS_TWICE = 949 E "a partition has two device numbers for one disk"
        rule "A partition has one device number for each unit address of a logical control unit."
        cause "Two IODEVICE statements lead to the same disk."
        example "devices 1000 and 2000 with unit address 00 of one control unit"
        fix "Take one of them from the partition by PART= or NOTPART=.";
    NO_EADM = 966 E "work is on EADM subchannels of a machine that has none"
        rule "EADM subchannels exist from the machines on whose catalog entry gives them."
        cause "The partition runs on an older machine."
        example "[[eadm]] with lpar of a z13"
        fix "Remove the table, or name a partition of a machine that has them.";
    NO_EADM_LPAR = 967 E "work is on EADM subchannels of a partition that the plant does not have"
        rule "`lpar` of [[eadm]] is an [[lpar]] of the plant."
        cause "The name is mistyped."
        example "lpar = \"PORD1\" in [[eadm]]"
        fix "Correct the name.";
    OFFERED_TOO_MUCH = 968 W "an open stream offers more than the stations of its paths allow"
        rule "Offered rates are below what every station on the way can do; otherwise queues grow without end."
        cause "`rate_per_s` is above the limit of the station that the message names."
        example "rate_per_s = 200000 over one channel"
        fix "Lower the rate, or add channels, ports or control units.";
}
