import LatchkeyCrypto
package import LatchkeyModel
package import LatchkeyServerKit

/// The keys used to compute the MACs under which one-time codes are stored.
///
/// A MAC covers the code, its flow and its address. Without the key, an attacker cannot find a code by trying
/// all one million possibilities against its MAC, and the MAC from one flow is useless in another.
package struct CodeKeys: Sendable {
    /// The key for new codes, derived from the current secret.
    private let signing: HMACKey
    /// The keys of all secrets, so that codes stay valid when a secret is rotated.
    private let all: [HMACKey]

    /// Derives the keys from the server's secrets, which must be the same on all nodes.
    package init(secrets: ServerSecrets) {
        signing = secrets.key(for: .code)
        all = secrets.keys(for: .code).map(\.key)
    }

    /// Returns the MAC to store for a code, computed with the current key.
    ///
    /// The MAC is 32 bytes long (HMAC-SHA256). `address` is the normalized address without its channel.
    package func seal(_ code: OneTimeCode, flow: Identifier, address: String) -> [UInt8] {
        signing.authenticate(Self.message(for: code, flow: flow, address: address))
    }

    /// Returns whether a code matches a stored MAC, using the current key or any earlier one.
    ///
    /// The time taken doesn't depend on which key matches, or whether any key does.
    package func matches(_ code: OneTimeCode, sealed: [UInt8], flow: Identifier, address: String) -> Bool {
        let message = Self.message(for: code, flow: flow, address: address)
        return all.reduce(false) { matches, key in
            key.isAuthentic(sealed, of: message) || matches
        }
    }

    private static func message(for code: OneTimeCode, flow: Identifier, address: String) -> [UInt8] {
        // The flow id and the code have fixed lengths, so no two inputs have the same encoding.
        flow.bytes + Array(address.utf8) + [0] + Array(code.exposed.utf8)
    }
}
