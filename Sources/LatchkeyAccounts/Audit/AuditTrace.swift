import LatchkeyCrypto
import LatchkeyModel
package import LatchkeyServerKit

/// Computes keyed hashes, which we store in the audit log instead of identifiers and addresses.
///
/// An operator who knows an identifier can search for its events, but the identifiers can't be read from the
/// log alone.
package struct AuditTrace: Sendable {
    private let key: HMACKey

    /// Derives the hash key from the first server secret.
    ///
    /// Replacing the secret changes all hashes, so earlier events can no longer be found by identifier.
    package init(_ secrets: ServerSecrets) {
        key = secrets.key(for: .auditTrace)
    }

    /// Returns the hash of a normalized identifier or address as 43 base64url characters.
    ///
    /// The hash is an HMAC with a key derived from a server secret, so identifiers can't be guessed from the
    /// log alone.
    package func hash(_ identifier: String) -> String {
        Base64URL.encode(key.authenticate(Array(identifier.utf8)))
    }
}
