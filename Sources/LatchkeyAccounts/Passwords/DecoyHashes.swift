import LatchkeyCrypto
import LatchkeyModel
package import LatchkeyServerKit

/// Selects the password hashes that logins to unknown accounts are checked against.
///
/// An imported hash can take more or less time to verify than a hash that this server created. Therefore, the
/// decoy is one of the stored hashes. The probability of each hashing cost is then the same for unknown and
/// for existing accounts. The decoy is selected with a keyed hash of the identifier, so all attempts with the
/// same identifier take the same time. We ignore the result of checking a password against a decoy.
package struct DecoyHashes: Sendable {
    private let key: HMACKey

    /// Derives the key for selecting decoys from the first server secret.
    package init(secrets: ServerSecrets) {
        key = secrets.key(for: .decoy)
    }

    /// Returns the id at which to start searching for a decoy account.
    ///
    /// Ids are random, so every account is equally likely to be chosen.
    ///
    /// - Parameter identifier: The normalized identifier of the login.
    /// - Returns: 16 bytes, which is the length of an id.
    package func point(for identifier: String) -> [UInt8] {
        Array(key.authenticate(Array(identifier.utf8)).prefix(16))
    }
}
