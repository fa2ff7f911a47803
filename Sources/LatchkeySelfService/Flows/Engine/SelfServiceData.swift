import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Invalidates, deletes and exports the flows and codes of accounts.
struct SelfServiceData: AccountDataPart {
    private let random: any RandomSource

    /// Creates an instance.
    ///
    /// - Parameter random: The source of the random values that invalidate codes.
    init(random: any RandomSource) {
        self.random = random
    }

    /// Invalidates all flows and unused codes of an account.
    ///
    /// See ``OpenCodes``.
    func endFlows(
        of identity: Identifier,
        except flow: Identifier?,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try OpenCodes.void(
            of: identity,
            except: flow,
            endsSettings: true,
            at: now,
            random: random,
            in: transaction
        )
    }

    /// Deletes an account's codes and flows, and clears other flows that contain its addresses.
    func erase(
        _ identity: Identifier,
        addresses: Set<ContactAddress>,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let id = SQLValue.identifier(identity)
        // We erase the contents of these flows but don't delete their rows, because a flow without a row
        // would be treated as open again until its id expires.
        try transaction.execute(
            "\(Self.emptying) WHERE id IN (SELECT flow_id FROM codes WHERE identity_id = $2)",
            .time(now),
            id
        )
        try transaction.execute("DELETE FROM flows WHERE identity_id = $1", id)
        try transaction.execute("DELETE FROM codes WHERE identity_id = $1", id)
        for address in addresses {
            try transaction.execute("DELETE FROM codes WHERE address = $1", .text(address.value))
            try Self.emptyFlows(with: address.value, at: now, in: transaction)
        }
    }

    /// Returns an account's flows, without their ids, and the codes that were sent to it.
    func records(
        of identity: Identifier,
        since start: Timestamp,
        in database: any Database
    ) async throws -> [AccountRecords] {
        let flows = try await database.rows(
            """
            SELECT kind, state, issued_at, expires_at FROM flows WHERE identity_id = $1 AND issued_at >= $2 \
            ORDER BY issued_at, id
            """,
            .identifier(identity),
            .time(start)
        ).map { row in
            JSONValue.object([
                "kind": .string(try row.text(0)),
                "state": .string(try row.text(1)),
                "issued_at": .string(try row.time(2).description),
                "expires_at": .string(try row.time(3).description),
            ])
        }
        let codes = try await database.rows(
            """
            SELECT via, address, issued_at, expires_at FROM codes WHERE identity_id = $1 AND issued_at >= $2 \
            ORDER BY issued_at, flow_id
            """,
            .identifier(identity),
            .time(start)
        ).map { row in
            JSONValue.object([
                "via": .string(try row.text(0)),
                "address": .string(try row.text(1)),
                "issued_at": .string(try row.time(2).description),
                "expires_at": .string(try row.time(3).description),
            ])
        }
        return [AccountRecords(name: "flows", rows: flows), AccountRecords(name: "codes", rows: codes)]
    }

    /// Clears and completes all flows that contain an address, including those started by clients that
    /// weren't logged in.
    ///
    /// The address is found in forms and traits if it is a complete JSON string. The search ignores case. It
    /// has no index and therefore scans all flows, which is acceptable because accounts are rarely deleted.
    private static func emptyFlows(
        with value: String,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        var shown = JSONWriter(reserving: value.utf8.count + 2)
        shown.string(value)
        try transaction.execute(
            transaction.dialect == .sqlite ? emptyingForSQLite : emptyingForPostgreSQL,
            .time(now),
            .text(value),
            .text(String(decoding: shown.bytes, as: UTF8.self))
        )
    }

    /// The beginning of a statement that erases the contents of flows and marks them as completed.
    private static let emptying: SQL = """
        UPDATE flows SET completed_at = COALESCE(completed_at, $1), address = NULL, form = NULL, \
        traits = NULL, verified_phone = NULL, proven = NULL
        """

    private static let emptyingForSQLite: SQL = """
        \(emptying) WHERE address = $2 OR verified_phone = $2 \
        OR instr(char(10) || proven, char(10) || $2 || char(10)) > 0 \
        OR instr(lower(CAST(form AS TEXT)), $3) > 0 OR instr(lower(CAST(traits AS TEXT)), $3) > 0
        """

    private static let emptyingForPostgreSQL: SQL = """
        \(emptying) WHERE address = $2 OR verified_phone = $2 \
        OR position(chr(10) || $2 || chr(10) IN chr(10) || proven) > 0 \
        OR position($3 IN lower(convert_from(form, 'UTF8'))) > 0 \
        OR position($3 IN lower(convert_from(traits, 'UTF8'))) > 0
        """
}
