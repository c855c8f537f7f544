//! Extended link services as octets and back.

use proptest::prelude::*;

use super::*;
use crate::world_wide_name::WorldWideName;

const PORT: WorldWideName = WorldWideName(0xC050_7600_0000_0001);
const NODE: WorldWideName = WorldWideName(0x5005_0763_0000_0030);

fn descriptor() -> NodeDescriptor {
    NodeDescriptor { parameters: [1, 0, 0x50], node_type: [0xF0; 6], tag: 0x50, ..NodeDescriptor::default() }
}

fn incident() -> LinkIncident {
    LinkIncident {
        incident: IncidentPort { port_name: PORT, node_name: NODE },
        port_type: 1,
        address: 0x01_0200,
        connected: IncidentPort { port_name: NODE, node_name: PORT },
        fabric_name: NODE,
        physical_port: 7,
        transaction: 9,
        at: (11, 13),
        qualifier: qualifier::SWITCH | IncidentCode::LossOfSignal.severity(),
        code: IncidentCode::LossOfSignal,
    }
}

fn requests() -> Vec<(Els, usize)> {
    let parameters = ServiceParameters::class_3(PORT, NODE, 2112, 90);
    let page = ServicePage::sb(SbLogin { first_transfer_4k: 16, initiation_delay_s: 4, flags: 0xC0 });
    let both = StateChange {
        pages: vec![ChangedArea::port(0x01_0200), ChangedArea { format: 2, ..ChangedArea::default() }],
    };
    let registration = IncidentRegistration { receiver: IncidentReceiver::Unconditional, format: 0x1B };
    vec![
        (Els::Flogi(parameters), 116),
        (Els::Fdisc(parameters), 116),
        (Els::Plogi(parameters), 116),
        (Els::Prli(ProcessLogin::new(page)), 20),
        (Els::Prli(ProcessLogin::new(ServicePage::fcp(FcpLogin::INITIATOR))), 20),
        (Els::Prlo(ProcessLogin::new(ServicePage::sb(SbLogin::default()))), 20),
        (Els::Rrq(ExchangeIds { originator: 0x01_0100, ox_id: 7, rx_id: 0xFFFF }), 12),
        (Els::Logo(Logout { address: 0x01_0100, port_name: PORT }), 16),
        (Els::Echo(vec![1, 2, 3, 4]), 8),
        (Els::Rscn(both), 12),
        (Els::Scr(Registration::Full), 8),
        (Els::Rnid(0xDF), 8),
        (Els::Rls(0x01_0200), 8),
        (Els::Rtv, 4),
        (Els::Adisc(Discovery { hard_address: 1, port_name: PORT, node_name: NODE, address: 2 }), 28),
        (Els::Rlir(incident()), 76),
        (Els::Lirr(registration), 8),
        (Els::Rec(ExchangeIds { originator: 0x01_0100, ox_id: 7, rx_id: 0xFFFF }), 12),
    ]
}

fn replies() -> Vec<(u8, ElsReply, usize)> {
    let identification = NodeIdentification {
        port_name: PORT,
        node_name: NODE,
        descriptor: descriptor(),
        takes_process_login: true,
    };
    let page = ServicePage::sb(SbLogin::default()).with_response(ServicePage::EXECUTED);
    let status = ExchangeStatus {
        ox_id: 7,
        rx_id: 8,
        originator: 0x01_0100,
        responder: 0x01_0200,
        received_bytes: 4096,
        status: ExchangeStatus::RESPONDER | ExchangeStatus::INITIATIVE,
    };
    let reject =
        LsReject { reason: RejectExplanation::Busy, explanation: LsReject::LOGIN_REQUIRED, vendor: 7 };
    vec![
        (code::PLOGI, ElsReply::Login(ServiceParameters::class_3(PORT, NODE, 2048, 1)), 116),
        (code::PRLI, ElsReply::ProcessLogin(ProcessLogin::new(page)), 20),
        (code::PRLO, ElsReply::ProcessLogin(ProcessLogin::new(page)), 20),
        (code::RRQ, ElsReply::Accept, 4),
        (code::LOGO, ElsReply::Accept, 4),
        (code::ECHO, ElsReply::Echo(vec![9; 64]), 68),
        (code::REC, ElsReply::ExchangeStatus(status), 24),
        (code::RLIR, ElsReply::Accept, 4),
        (code::LIRR, ElsReply::Accept, 4),
        (code::RNID, ElsReply::NodeIdentification(identification), 76),
        (code::RLS, ElsReply::LinkErrors(LinkErrors { invalid_crcs: 3, ..LinkErrors::default() }), 28),
        (code::RTV, ElsReply::TimeoutValues(TimeoutValues::default()), 16),
        (code::ADISC, ElsReply::Discovery(Discovery::default()), 28),
        (code::SCR, ElsReply::Reject(reject), 8),
    ]
}

#[test]
fn requests_round_trip_and_need_every_octet() {
    for (request, bytes) in requests() {
        let octets = request.emit();
        assert_eq!((octets.len(), Els::code_of(&octets)), (bytes, Some(request.code())));
        assert_eq!(Els::parse(&octets), Ok(request.clone()));
        let is_echo = matches!(request, Els::Echo(_));
        for length in 0..octets.len() {
            assert!(
                Els::parse(&octets[..length]).is_err() || is_echo && length >= 4,
                "{request:?}, {length}"
            );
        }
    }
}

/// The page of FCP in the FCP reference, section 1.7, as it is offered and refused by configuration.
#[test]
fn worked_fcp_page() {
    let offered = FcpLogin::INITIATOR.with(FcpLogin::READ_READY_DISABLED).with(FcpLogin::RETRY);
    let page = ServicePage::fcp(offered);
    let octets = [0x20, 0x10, 0, 20, 8, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x22];
    let request = Els::Prli(ProcessLogin::new(page));
    assert_eq!((request.emit(), Els::parse(&octets)), (octets.to_vec(), Ok(request)));
    assert_eq!((page.fcp_login(), page.sb_login()), (Some(offered), None));
    let refused = page.refused(ServicePage::FORBIDDEN);
    assert_eq!((refused.flags, refused.response()), (0x05, ServicePage::FORBIDDEN));
}

/// The answer to REC of the FCP reference, section 6.5: 4096 octets moved, the target has the initiative.
#[test]
fn worked_exchange_status() {
    let octets = [2, 0, 0, 0, 0x12, 0x37, 0, 0x58, 0, 1, 2, 0, 0, 1, 1, 0, 0, 0, 0x10, 0, 0x40, 0, 0, 0];
    let status = ExchangeStatus {
        ox_id: 0x1237,
        rx_id: 0x58,
        originator: 0x01_0200,
        responder: 0x01_0100,
        received_bytes: 4096,
        status: ExchangeStatus::INITIATIVE,
    };
    assert_eq!(ElsReply::parse(code::REC, &octets), Ok(ElsReply::ExchangeStatus(status)));
}

/// The accept of LIRR may repeat the registration, or be its code alone.
#[test]
fn both_accepts_of_a_registration_for_incidents_are_read() {
    let registration = IncidentRegistration { receiver: IncidentReceiver::Conditional, format: 0x1B };
    for reply in [ElsReply::Accept, ElsReply::Registered(registration)] {
        assert_eq!(ElsReply::parse(code::LIRR, &reply.emit()), Ok(reply));
    }
}

#[test]
fn replies_round_trip_and_need_every_octet() {
    for (request, reply, bytes) in replies() {
        let octets = reply.emit();
        assert_eq!(octets.len(), bytes, "{reply:?}");
        assert_eq!(ElsReply::parse(request, &octets), Ok(reply.clone()));
        let is_echo = matches!(reply, ElsReply::Echo(_));
        for length in 0..octets.len() {
            assert!(ElsReply::parse(request, &octets[..length]).is_err() || is_echo && length >= 4);
        }
    }
}

/// Offsets of the reference's section 5.1.
#[test]
fn service_parameters_stand_where_the_reference_says() {
    let mut parameters = ServiceParameters::class_3(PORT, NODE, 2112, 0x0102);
    parameters.buffer_state_change = 5;
    let octets = Els::Flogi(parameters).emit();
    assert_eq!(&octets[..12], [4, 0, 0, 0, 0x20, 0x20, 1, 2, 0x80, 0, 0x58, 0x40]);
    assert_eq!(octets[20..28], PORT.0.to_be_bytes());
    assert_eq!(octets[28..36], NODE.0.to_be_bytes());
    assert_eq!((&octets[68..70], &octets[74..76]), (&[0x88, 0][..], &[0x08, 0x40][..]));
    assert_eq!((octets[81], octets.len()), (1, service_parameters::LOGIN_BYTES));
    assert_eq!(parameters.class_3_receive_bytes(), Some(2112));
    parameters.receive_bytes = 2048;
    assert_eq!(parameters.class_3_receive_bytes(), Some(2048));
    parameters.classes[2].service_options = 0;
    assert_eq!(parameters.class_3_receive_bytes(), None);
}

#[test]
fn the_page_of_transport_mode() {
    let login = SbLogin {
        first_transfer_4k: 0x0010,
        initiation_delay_s: 4,
        flags: SbLogin::TRANSPORT_MODE | SbLogin::FIRST_TRANSFER_READY_DISABLED,
    };
    let prli = ProcessLogin::new(ServicePage::sb(login).with_response(ServicePage::EXECUTED));
    let octets = ElsReply::ProcessLogin(prli.clone()).emit();
    assert_eq!(octets, [2, 16, 0, 20, 0x1B, 0, 0x21, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 4, 0xC0]);
    assert_eq!((prli.sb_login(), prli.pages[0].response()), (Some(login), 1));
    assert_eq!(
        (login.first_transfer_bytes(), SbLogin { flags: 0x80, ..login }.first_transfer_bytes()),
        (65536, 0)
    );
    let mut fcp = prli;
    fcp.pages[0].fc_type = 8;
    assert_eq!(fcp.sb_login(), None);
}

#[test]
fn a_node_descriptor_is_32_octets() {
    let octets = descriptor().emit();
    assert_eq!((&octets[..5], &octets[30..]), (&[0, 1, 0, 0x50, 0xF0][..], &[0, 0x50][..]));
    assert_eq!(descriptor().interface_id(), 0x50);
}

#[test]
fn changes_cover_addresses() {
    let change = |format| ChangedArea { format, qualifier: 0, address: 0x01_0200 };
    let covered =
        |format| [0x01_0200, 0x01_0201, 0x01_0300, 0x02_0200].map(|port| change(format).covers(port));
    assert_eq!(covered(ChangedArea::PORT), [true, false, false, false]);
    assert_eq!(covered(ChangedArea::AREA), [true, true, false, false]);
    assert_eq!(covered(ChangedArea::DOMAIN), [true, true, true, false]);
    assert_eq!(covered(ChangedArea::FABRIC), [true; 4]);
}

#[test]
fn lengths_that_contradict_themselves_are_refused() {
    let refused = |octets: &[u8], field, value| {
        assert_eq!(Els::parse(octets), Err(ParseError::Field { field, value }), "{octets:02x?}");
    };
    refused(&[0x20, 15, 0, 20], "page length", 15);
    refused(&[0x20, 16, 0, 4], "payload length", 4);
    refused(&[0x20, 16, 0xFF, 0xF4], "payload length", 0xFFF4);
    refused(&[0x61, 4, 0, 7], "payload length", 7);
    refused(&[0x61, 8, 0, 8], "page length", 8);
    refused(&[0x62, 0, 0, 0, 0, 0, 0, 4], "registration function", 4);
    refused(&[0x7A, 0, 0, 0, 9, 0, 0, 0], "registration function", 9);
    assert_eq!(Els::parse(&[0x14, 0, 0, 0]), Err(ParseError::Function(0x14)));
    assert_eq!(ElsReply::parse(code::PLOGI, &[4, 0, 0, 0]), Err(ParseError::Function(4)));
    assert_eq!(ElsReply::parse(0x14, &[2, 0, 0, 0]), Err(ParseError::Function(0x14)));
}

#[test]
fn codes_of_reasons_and_incidents_are_one_to_one() {
    for code in 0..=255 {
        assert_eq!(RejectExplanation::from_code(code).code(), code);
        assert_eq!(IncidentCode::from_code(code).code(), code);
    }
}

proptest! {
    #[test]
    fn any_octets_parse_or_fail_and_reparse(
        code in 0_u8..0x80, request in 0_u8..0x80, octets in prop::collection::vec(any::<u8>(), 3..130),
    ) {
        let mut octets = octets;
        octets.insert(0, code);
        if let Ok(els) = Els::parse(&octets) {
            prop_assert_eq!(Els::parse(&els.emit()), Ok(els));
        }
        octets[0] = 1 + code % 2;
        if let Ok(reply) = ElsReply::parse(request, &octets) {
            prop_assert_eq!(ElsReply::parse(request, &reply.emit()), Ok(reply));
        }
    }

    /// Every octet of service parameters has its field, so they survive as octets too.
    #[test]
    fn any_service_parameters_survive(octets in prop::collection::vec(any::<u8>(), 112)) {
        let mut whole = vec![code::PLOGI, 0, 0, 0];
        whole.extend_from_slice(&octets);
        prop_assert_eq!(Els::parse(&whole).unwrap().emit(), whole);
    }
}
