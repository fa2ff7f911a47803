import LatchkeyCrypto
import LatchkeyModel
package import LatchkeyServerKit

/// Keyed hashes that replace identifiers and addresses in the audit log.
///
/// An operator who knows an identifier can find its events, but the log alone does not reveal any
/// identifiers.
package struct AuditTrace: Sendable {
    private let key: HMACKey

    /// Derives the key of the hashes from the first server secret.
    ///
    /// When that secret is replaced, the hashes change, so the hash of an identifier no longer finds earlier
    /// events.
    package init(_ secrets: ServerSecrets) {
        key = secrets.key(for: .auditTrace)
    }

    /// Returns the hash of a normalized identifier or address: 43 characters of base64url.
    ///
    /// The hash is an HMAC with a server secret, so identifiers cannot be guessed from the log alone.
    package func hash(_ identifier: String) -> String {
        Base64URL.encode(key.authenticate(Array(identifier.utf8)))
    }
}
