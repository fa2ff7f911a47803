import LatchkeyCrypto
import LatchkeyModel

/// The choice of the hashes that passwords for unknown accounts are checked against.
///
/// Imported hashes cost other amounts of work than those of this server. A decoy is therefore one of the stored hashes:
/// an unknown account costs what a known one costs, with the same probability for each amount. A keyed hash of the
/// identifier picks the decoy, so that an identifier looks alike at every attempt. The verdict is ignored.
struct DecoyHashes: Sendable {
    private let key: HMACKey

    init(_ context: ServerContext) {
        key = context.secrets.key(for: .decoy)
    }

    /// The point among the ids of accounts from which the decoy of an identifier is the first.
    ///
    /// Ids are random, so that each account is as likely as any other to be the first.
    func point(for identifier: String) -> [UInt8] {
        Array(key.authenticate(Array(identifier.utf8)).prefix(16))
    }
}
