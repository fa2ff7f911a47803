package import LatchkeyModel

/// All that a device remembers of its login: what the store keeps.
package struct StoredSession: Hashable, Sendable {
    package var session: Session

    /// The session's own token, by which the identity server knows the device.
    package var token: Secret

    package var key: StoredKey
    package var certificate: DeviceCertificate

    /// What the token was exchanged for, where the app's requests go out with access tokens.
    package var pair: TokenPair?

    package init(
        session: Session,
        token: Secret,
        key: StoredKey,
        certificate: DeviceCertificate,
        pair: TokenPair? = nil
    ) {
        self.session = session
        self.token = token
        self.key = key
        self.certificate = certificate
        self.pair = pair
    }
}

extension StoredSession {
    /// Whether two forms are of one login: its token and its key stay, whatever else changes.
    func isSameLogin(as other: StoredSession) -> Bool {
        token == other.token && key == other.key
    }

    /// Whether two forms of one login differ in their credentials alone, if at all.
    func isSameBesidePair(as other: StoredSession) -> Bool {
        var stored = self
        stored.pair = other.pair
        return stored == other
    }
}

/// What the store keeps of the device's key; never printed, for it may be the key itself.
package struct StoredKey: Hashable, Sendable {
    /// The bytes; the name makes their use visible in review.
    package let exposed: [UInt8]

    package init(_ bytes: [UInt8]) {
        exposed = bytes
    }
}

extension StoredKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "‹key›" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
