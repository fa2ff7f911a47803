import LatchkeyModel
public import LatchkeyWire

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The credentials for a request that the app sends with its own network stack.
///
/// Add ``headers`` to the request and only send it to ``origin``. If the server redirects to another origin,
/// don't send the header fields there. The credentials aren't included when this value is printed.
public struct RequestAuthorization: Sendable {
    /// The header fields to add, which are `Authorization` and, if the access token is bound, `DPoP` with a
    /// proof for a single request.
    public let headers: HTTP.Headers

    /// The normalized scheme, host and port of the server.
    public let origin: String

    /// The time at which the credential expires according to this device's clock, or `nil` if it is unknown.
    public let expiresAt: Date?

    /// Whether the credential is an access token, which can be refreshed.
    let usesPair: Bool

    /// The session that the credential belongs to.
    let handle: SessionHandle

    /// The proof of possession, or `nil` if the access token isn't bound.
    let proof: ProofOfPossession.Proof?
}

extension RequestAuthorization: CustomStringConvertible, CustomReflectable {
    /// The origin.
    ///
    /// The description doesn't contain the credentials.
    public var description: String { "authorization for \(origin)" }

    /// A mirror that doesn't contain the credentials, so that `dump` doesn't print them.
    public var customMirror: Mirror { Mirror(self, children: ["origin": origin]) }
}
