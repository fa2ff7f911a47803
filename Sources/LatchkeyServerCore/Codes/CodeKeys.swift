import LatchkeyCrypto
package import LatchkeyModel

/// The keys under which codes are stored.
///
/// What is stored is a keyed hash over code, flow and address: a million guesses need the key, and the hash of
/// one flow is of no use in another.
package struct CodeKeys: Sendable {
    private let signing: HMACKey
    private let all: [HMACKey]

    package init(secrets: ServerSecrets) {
        signing = secrets.key(for: .code)
        all = secrets.keys(for: .code).map(\.key)
    }

    /// The form of a code in the database.
    package func seal(_ code: OneTimeCode, flow: Identifier, address: String) -> [UInt8] {
        signing.authenticate(Self.message(code, flow, address))
    }

    /// Tells whether a code is the one that was stored.
    ///
    /// It takes the same time whichever key fits, or none.
    package func matches(_ code: OneTimeCode, sealed: [UInt8], flow: Identifier, address: String) -> Bool {
        let message = Self.message(code, flow, address)
        return all.reduce(false) { matches, key in
            key.isAuthentic(sealed, of: message) || matches
        }
    }

    private static func message(_ code: OneTimeCode, _ flow: Identifier, _ address: String) -> [UInt8] {
        // The flow's id and the code have fixed lengths, so two inputs never read the same. The words are those
        // of the first version, whose codes may be on their way while the server is replaced.
        Array("phone code".utf8) + [0] + flow.bytes + Array(address.utf8) + [0] + Array(code.exposed.utf8)
    }
}
