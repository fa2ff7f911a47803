import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit
import Testing

/// An in-memory table of limits.
///
/// After each read, another node changes the table before the next write.
private final class ContestedLimits {
    var rows: [[UInt8]: [UInt8]] = [:]
    /// The timestamps that the other node adds to a bucket, one element for each upcoming read.
    var contest: [[UInt8]?] = []

    /// The index of the bucket that the other node writes to, among the buckets of a single read.
    var contested = 0

    func run(_ sql: SQL, _ values: [SQLValue]) throws(DatabaseError) -> StatementOutcome {
        let blobs = values.compactMap { if case .blob(let bytes) = $0 { bytes } else { nil } }
        switch sql.description.prefix(6) {
        case "SELECT":
            let buckets = Set(blobs).sorted { $0.lexicographicallyPrecedes($1) }
            defer {
                if !contest.isEmpty, let added = contest.removeFirst() {
                    rows[buckets[min(contested, buckets.count - 1)], default: []] += added
                }
            }
            let found = buckets.compactMap { bucket in
                rows[bucket].map { Row([.blob(bucket), .blob($0)]) }
            }
            return StatementOutcome(rows: found, changes: 0)
        case "INSERT":
            return change(blobs[0], from: nil, to: blobs[1])
        case "UPDATE":
            return change(blobs[1], from: blobs[2], to: blobs[0])
        default:
            return change(blobs[0], from: blobs[1], to: nil)
        }
    }

    private func change(_ bucket: [UInt8], from old: [UInt8]?, to new: [UInt8]?) -> StatementOutcome {
        guard rows[bucket] == old else { return StatementOutcome(rows: [], changes: 0) }
        rows[bucket] = new
        return StatementOutcome(rows: [], changes: 1)
    }
}

@Suite struct `Rate limiting on several nodes` {
    private let limiter = Limiter(LimitRules(), key: HMACKey(bytes: [1]))
    private let now = Timestamp(seconds: 1)
    private let stamp: [UInt8] = [0, 0, 0, 0, 0, 0x0F, 0x42, 0x40]
    private let account = LimitedEvent.failure(of: .unknown(identifier: "person1"))
    private let peer = LimitedEvent.failureFromNetwork(PeerAddress.inProcess.narrowest)

    @Test func `Events counted concurrently by another node are preserved`() throws {
        let limits = ContestedLimits()
        limits.contest = [stamp, stamp]

        guard case .reserved = try limiter.reserve([account], at: now, in: Transaction(run: limits.run))
        else {
            Issue.record("The event was rejected.")
            return
        }
        #expect(limits.rows.values.map(\.count) == [3 * 8])
    }

    /// The key determines which of the two buckets is written first, so we test both cases.
    @Test(arguments: [0, 1])
    func `If another node has just used up a limit, the event isn't counted at all`(contested: Int)
        throws
    {
        let limits = ContestedLimits()
        let full = Array(repeating: stamp, count: 100).flatMap(\.self)
        limits.contest = [full]
        limits.contested = contested

        let verdict = try limiter.reserve([account, peer], at: now, in: Transaction(run: limits.run))

        guard case .refused = verdict else {
            Issue.record("The event was accepted.")
            return
        }
        #expect(Array(limits.rows.values) == [full])
    }

    @Test func `The limiter gives up after repeated conflicts`() throws {
        let limits = ContestedLimits()
        limits.contest = Array(repeating: stamp, count: 99)

        let error = #expect(throws: DatabaseError.self) {
            try limiter.reserve([peer], at: now, in: Transaction(run: limits.run))
        }
        #expect(error?.code == .overloaded)
    }

    @Test func `Giving back a reservation removes only the event that it added`() throws {
        let limits = ContestedLimits()
        guard
            case .reserved(let reservation) = try limiter.reserve(
                [account, peer],
                at: now,
                in: Transaction(run: limits.run)
            )
        else {
            Issue.record("The event was rejected.")
            return
        }
        for bucket in limits.rows.keys { limits.rows[bucket, default: []] += stamp }
        limits.contest = [stamp]

        try limiter.giveBack(reservation, in: Transaction(run: limits.run))

        #expect(limits.rows.values.reduce(0) { $0 + $1.count } == 3 * 8)
    }
}
