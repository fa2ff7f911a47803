import LatchkeyCrypto
package import LatchkeyModel
package import LatchkeyServerKit

/// The keys that compute the MACs of stored one-time codes.
///
/// The MAC covers the code, its flow and its address. Without the key, an attacker cannot try all one million
/// codes against a stored MAC, and the MAC of one flow is useless in another.
package struct CodeKeys: Sendable {
    /// The key of the current secret, under which new codes are stored.
    private let signing: HMACKey
    /// The keys of all secrets, which keep codes valid when a secret is rotated.
    private let all: [HMACKey]

    /// Derives the keys from the server's secrets, which must be the same on all nodes.
    package init(secrets: ServerSecrets) {
        signing = secrets.key(for: .code)
        all = secrets.keys(for: .code).map(\.key)
    }

    /// Returns the MAC of a code under the current key, for storage.
    ///
    /// The MAC has 32 bytes (HMAC with SHA-256). `address` is the normalized value, without its channel.
    package func seal(_ code: OneTimeCode, flow: Identifier, address: String) -> [UInt8] {
        signing.authenticate(Self.message(for: code, flow: flow, address: address))
    }

    /// Returns whether a code matches a stored MAC, under the current or an earlier key.
    ///
    /// The time taken does not depend on which key matches, if any.
    package func matches(_ code: OneTimeCode, sealed: [UInt8], flow: Identifier, address: String) -> Bool {
        let message = Self.message(for: code, flow: flow, address: address)
        return all.reduce(false) { matches, key in
            key.isAuthentic(sealed, of: message) || matches
        }
    }

    /// Returns the bytes that the MAC covers.
    private static func message(for code: OneTimeCode, flow: Identifier, address: String) -> [UInt8] {
        // The flow's id and the code have fixed lengths, so no two inputs have the same encoding. The prefix
        // is the same as in the first version of the server, whose codes may still be in use during an
        // upgrade.
        Array("phone code".utf8) + [0] + flow.bytes + Array(address.utf8) + [0] + Array(code.exposed.utf8)
    }
}
