import LatchkeyCrypto
import LatchkeyModel

/// Keyed hashes that stand for identifiers and addresses in the audit log.
///
/// An operator who knows an identifier can find its events; the log alone does not tell what the identifier is.
package struct AuditTrace: Sendable {
    private let key: HMACKey

    /// Creates the hashes of a server; they change with the first of its secrets.
    package init(_ secrets: ServerSecrets) {
        key = secrets.key(for: .auditTrace)
    }

    /// The hash of an identifier or address in its normal form: 43 characters of base64url.
    package func hash(_ identifier: String) -> String {
        Base64URL.encode(key.authenticate(Array(identifier.utf8)))
    }
}
