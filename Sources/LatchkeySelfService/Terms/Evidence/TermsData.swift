import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Closes and exports the answers of accounts to documents.
///
/// The answers are evidence, so they outlive the account.
struct TermsData: AccountDataPart {
    private let trace: AuditTrace

    init(trace: AuditTrace) {
        self.trace = trace
    }

    /// Closes the answers of the earlier user.
    ///
    /// The account's identifiers belong to the new owner, so no hash of them is stored.
    func reclaim(
        _ identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try TermsEvidenceRepository.close(of: identity, hash: "", at: now, in: transaction)
    }

    /// Closes the answers, with keyed hashes of the account's identifiers as in the audit log.
    func erase(
        _ identity: Identifier,
        addresses: Set<ContactAddress>,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let identifiers = try IdentityRepository.identifiers(of: identity, in: transaction)
        try TermsEvidenceRepository.close(
            of: identity,
            hash: identifiers.map(trace.hash).joined(separator: ","),
            at: now,
            in: transaction
        )
    }

    /// Returns the answers of the account's present user.
    func records(
        of identity: Identifier,
        since start: Timestamp,
        in database: any Database
    ) async throws -> [AccountRecords] {
        let rows = try await TermsEvidenceRepository.all(of: identity, in: database).map { evidence in
            try JSONCoding.decode(JSONValue.self, from: JSONCoding.encode(RecordedAnswerBody(evidence)))
        }
        return [AccountRecords(name: "agreements", rows: rows)]
    }
}
