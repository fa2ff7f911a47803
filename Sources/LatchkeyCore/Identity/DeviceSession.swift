public import LatchkeyModel
import LatchkeyWire

/// A session of the user's account on another device.
public struct DeviceSession: Hashable, Sendable, Identifiable {
    /// The session's identifier on the server.
    public var id: String

    /// The time of the last authentication, or `nil` if the server did not send it.
    public var authenticatedAt: Timestamp?

    /// The expiry of the session, or `nil` if the server did not send it.
    public var expiresAt: Timestamp?

    /// The `User-Agent` of the app or browser that logged in; `nil` if it is not known.
    public var userAgent: String?

    /// The network address from which the user logged in; `nil` if it is not known.
    public var networkAddress: String?

    /// The place from which the user logged in, as a text for the user; `nil` if it is not known.
    public var location: String?

    /// Creates a session.
    public init(
        id: String,
        authenticatedAt: Timestamp? = nil,
        expiresAt: Timestamp? = nil,
        userAgent: String? = nil,
        networkAddress: String? = nil,
        location: String? = nil
    ) {
        self.id = id
        self.authenticatedAt = authenticatedAt
        self.expiresAt = expiresAt
        self.userAgent = userAgent
        self.networkAddress = networkAddress
        self.location = location
    }
}

extension DeviceSession {
    /// Decodes a session; `nil` if its id is missing.
    init?(decoding json: JSONValue) {
        guard let id = json["id"]?.text, !id.isEmpty else { return nil }
        let device = json["devices"]?.array?.first
        func text(_ name: String) -> String? { device?[name]?.text.flatMap { $0.isEmpty ? nil : $0 } }
        self.init(
            id: id,
            authenticatedAt: json["authenticated_at"]?.text.flatMap { Timestamp(rfc3339: $0) },
            expiresAt: json["expires_at"]?.text.flatMap { Timestamp(rfc3339: $0) },
            userAgent: text("user_agent"),
            networkAddress: text("ip_address"),
            location: text("location")
        )
    }
}
