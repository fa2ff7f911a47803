public import LatchkeyModel
public import LatchkeyWire

/// The credentials for one request of the app's own network stack.
///
/// Add ``headers`` to the request, and send it only to ``origin``. Do not forward the fields when the server
/// redirects to another origin. Printing the value shows no credential.
public struct RequestAuthorization: Sendable {
    /// The header fields: `Authorization` and, for a bound access token, `DPoP` with the proof for one request.
    public let headers: HTTP.Headers

    /// Scheme, host and port of the server, normalized.
    public let origin: String

    /// The time at which the credential expires, by this device's clock; `nil` if it is not known.
    public let expiresAt: Timestamp?

    /// The session whose credential this is.
    let handle: SessionHandle

    /// The nonce in the proof; `nil` if there is none.
    let nonce: String?
}

extension RequestAuthorization: CustomStringConvertible, CustomReflectable {
    /// The origin, without the credentials.
    public var description: String { "authorization for \(origin)" }

    /// A mirror without the credentials, so that `dump` does not print them.
    public var customMirror: Mirror { Mirror(self, children: ["origin": origin]) }
}
