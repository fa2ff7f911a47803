import LatchkeyModel
import LatchkeyServerCore

/// The tables that limits use, in memory: enough SQL for ``Limiter`` and ``KnownNetworks``, and fast enough for a month.
final class MemoryLimits {
    private struct Entry {
        var stamps: [UInt8]
        var expiry: Int64
    }

    private var rows: [[UInt8]: Entry] = [:]

    /// Runs work in a transaction.
    func transaction<Outcome>(_ body: (borrowing Transaction) throws -> Outcome) rethrows -> Outcome {
        try body(Transaction(run: run))
    }

    /// Deletes the expired rows, as the server's clean-up does.
    func cleanUp(at now: Timestamp) {
        rows = rows.filter { $0.value.expiry > now.microseconds }
    }

    private func run(_ sql: StaticString, _ values: [SQLValue]) throws(DatabaseError) -> StatementOutcome {
        let text = sql.description
        if text.contains("known_networks") { return StatementOutcome(rows: [], changes: 0) }
        let blobs = values.compactMap { value -> [UInt8]? in
            if case .blob(let bytes) = value { bytes } else { nil }
        }
        let times = values.compactMap { value -> Int64? in
            if case .integer(let time) = value { time } else { nil }
        }
        let expiry = times.first ?? 0
        switch text.prefix(6) {
        case "SELECT":
            let found = Set(blobs).compactMap { bucket in
                rows[bucket].map { Row([.blob(bucket), .blob($0.stamps)]) }
            }
            return StatementOutcome(rows: found, changes: 0)
        case "INSERT": return change(blobs[0], from: nil, to: blobs[1], until: expiry)
        case "UPDATE": return change(blobs[1], from: blobs[2], to: blobs[0], until: expiry)
        default:
            rows[blobs[0]] = nil
            return StatementOutcome(rows: [], changes: 1)
        }
    }

    private func change(
        _ bucket: [UInt8],
        from old: [UInt8]?,
        to new: [UInt8],
        until expiry: Int64
    ) -> StatementOutcome {
        guard rows[bucket]?.stamps == old else { return StatementOutcome(rows: [], changes: 0) }
        rows[bucket] = Entry(stamps: new, expiry: max(expiry, rows[bucket]?.expiry ?? 0))
        return StatementOutcome(rows: [], changes: 1)
    }
}
