package import LatchkeyWire

/// The header field that proxies use to forward the client's address.
public enum ProxyHeader: String, Sendable, CaseIterable {
    /// The `X-Forwarded-For` field, which most proxies use.
    case xForwardedFor = "x-forwarded-for"
    /// The `Forwarded` field (RFC 7239).
    case forwarded
}

extension ProxyHeader {
    /// The name of the header field.
    var name: String {
        switch self {
        case .xForwardedFor: "X-Forwarded-For"
        case .forwarded: "Forwarded"
        }
    }
}

extension ProxyHeader: Loggable {
    /// The name of the header field.
    package var logged: JSONValue { .string(name) }
}
