package import LatchkeyWire

/// A challenge, which tells the client how to authenticate (RFC 9110, section 11.6.1).
///
/// Each challenge is sent in a `WWW-Authenticate` header field of its own, because clients that look for one
/// scheme often read only the beginning of a field.
package struct AuthenticationChallenge: Sendable {
    /// The reason for rejecting the credentials of a request (RFC 6750, section 3.1, and RFC 9449, section
    /// 9).
    package enum Reason: String, Sendable {
        case invalidToken = "invalid_token"
        case insufficientScope = "insufficient_scope"
        case nonceRequired = "use_dpop_nonce"
        case proofInvalid = "invalid_dpop_proof"
    }

    /// The name of the header field.
    package static let header = "WWW-Authenticate"

    /// The value of the header field.
    package let value: String

    private init(_ scheme: AuthenticationScheme, _ parameters: [(name: String, value: String?)]) {
        let parameters = parameters.compactMap { name, value in value.map { "\(name)=\"\($0)\"" } }
        value = "\(scheme.rawValue) \(parameters.joined(separator: ", "))"
    }

    /// A challenge to send a client's id and secret (RFC 7617).
    package static let basic = AuthenticationChallenge(.basic, [("realm", "Latchkey clients")])

    /// Returns a challenge to send a bearer token (RFC 6750, section 3).
    ///
    /// The reason must be `nil` if the request had no token.
    ///
    /// - Parameters:
    ///   - isAdministrative: Whether the token is the admin token and not a session token or an access token.
    ///   - reason: The reason for rejecting the request's token.
    ///   - scope: The scope that the token lacks.
    /// - Returns: The challenge.
    package static func bearer(
        admin isAdministrative: Bool = false,
        _ reason: Reason? = nil,
        scope: AccessScope? = nil
    ) -> AuthenticationChallenge {
        AuthenticationChallenge(
            .bearer,
            [
                ("realm", isAdministrative ? "Latchkey administration" : "Latchkey"),
                ("error", reason?.rawValue), ("scope", scope?.rawValue),
            ]
        )
    }

    /// Returns a challenge to send an access token that is bound to a key, and a proof of possession (RFC
    /// 9449, section 7.1).
    ///
    /// The reason must be `nil` if the request had no such token and no proof.
    package static func dpop(_ reason: Reason? = nil) -> AuthenticationChallenge {
        AuthenticationChallenge(.dpop, [("error", reason?.rawValue), ("algs", "ES256")])
    }
}

extension HTTP.Headers {
    /// Header fields that contain a challenge.
    package static func challenge(_ challenge: AuthenticationChallenge) -> HTTP.Headers {
        [AuthenticationChallenge.header: challenge.value]
    }
}

extension RouteCredentials {
    /// Returns the challenges for a request that was rejected with status 401.
    ///
    /// A response with this status must contain at least one challenge (RFC 9110, section 15.5.2).
    func challenges(to request: HTTP.Request) -> [AuthenticationChallenge] {
        if case .body = self { return [.basic] }
        if case .clientToken = self { return [.bearer(), .dpop()] }
        let bearer = AuthenticationChallenge.bearer(
            admin: isAdministrative,
            request.sessionToken == nil ? nil : .invalidToken
        )
        guard case .session(let rule) = self, rule.accessTokens != .none else { return [bearer] }
        return [bearer, .dpop(request.token(by: .dpop) == nil ? nil : .invalidToken)]
    }
}
