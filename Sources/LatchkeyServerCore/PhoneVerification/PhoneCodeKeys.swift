import LatchkeyCrypto
package import LatchkeyModel

/// The keys under which codes are stored.
///
/// What is stored is a keyed hash over code, flow and number: a million guesses need the key, and the hash of
/// one flow is of no use in another.
package struct PhoneCodeKeys: Sendable {
    private let signing: HMACKey
    private let all: [HMACKey]

    package init(secrets: ServerSecrets) {
        signing = secrets.key(for: .phoneCode)
        all = secrets.keys(for: .phoneCode).map(\.key)
    }

    /// The form of a code in the database.
    package func seal(_ code: OneTimeCode, flow: Identifier, phone: PhoneNumber) -> [UInt8] {
        signing.authenticate(Self.message(code, flow, phone))
    }

    /// Tells whether a code is the one that was stored.
    ///
    /// It takes the same time whichever key fits, or none.
    package func matches(_ code: OneTimeCode, sealed: [UInt8], flow: Identifier, phone: PhoneNumber) -> Bool {
        let message = Self.message(code, flow, phone)
        return all.reduce(false) { matches, key in
            key.isAuthentic(sealed, of: message) || matches
        }
    }

    private static func message(_ code: OneTimeCode, _ flow: Identifier, _ phone: PhoneNumber) -> [UInt8] {
        // The flow's id has a fixed length and the number no NUL, so two inputs never read the same.
        Array("phone code".utf8) + [0] + flow.bytes + Array(phone.e164.utf8) + [0] + Array(code.exposed.utf8)
    }
}
