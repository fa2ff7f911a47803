package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit

/// The reasons for rejecting a request to the admin listener, which are also the labels of the counter of
/// rejected requests.
package enum AdminRefusal: String, MetricLabels {
    /// The request had no bearer token.
    case missingToken = "missing_token"
    /// The bearer token is not an admin token.
    case wrongToken = "wrong_token"
    /// A request without a token had a `Host` header that does not name the local machine.
    case foreignHost = "foreign_host"
    /// A request without a token was sent by a web page.
    case crossSite = "cross_site"

    /// The reason, which is the value of the metric's only label and does not identify the client.
    package var values: [String] { [rawValue] }

    /// The reason in the body of the response with status 401, which quotes no part of the request.
    package var text: String {
        switch self {
        case .missingToken: "This request requires the admin token in the Authorization header (Bearer)."
        case .wrongToken: "The admin token is invalid."
        case .foreignHost:
            "Without the admin token, the Host header must be localhost or a loopback address."
        case .crossSite: "Requests from web pages require the admin token."
        }
    }
}

extension AuditAction {
    /// A request to the admin listener was rejected, which is recorded at most once a minute for each client
    /// address.
    package static let adminRefused = AuditAction(rawValue: "admin.refused")
}

extension AuditEvent {
    /// Creates an event, which concerns no account, for a rejected request to the admin listener.
    ///
    /// - Parameters:
    ///   - refusal: The reason, which becomes the subject of the event.
    ///   - peer: The client, whose address is stored without the port.
    ///   - now: The time of the request.
    ///   - random: The source of the id.
    package init(
        adminRefusal refusal: AdminRefusal,
        from peer: PeerAddress,
        at now: Timestamp,
        random: some RandomSource
    ) {
        self.init(
            .adminRefused,
            of: .nilUUID,
            by: .server,
            about: refusal.rawValue,
            from: peer.host,
            requestID: RequestID.current,
            at: now,
            random: random
        )
    }
}
