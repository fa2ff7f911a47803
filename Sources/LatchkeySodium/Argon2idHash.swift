import CSodium
import LatchkeyAccounts
import LatchkeyModel

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A hash in the PHC string format, `$argon2id$v=19$m=…,t=…,p=1$salt$digest`.
struct Argon2idHash {
    let text: String

    /// Wraps an existing hash without validating it.
    init(_ text: String) {
        self.text = text
    }

    /// Encodes a hash in the PHC string format.
    init(_ parameters: Argon2idParameters, salt: [UInt8], digest: [UInt8]) {
        text =
            "$argon2id$v=19$m=\(parameters.memory),t=\(parameters.iterations),p=1"
            + "$\(Self.base64(salt))$\(Self.base64(digest))"
    }

    static var saltSize: Int { Int(crypto_pwhash_SALTBYTES) }
    static var digestSize: Int { 32 }

    /// Computes a hash.
    ///
    /// This method blocks the calling thread until the hash has been computed.
    ///
    /// The password is passed as a pointer and a length. This avoids a copy that would have to
    /// be wiped, and allows the password to contain NUL bytes.
    static func compute(
        _ password: Secret,
        parameters: Argon2idParameters,
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
        // The parameters have already been validated, so the only possible error is running out of memory.
        guard result == 0 else { throw .outOfMemory }
        return Argon2idHash(parameters, salt: salt, digest: digest)
    }

    /// Returns whether a password matches the hash.
    ///
    /// This method blocks the calling thread. How long it takes depends on the cost parameters in the hash.
    func matches(_ password: Secret) throws(PasswordHasherError) -> Bool {
        errno = 0
        let result = Self.withBytes(of: password) { password, count in
            crypto_pwhash_str_verify(text, password, count)
        }
        // If memory could not be allocated, the password wasn't compared, so we must not report it as wrong.
        if result != 0 && errno == ENOMEM { throw .outOfMemory }
        return result == 0
    }

    /// Returns whether the hash should be replaced because its variant, parallelism or cost differs from that
    /// of new hashes.
    func isOutdated(for parameters: Argon2idParameters) -> Bool {
        // `crypto_pwhash_str_needs_rehash` doesn't check the variant or the parallelism.
        let fields = text.utf8.split(separator: UInt8(ascii: "$"), maxSplits: 3)
        let isCurrentVariant =
            fields.count == 4 && fields[0].elementsEqual("argon2id".utf8)
            && fields[2].suffix(4).elementsEqual(",p=1".utf8)
        return !isCurrentVariant
            || crypto_pwhash_str_needs_rehash(text, UInt64(parameters.iterations), parameters.memory * 1024)
                != 0
    }

    /// Returns whether checking the hash takes more work than checking a new hash.
    ///
    /// Only imported hashes do, and hashes that were created with a higher configured cost.
    func isCostlier(than parameters: Argon2idParameters) -> Bool {
        let fields = text.utf8.split(separator: UInt8(ascii: "$"), maxSplits: 3)
        guard fields.count == 4 else { return false }
        let numbers = fields[2].split(separator: UInt8(ascii: ",")).compactMap {
            Int(Substring($0.dropFirst(2)))
        }
        guard numbers.count == 3 else { return false }
        let (memory, passes) = (numbers[0], numbers[1])
        return memory > parameters.memory
            || memory.multipliedReportingOverflow(by: passes).overflow
            || memory * passes > parameters.memory * parameters.iterations
    }

    /// Calls a closure with the password's UTF-8 bytes and their count.
    ///
    /// The bytes aren't copied to an array.
    private static func withBytes<Outcome>(
        of password: Secret,
        _ body: (UnsafePointer<CChar>, UInt64) -> Outcome
    ) -> Outcome {
        password.exposed.withCString { body($0, UInt64(password.exposed.utf8.count)) }
    }

    /// Encodes bytes in Base64 with the standard alphabet and no padding, as required by the PHC format.
    private static func base64(_ bytes: [UInt8]) -> String {
        String(Base64URL.encode(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
    }
}
