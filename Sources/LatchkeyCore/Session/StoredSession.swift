package import LatchkeyModel

/// All that a device remembers of its login: what the store keeps.
package struct StoredSession: Sendable {
    package var session: Session
    package var token: Secret
    package var key: StoredKey
    package var certificate: DeviceCertificate

    package init(session: Session, token: Secret, key: StoredKey, certificate: DeviceCertificate) {
        self.session = session
        self.token = token
        self.key = key
        self.certificate = certificate
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
