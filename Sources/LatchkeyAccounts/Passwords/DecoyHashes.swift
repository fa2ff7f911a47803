import LatchkeyCrypto
import LatchkeyModel
package import LatchkeyServerKit

/// Selects the password hashes that logins to unknown accounts are checked against.
///
/// An imported hash can take more or less time to verify than the ones that this server creates. For that
/// reason, we use one of the stored hashes as a decoy, so that each cost is as likely for an unknown account
/// as for an existing one. The decoy is selected with a keyed hash of the identifier, so all attempts with
/// the same identifier take the same time. We ignore the result of checking a password against a decoy.
package struct DecoyHashes: Sendable {
    private let key: HMACKey

    /// Derives the key for selecting decoys from the first server secret.
    package init(secrets: ServerSecrets) {
        key = secrets.key(for: .decoy)
    }

    /// Returns the id at which to start searching for a decoy account.
    ///
    /// Ids are random, so all accounts are equally likely to be the first at or above this point.
    ///
    /// - Parameter identifier: The normalized identifier of the login.
    /// - Returns: 16 bytes, which is the length of an id.
    package func point(for identifier: String) -> [UInt8] {
        Array(key.authenticate(Array(identifier.utf8)).prefix(16))
    }
}
