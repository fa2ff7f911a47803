import LatchkeyWire

/// A kind of credential that a request can contain.
enum PresentedCredential: String, CaseIterable, Sendable {
    /// No credential.
    case none
    /// The token of a session whose last login is an hour ago or more.
    case session
    /// The token of a session without its device certificate.
    case provisional
    /// The token of a session with a recent login.
    case reauthenticated
    /// The token of a session that has expired.
    case expired
    /// A bearer access token whose audience is the server, with all scopes.
    case accessToken = "access token"
    /// A bearer access token whose audience is the server, but without scopes.
    case withoutScope = "access token without scopes"
    /// A bearer access token for a different audience.
    case otherAudience = "access token for another audience"
    /// An access token that is bound to a key, with a proof.
    case bound = "bound access token with a proof"
    /// An access token that is bound to a key, without a proof.
    case withoutProof = "bound access token without a proof"
    /// A refresh token.
    case refreshToken = "refresh token"
    /// The admin token.
    case adminToken = "admin token"
    /// A signed purchase history.
    case history
    /// The cookie of a browser's session with a recent login.
    case cookie
    /// The value of a session cookie in the header for tokens.
    case cookieAsToken = "cookie as a token"
    /// The token of a session with a recent login in the cookie.
    case tokenAsCookie = "token as a cookie"

    /// Returns whether a route accepts the credential, according to the `x-credentials` member of its
    /// operation in the OpenAPI document.
    func isAccepted(by declared: JSONValue?) -> Bool {
        switch declared?["kind"]?.text {
        case "none", "body": true
        case "admin_token", "admin_token_unless_open": self == .adminToken
        case "session": isAccepted(bySession: declared)
        default: false
        }
    }

    private func isAccepted(bySession declared: JSONValue?) -> Bool {
        guard declared?["presence"] != "considered" else { return true }
        guard let carrier = declared?["carrier"]?.text else { return false }
        switch self {
        case .cookie: return carrier != "header" || declared?["presence"] == "optional"
        case .cookieAsToken: return carrier == "cookie" && declared?["presence"] == "optional"
        case .tokenAsCookie: return carrier == "header" && declared?["presence"] == "optional"
        case _ where carrier == "cookie": return false
        default: break
        }
        let accessToken = declared?["access_token"]
        let isAnyAudience = accessToken?["audience"] == "any"
        let isIssuer = accessToken?["audience"] == "issuer"
        return switch self {
        case .none: declared?["presence"] == "optional"
        case .session: declared?["privileged"] != "always"
        case .reauthenticated: true
        case .provisional: declared?["provisional"] == .bool(true)
        case .accessToken: isAnyAudience || isIssuer && accessToken?["bound"] == .bool(false)
        case .withoutScope, .otherAudience: isAnyAudience
        case .bound: isAnyAudience || isIssuer
        case .expired, .withoutProof, .refreshToken, .adminToken, .history, .cookie, .cookieAsToken,
            .tokenAsCookie:
            false
        }
    }
}
