import LatchkeyModel
import LatchkeyWire

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A session that the user has on another device.
public struct DeviceSession: Hashable, Sendable, Identifiable {
    /// The session's id on the server.
    public var id: String

    /// The time at which the user last authenticated, or `nil` if the server didn't send it.
    public var authenticatedAt: Date?

    /// The session's expiry date, or `nil` if the server didn't send it.
    public var expiresAt: Date?

    /// The `User-Agent` of the app or browser that the user logged in with, or `nil` if it is unknown.
    public var userAgent: String?

    /// The IP address that the user logged in from, or `nil` if it is unknown.
    public var networkAddress: String?

    /// A description of where the user logged in, such as a city, or `nil` if it is unknown.
    public var location: String?

    /// The id of the app's registered client, or `nil` if it is unknown.
    public var clientID: String?

    /// The name of the app, which is untrusted text, or `nil` if it is unknown.
    public var clientName: String?

    /// Creates a session.
    public init(
        id: String,
        authenticatedAt: Date? = nil,
        expiresAt: Date? = nil,
        userAgent: String? = nil,
        networkAddress: String? = nil,
        location: String? = nil,
        clientID: String? = nil,
        clientName: String? = nil
    ) {
        self.id = id
        self.authenticatedAt = authenticatedAt
        self.expiresAt = expiresAt
        self.userAgent = userAgent
        self.networkAddress = networkAddress
        self.location = location
        (self.clientID, self.clientName) = (clientID, clientName)
    }
}

extension DeviceSession {
    /// Decodes a session.
    ///
    /// Returns `nil` if the id is missing.
    init?(decoding json: JSONValue) {
        guard let id = json["id"]?.text, !id.isEmpty else { return nil }
        let device = json["devices"]?.array?.first
        func text(_ name: String) -> String? { device?[name]?.text.flatMap { $0.isEmpty ? nil : $0 } }
        self.init(
            id: id,
            authenticatedAt: json["authenticated_at"]?.text.flatMap { Timestamp(rfc3339: $0)?.date },
            expiresAt: json["expires_at"]?.text.flatMap { Timestamp(rfc3339: $0)?.date },
            userAgent: text("user_agent"),
            networkAddress: text("ip_address"),
            location: text("location"),
            clientID: json["client_id"]?.text,
            clientName: json["client_name"]?.text
        )
    }
}

extension DeviceSession: CustomReflectable {
    /// A mirror for printing, in which the network address and the location are masked.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "id": id, "authenticatedAt": authenticatedAt as Any, "expiresAt": expiresAt as Any,
                "userAgent": userAgent as Any, "networkAddress": networkAddress.map { _ in Masked() } as Any,
                "location": location.map { _ in Masked() } as Any, "clientID": clientID as Any,
                "clientName": clientName as Any,
            ],
            displayStyle: .struct
        )
    }
}
