package import LatchkeyModel

/// Why a request to the admin listener was refused; also the label of its counter.
package enum AdminRefusal: String, MetricLabels {
    /// There was no bearer token.
    case missingToken = "missing_token"
    /// The bearer token opens nothing.
    case wrongToken = "wrong_token"
    /// Without a token, under a name that is not one of the machine itself.
    case foreignHost = "foreign_host"
    /// Without a token, by a web page.
    case crossSite = "cross_site"

    package var values: [String] { [rawValue] }

    /// The reason in the answer.
    package var text: String {
        switch self {
        case .missingToken: "This request needs the admin token, as Authorization: Bearer."
        case .wrongToken: "The admin token is wrong."
        case .foreignHost:
            "Without the admin token, the Host of a request must be localhost or a loopback address."
        case .crossSite: "Web pages need the admin token."
        }
    }
}

extension AuditDeed {
    /// A request to the admin listener was refused; one a minute of each address is written down.
    package static let adminRefused = AuditDeed(rawValue: "admin.refused")
}

extension AuditEvent {
    /// Notes a refused request to the admin listener, which is about no account.
    package init(
        adminRefusal refusal: AdminRefusal,
        from peer: PeerAddress,
        at now: Timestamp,
        random: some RandomSource
    ) {
        id = Identifier(random: random)
        time = now
        actor = .server
        deed = .adminRefused
        identityID = .nilUUID
        subject = refusal.rawValue
        address = peer.host
        requestID = RequestID.current
    }
}
