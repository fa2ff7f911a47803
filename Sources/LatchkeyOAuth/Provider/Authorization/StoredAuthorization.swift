import LatchkeyCrypto
package import LatchkeyModel
import LatchkeyServerKit

/// An authorization request that is stored while its user logs in.
package struct StoredAuthorization: Sendable {
    /// The id, which is the `login_challenge` in URLs.
    package let id: Identifier
    package let request: AuthorizationRequest
    /// The MAC that binds the request to a browser or one of the values below, or `nil` if the request
    /// hasn't been opened yet.
    let binding: [UInt8]?
    /// The session of the app that has the request open, or `nil` if none has.
    let approver: Identifier?
    /// When a browser began with the request.
    package let requestedAt: Timestamp
    package let expiresAt: Timestamp
    /// Whether the user has submitted a form or an app has opened the request for approval, after which it
    /// doesn't last any longer.
    let isExtended: Bool
    /// The account that the user has chosen to continue with.
    package let chosen: Identifier?
    /// The grant that the request has led to, or `nil` if there is none.
    let grant: Identifier?
    /// When the client got its answer, or `nil` if it hasn't.
    package let answeredAt: Timestamp?

    /// Returns whether the request waits for its user.
    package func isOpen(at now: Timestamp) -> Bool { answeredAt == nil && expiresAt > now }

    /// The binding of requests that an app has opened for its flow, which isn't the MAC of any browser.
    ///
    /// The id of the request is stored in the flow, whose id only the app knows.
    static let appBinding: [UInt8] = []

    /// Whether an app has opened the request for its flow.
    var isOpenedByApp: Bool { binding == Self.appBinding }

    /// The binding of requests that continue with a mailed link.
    static let linkBinding: [UInt8] = [1]

    /// Whether the request is answered when the address of a mailed link has been proven.
    var continuesByLink: Bool { binding == Self.linkBinding }

    /// Returns whether the request belongs to the browser with a secret.
    func isBound(to secret: CSRFSecret) -> Bool {
        binding.map { ConstantTime.equal($0, Self.binding(of: id, to: secret)) } ?? false
    }

    /// Returns the MAC that binds a request to the browser with a secret.
    static func binding(of id: Identifier, to secret: CSRFSecret) -> [UInt8] {
        HMACKey(bytes: secret.bytes).authenticate(Array("latchkey authorization request\0".utf8) + id.bytes)
    }
}
