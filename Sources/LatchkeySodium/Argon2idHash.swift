import CSodium
import LatchkeyModel
import LatchkeyServerCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A hash in the PHC string format, `$argon2id$v=19$m=…,t=…,p=1$salt$digest`.
struct Argon2idHash {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    init(_ parameters: Argon2idParameters, salt: [UInt8], digest: [UInt8]) {
        text =
            "$argon2id$v=19$m=\(parameters.memory),t=\(parameters.iterations),p=1"
            + "$\(Self.base64(salt))$\(Self.base64(digest))"
    }

    static var saltSize: Int { Int(crypto_pwhash_SALTBYTES) }
    static var digestSize: Int { 32 }

    /// Computes a hash; takes its full cost on the calling thread.
    ///
    /// The password is read where it is, by its length: there is no copy to wipe, and a NUL is a byte like others.
    static func compute(
        _ password: Secret,
        _ parameters: Argon2idParameters,
        salt: [UInt8]
    ) throws(PasswordHasherError) -> Argon2idHash {
        var digest = [UInt8](repeating: 0, count: digestSize)
        let result = withBytes(of: password) { password, count in
            crypto_pwhash(
                &digest,
                UInt64(digest.count),
                password,
                count,
                salt,
                UInt64(parameters.iterations),
                parameters.memory * 1024,
                crypto_pwhash_ALG_ARGON2ID13
            )
        }
        // The ranges were checked before, so that memory is what is left to be refused.
        guard result == 0 else { throw .outOfMemory }
        return Argon2idHash(parameters, salt: salt, digest: digest)
    }

    /// Compares a password; takes the cost that the hash names.
    func matches(_ password: Secret) throws(PasswordHasherError) -> Bool {
        errno = 0
        let result = Self.withBytes(of: password) { password, count in
            crypto_pwhash_str_verify(text, password, count)
        }
        // No verdict is given where nothing was compared: a refusal of memory is not a wrong password.
        if result != 0 && errno == ENOMEM { throw .outOfMemory }
        return result == 0
    }

    func isOutdated(for parameters: Argon2idParameters) -> Bool {
        // Which kind it is and in how many lanes are no questions to the library.
        !text.hasPrefix("$argon2id$") || !text.contains(",p=1$")
            || crypto_pwhash_str_needs_rehash(text, UInt64(parameters.iterations), parameters.memory * 1024)
                != 0
    }

    private static func withBytes<Outcome>(
        of password: Secret,
        _ body: (UnsafePointer<CChar>, UInt64) -> Outcome
    ) -> Outcome {
        password.exposed.withCString { body($0, UInt64(password.exposed.utf8.count)) }
    }

    /// Base64 of the usual alphabet without padding, as the format wants it.
    private static func base64(_ bytes: [UInt8]) -> String {
        String(Base64URL.encode(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
    }
}
