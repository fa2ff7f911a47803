import LatchkeyCrypto
import LatchkeyModel

/// The hashes that passwords for unknown accounts are checked against.
///
/// Imported hashes cost other amounts of work than those of this server. A decoy is therefore one of the stored hashes:
/// an unknown account costs what a known one costs, with the same probability for each amount. A keyed hash of the
/// identifier picks the decoy, so that an identifier looks alike at every attempt. The verdict is ignored.
struct DecoyHashes: Sendable {
    private let database: any Database
    private let key: HMACKey

    init(_ context: ServerContext) {
        database = context.database
        key = context.secrets.key(for: .decoy)
    }

    /// Reads the decoy of an identifier; known accounts cost this read as well.
    ///
    /// - Returns: A stored hash, or `nil` if there are none.
    func hash(for identifier: String) async throws -> String? {
        // Ids of identities are random, so that each is as likely as any other to be next.
        let point = Array(key.authenticate(Array(identifier.utf8)).prefix(16))
        return try await database.rows(
            """
            SELECT COALESCE( \
            (SELECT hash FROM passwords WHERE identity_id >= $1 ORDER BY identity_id LIMIT 1), \
            (SELECT hash FROM passwords ORDER BY identity_id LIMIT 1))
            """,
            .blob(point)
        ).first?.optional(0, Row.text)
    }
}
