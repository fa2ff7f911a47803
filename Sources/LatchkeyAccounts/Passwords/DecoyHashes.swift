import LatchkeyCrypto
import LatchkeyModel
package import LatchkeyServerKit

/// Selects the password hashes against which logins to unknown accounts are verified.
///
/// Imported hashes can have a different cost from those that this server creates. A decoy is therefore one of
/// the stored hashes, so that each cost is as likely for an unknown account as for an existing one. A keyed
/// hash of the identifier selects the decoy, so every attempt with the same identifier has the same cost. The
/// result of the verification is ignored.
package struct DecoyHashes: Sendable {
    private let key: HMACKey

    /// Derives the key from the first server secret, which determines the decoys that are selected.
    package init(secrets: ServerSecrets) {
        key = secrets.key(for: .decoy)
    }

    /// Returns the lower bound of the ids from which the decoy account for an identifier is selected.
    ///
    /// Ids are random, so all accounts are equally likely to be the first at or above this bound.
    ///
    /// - Parameter identifier: The normalized identifier.
    /// - Returns: 16 bytes, the length of an id.
    package func point(for identifier: String) -> [UInt8] {
        Array(key.authenticate(Array(identifier.utf8)).prefix(16))
    }
}
