package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// Deletes an account, its known networks, and every copy of its addresses in messages, flows and codes.
///
/// The counts for rate limits contain only keyed hashes and expire within a day. They are not deleted;
/// otherwise, deleting and re-registering an account would reset the limits.
package struct AccountErasure: Sendable {
    private let trace: AuditTrace

    /// Creates the service.
    ///
    /// - Parameter trace: Derives the hashes that are stored in the audit log.
    package init(trace: AuditTrace) {
        self.trace = trace
    }

    /// Deletes an identity, the rows that belong to it, and the rows that contain one of its addresses.
    ///
    /// The caller must record the deletion in the audit log in the same transaction; see ``trace(of:)``.
    ///
    /// - Parameters:
    ///   - identity: The identity, loaded in the same transaction; its addresses determine which rows are
    ///     erased.
    ///   - now: The current time, which is stored as the completion time of flows that are still open.
    ///   - transaction: The transaction to delete in.
    /// - Throws: ``DatabaseError``.
    package func erase(
        _ identity: Identity,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        // Flows are emptied instead of deleted, because a flow without a row would be treated as open again
        // until its id expires.
        try transaction.execute(
            """
            UPDATE flows SET completed_at = COALESCE(completed_at, $1), address = NULL, ui = NULL, form = NULL, traits = NULL, \
            verified_phone = NULL WHERE id IN (SELECT flow_id FROM codes WHERE identity_id = $2)
            """,
            .time(now),
            .identifier(identity.id)
        )
        _ = try IdentityRepository.delete(identity.id, in: transaction)
        // Released addresses are excluded, because they now belong to other accounts or to no account.
        for address in identity.addresses {
            let value = SQLValue.text(address.value)
            try transaction.execute("DELETE FROM messages WHERE recipient = $1", value)
            try transaction.execute("DELETE FROM codes WHERE address = $1", value)
            try Self.emptyFlows(with: address.value, at: now, in: transaction)
        }
    }

    /// Returns keyed hashes of the identifiers for the audit log, so an operator who knows an identifier can
    /// find the event that records the deletion of its account.
    ///
    /// The result is the subject of this event: `identifiers:` and the hashes, separated by commas.
    package func trace(of identity: Identity) -> String {
        let hashes = identity.identifiers.map { trace.hash($0) }
        return "identifiers:" + hashes.joined(separator: ",")
    }

    /// Empties and completes the flows that contain an address, including flows of clients that were not
    /// logged in.
    ///
    /// The address is searched for in forms and traits as a complete JSON string, ignoring case. No index
    /// supports this search: it scans all flows, which is acceptable for a request that only operators make.
    private static func emptyFlows(
        with value: String,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        var shown = JSONWriter(reserving: value.utf8.count + 2)
        shown.string(value)
        try transaction.execute(
            emptying(transaction.dialect),
            .time(now),
            .text(value),
            .text(String(decoding: shown.bytes, as: UTF8.self))
        )
    }

    /// Returns the statement that empties flows, with the dialect's functions for finding text in a blob.
    private static func emptying(_ dialect: SQLDialect) -> SQL {
        switch dialect {
        case .sqlite:
            """
            UPDATE flows SET completed_at = COALESCE(completed_at, $1), address = NULL, ui = NULL, form = NULL, traits = NULL, \
            verified_phone = NULL \
            WHERE address = $2 OR verified_phone = $2 OR instr(lower(CAST(ui AS TEXT)), $3) > 0 \
            OR instr(lower(CAST(form AS TEXT)), $3) > 0 OR instr(lower(CAST(traits AS TEXT)), $3) > 0
            """
        case .postgreSQL:
            """
            UPDATE flows SET completed_at = COALESCE(completed_at, $1), address = NULL, ui = NULL, form = NULL, traits = NULL, \
            verified_phone = NULL \
            WHERE address = $2 OR verified_phone = $2 OR position($3 IN lower(convert_from(ui, 'UTF8'))) > 0 \
            OR position($3 IN lower(convert_from(form, 'UTF8'))) > 0 \
            OR position($3 IN lower(convert_from(traits, 'UTF8'))) > 0
            """
        }
    }
}
