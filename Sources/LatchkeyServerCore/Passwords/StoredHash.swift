/// A password's hash as it is kept: which kind, and with which parameters.
///
/// Those of another system's making are read here before anything is computed: what they ask for is bounded.
package enum StoredHash: Sendable {
    /// Why a text cannot be taken in as a hash; goes on after the name of the member that holds it.
    package struct Refusal: Error, Hashable, Sendable {
        package let reason: String
    }

    /// Argon2id or Argon2i, as the PHC string that libsodium takes.
    case argon2(String)

    /// bcrypt, as the string of `crypt(3)`.
    case bcrypt(String)

    case scrypt(ScryptHash)
    case pbkdf2(PBKDF2Hash)

    /// Reads a hash.
    ///
    /// - Throws: ``Refusal`` for a format that is not known, a broken text, and parameters out of bounds.
    package init(_ text: String) throws(Refusal) {
        switch Self.kind(of: text) {
        case "argon2id", "argon2i": self = .argon2(try Argon2Text.checked(text))
        case "bcrypt": self = .bcrypt(try BcryptText.checked(text))
        case "scrypt": self = .scrypt(try ScryptHash(text))
        case "pbkdf2": self = .pbkdf2(try PBKDF2Hash(text))
        default:
            throw Refusal(reason: "has none of the formats argon2id, argon2i, bcrypt, scrypt and pbkdf2.")
        }
    }

    /// The hash as it is kept.
    package var text: String {
        switch self {
        case .argon2(let text), .bcrypt(let text): text
        case .scrypt(let hash): hash.text
        case .pbkdf2(let hash): hash.text
        }
    }

    /// What kind a text claims to be, in a word.
    static func kind(of text: String) -> String {
        let name = text.split(separator: "$", maxSplits: 1).first ?? ""
        switch name {
        case "argon2id", "argon2i", "scrypt": return String(name)
        case "2a", "2b", "2y": return "bcrypt"
        case _ where name.hasPrefix("pbkdf2-"): return "pbkdf2"
        default: return "unknown"
        }
    }
}
