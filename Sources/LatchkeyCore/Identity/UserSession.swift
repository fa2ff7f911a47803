import LatchkeyModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The session of the logged-in user on this device, without the token.
public struct UserSession: Hashable, Sendable {
    /// The session's id on the server, or an empty string if the server didn't send it.
    public var id: String

    /// The account of the logged-in user.
    public var identity: Identity

    /// The time at which the user last authenticated, or `nil` if the server didn't send it.
    public var authenticatedAt: Date?

    /// The session's expiry date, or `nil` if it is unknown.
    ///
    /// Use this for display only, because the server decides when a session expires.
    public var expiresAt: Date?

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - id: The session's id on the server, or an empty string if it is unknown.
    ///   - identity: The account of the logged-in user.
    ///   - authenticatedAt: The time at which the user last authenticated, if it is known.
    ///   - expiresAt: The session's expiry date, if it is known.
    public init(
        id: String,
        identity: Identity,
        authenticatedAt: Date? = nil,
        expiresAt: Date? = nil
    ) {
        self.id = id
        self.identity = identity
        self.authenticatedAt = authenticatedAt
        self.expiresAt = expiresAt
    }
}
