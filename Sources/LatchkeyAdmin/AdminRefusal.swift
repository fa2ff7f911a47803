package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit

/// The reason for rejecting a request to the admin listener.
///
/// The raw value is also the label of the metric that counts rejected requests.
package enum AdminRefusal: String, CaseIterable, MetricLabels {
    /// The request doesn't contain a bearer token.
    case missingToken = "missing_token"
    /// The bearer token isn't an admin token.
    case wrongToken = "wrong_token"
    /// The request has no token, and the host in its `Host` header is another machine.
    case foreignHost = "foreign_host"
    /// The request has no token and was sent by a web page.
    case crossSite = "cross_site"

    /// The value of the metric's only label.
    ///
    /// The label doesn't identify the client.
    package var values: [String] { [rawValue] }

    /// The reason in the body of the response.
    ///
    /// The reason never contains text from the request.
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
    /// A request to the admin listener was rejected.
    ///
    /// For each client address, this action is recorded at most once per minute.
    package static let adminRefused = AuditAction(rawValue: "admin.refused")
}

extension AuditEvent {
    /// Creates an event for a rejected request to the admin listener.
    ///
    /// The event isn't associated with an account.
    ///
    /// - Parameters:
    ///   - refusal: The reason for rejecting the request, which is stored as the event's subject.
    ///   - peer: The client's address, which is stored without the port.
    ///   - now: The time of the request.
    ///   - random: The random source for the event's id.
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
            from: peer.address.description,
            requestID: RequestID.current,
            at: now,
            random: random
        )
    }
}
