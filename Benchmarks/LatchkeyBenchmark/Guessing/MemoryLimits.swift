import LatchkeyModel
import LatchkeyServerKit

/// An in-memory database with the tables for rate limits.
///
/// The database supports just enough SQL for ``Limiter`` and ``KnownNetworks``, and is fast enough to
/// simulate a month.
final class MemoryLimits {
    private struct Entry {
        var stamps: [UInt8]
        var expiry: Int64
    }

    /// The first 16 bytes of a bucket.
    ///
    /// The first 16 bytes are enough to distinguish rows because a bucket is a keyed hash.
    private struct Key: Hashable {
        let high: UInt64
        let low: UInt64

        init(_ bucket: [UInt8]) {
            (high, low) = bucket.withUnsafeBytes {
                ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            }
        }
    }

    private var rows: [Key: Entry] = [:]

    /// Runs work in a transaction.
    func transaction<Outcome>(_ body: (borrowing Transaction) throws -> Outcome) rethrows -> Outcome {
        try body(Transaction(run: run))
    }

    /// Deletes expired rows, as the server's cleanup does.
    func cleanUp(at now: Timestamp) {
        rows = rows.filter { $0.value.expiry > now.microseconds }
    }

    private func run(_ sql: SQL, _ values: [SQLValue]) throws(DatabaseError) -> StatementOutcome {
        let blobs = values.compactMap { value -> [UInt8]? in
            if case .blob(let bytes) = value { bytes } else { nil }
        }
        let times = values.compactMap { value -> Int64? in
            if case .integer(let time) = value { time } else { nil }
        }
        let expiry = times.first ?? 0
        switch UnicodeScalar(sql.start.pointee) {
        case "S":
            // Statements with a time parameter read known networks. They return no rows, because the accounts
            // in this benchmark have no known networks. Other statements may contain the same bucket several
            // times to fill all parameters, so we skip duplicates.
            let readsLimits = times.isEmpty
            var found: [Row] = []
            for (index, bucket) in blobs.enumerated() where readsLimits && !blobs[..<index].contains(bucket) {
                if let row = rows[Key(bucket)] { found.append(Row([.blob(bucket), .blob(row.stamps)])) }
            }
            return StatementOutcome(rows: found, changes: 0)
        case "I": return change(blobs[0], from: nil, to: blobs[1], until: expiry)
        case "U": return change(blobs[1], from: blobs[2], to: blobs[0], until: expiry)
        default:
            rows[Key(blobs[0])] = nil
            return StatementOutcome(rows: [], changes: 1)
        }
    }

    private func change(
        _ bucket: [UInt8],
        from old: [UInt8]?,
        to new: [UInt8],
        until expiry: Int64
    ) -> StatementOutcome {
        let key = Key(bucket)
        let row = rows[key]
        guard row?.stamps == old else { return StatementOutcome(rows: [], changes: 0) }
        rows[key] = Entry(stamps: new, expiry: max(expiry, row?.expiry ?? 0))
        return StatementOutcome(rows: [], changes: 1)
    }
}
