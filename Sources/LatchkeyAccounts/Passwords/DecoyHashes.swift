import LatchkeyCrypto
import LatchkeyModel
package import LatchkeyServerKit

/// The selection of the password hashes that are verified for unknown accounts.
///
/// Imported hashes have other costs than those that this server creates. A decoy is therefore one of the
/// stored hashes, so that for an unknown account each cost has the same probability as for a known one. The
/// decoy is selected by a keyed hash of the identifier, so that the cost for an identifier is the same in
/// every attempt. The result of the verification is ignored.
package struct DecoyHashes: Sendable {
    private let key: HMACKey

    /// Derives the key from the first server secret; another secret selects other decoys.
    package init(secrets: ServerSecrets) {
        key = secrets.key(for: .decoy)
    }

    /// Returns the lower bound of the ids from which the decoy account for an identifier is selected.
    ///
    /// Ids are random, so that all accounts are equally likely to be the first at or above this bound.
    ///
    /// - Parameter identifier: The normalized identifier.
    /// - Returns: 16 bytes, the length of an id.
    package func point(for identifier: String) -> [UInt8] {
        Array(key.authenticate(Array(identifier.utf8)).prefix(16))
    }
}
