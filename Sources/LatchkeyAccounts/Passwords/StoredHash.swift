/// A stored password hash of a supported kind, with its parameters.
///
/// The initializer validates the parameters of a hash to limit the time and memory needed to compute it.
package enum StoredHash: Sendable {
    /// The reason why a string was rejected as a password hash.
    ///
    /// The reason is the rest of a sentence that begins with the name of the JSON member.
    package struct Refusal: Error, Hashable, Sendable {
        /// The reason, such as "is malformed.", including its final period.
        package let reason: String
    }

    /// An Argon2id or Argon2i hash, as a PHC string that libsodium accepts.
    case argon2(String)

    /// A bcrypt hash, as a `crypt(3)` string.
    case bcrypt(String)

    /// An scrypt hash (RFC 7914) with its parsed parameters.
    case scrypt(ScryptHash)
    /// A PBKDF2 hash (RFC 8018) with its parsed parameters.
    case pbkdf2(PBKDF2Hash)

    /// Parses a hash.
    ///
    /// - Parameter text: The hash in its text form.
    /// - Throws: ``Refusal`` if the format is unknown, the text is malformed, or the parameters exceed this
    ///   server's limits.
    package init(_ text: String) throws(Refusal) {
        switch Self.kind(of: text) {
        case "argon2id", "argon2i": self = .argon2(try Argon2Text.checked(text))
        case "bcrypt": self = .bcrypt(try BcryptText.checked(text))
        case "scrypt": self = .scrypt(try ScryptHash(text))
        case "pbkdf2": self = .pbkdf2(try PBKDF2Hash(text))
        default:
            throw Refusal(reason: "must be an argon2id, argon2i, bcrypt, scrypt or pbkdf2 hash.")
        }
    }

    /// The hash in its text form, as it is stored.
    package var text: String {
        switch self {
        case .argon2(let text), .bcrypt(let text): text
        case .scrypt(let hash): hash.text
        case .pbkdf2(let hash): hash.text
        }
    }

    /// Returns the kind of hash, based on the prefix of a string.
    ///
    /// The result is `argon2id`, `argon2i`, `scrypt`, `bcrypt`, `pbkdf2` or `unknown`. The rest of the text
    /// isn't parsed, so only use the result for statistics and display. The admin API returns the result as
    /// the password's algorithm.
    package static func kind(of text: String) -> String {
        let name = text.split(separator: "$", maxSplits: 1).first ?? ""
        switch name {
        case "argon2id", "argon2i", "scrypt": return String(name)
        case "2a", "2b", "2y": return "bcrypt"
        case _ where name.hasPrefix("pbkdf2-"): return "pbkdf2"
        default: return "unknown"
        }
    }
}
