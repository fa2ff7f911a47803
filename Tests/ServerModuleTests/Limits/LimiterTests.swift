import LatchkeyCourier
import LatchkeyCrypto
import LatchkeyModel
import LatchkeySQLite
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import TestDatabases
import TestProcesses
import Testing

@testable import LatchkeyAccounts

@Suite(.onEachDatabase) struct `Rate limiter` {
    private let phone: ContactAddress
    private let peer = PeerAddress(host: "192.0.2.1", port: 1)
    private let account = LimitedAccount.unknown(identifier: "person1")
    private let time = VirtualTime()
    private let limiter: Limiter
    private let corrections: LimitCorrections
    private let database: any Database

    init() async throws {
        phone = ContactAddress(via: .sms, value: "+439999999999")
        database = try await TestDatabase.current.open()
        corrections = LimitCorrections(database)
        limiter = Limiter(LimitRules(), key: HMACKey(bytes: [1]), corrections: corrections)
    }

    @Test func `Exactly ten of 40 concurrent events are allowed`() async throws {
        let judged = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    try await reserve(.guess(at: phone), .codeFromNetwork(peer.narrowest)) != nil
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(judged == 10)
    }

    @Test func `Either all events are counted or none, and the longest wait is returned`() async throws {
        _ = try await reserve(.codeSpacing(to: phone))

        guard
            case .refused(retryAfter: 30) = try await verdict(
                .codeFromNetwork(peer.narrowest),
                .codeSpacing(to: phone)
            )
        else {
            Issue.record("Expected a wait of 30 s.")
            return
        }
        for _ in 0..<30 { #expect(try await reserve(.codeFromNetwork(peer.narrowest)) != nil) }
        time.advance(by: .milliseconds(100))
        guard
            case .refused(retryAfter: 120) = try await verdict(
                .codeSpacing(to: phone),
                .codeFromNetwork(peer.narrowest)
            )
        else {
            Issue.record("Expected a wait of two minutes.")
            return
        }
    }

    @Test func `A burst from a network keeps the next client waiting for two minutes, not for an hour`()
        async throws
    {
        for _ in 0..<30 { #expect(try await reserve(.codeFromNetwork(peer.narrowest)) != nil) }
        #expect(try await reserve(.codeFromNetwork(peer.narrowest)) == nil)
        for _ in 0..<50 {
            time.advance(by: .seconds(119))
            #expect(try await reserve(.codeFromNetwork(peer.narrowest)) == nil)
            time.advance(by: .seconds(1))
            #expect(try await reserve(.codeFromNetwork(peer.narrowest)) != nil)
        }
        #expect(try await database.rows("SELECT stamps FROM limits")[0].blob(0).count == 8)
    }

    @Test func `A bucket that was full for hours is served once per interval, not with another burst`()
        async throws
    {
        // The bucket is emptied at once and then kept empty for three hours.
        for _ in 0..<30 { _ = try await reserve(.codeFromNetwork(peer.narrowest)) }
        for _ in 0..<90 {
            time.advance(by: .seconds(120))
            #expect(try await reserve(.codeFromNetwork(peer.narrowest)) != nil)
        }
        #expect(try await reserve(.codeFromNetwork(peer.narrowest)) == nil)
    }

    @Test func `Only the given event is released`() async throws {
        for _ in 0..<9 { _ = try await reserve(.guess(at: phone)) }
        time.advance(by: .seconds(1))
        for _ in 0..<3 {
            let reservation = try #require(try await reserve(.guess(at: phone)))
            try await giveBack(reservation)
        }
        #expect(try await reserve(.guess(at: phone)) != nil)
        #expect(try await reserve(.guess(at: phone)) == nil)
    }

    @Test func `When the only event of a row is released, the row is deleted`() async throws {
        try await giveBack(
            try #require(try await reserve(.guess(at: phone), .codeFromNetwork(peer.narrowest)))
        )

        #expect(try await rowCount() == 0)
    }

    @Test func `Earlier failures still count after a success`() async throws {
        let event = LimitedEvent.failure(of: account, on: peer.narrowest)
        for _ in 0..<5 { _ = try await reserve(event) }
        time.advance(by: .seconds(60))
        try await giveBack(try #require(try await reserve(event)))

        #expect(try await reserve(event) != nil)
        time.advance(by: .seconds(119))
        #expect(try await reserve(event) == nil)
        time.advance(by: .seconds(1))
        #expect(try await reserve(event) != nil)
    }

    @Test func `Failures are forgotten after their retention period`() async throws {
        let event = LimitedEvent.failure(of: account, on: peer.narrowest)
        for _ in 0..<5 { _ = try await reserve(event) }
        #expect(try await reserve(event) == nil)
        time.advance(by: .seconds(86_400))

        for _ in 0..<5 { #expect(try await reserve(event) != nil) }
        #expect(try await reserve(event) == nil)
        #expect(try await database.rows("SELECT stamps FROM limits")[0].blob(0).count == 5 * 8)
    }

    @Test func `Each subject is counted separately, and only a hash of it is stored`() async throws {
        let other = ContactAddress(via: .sms, value: "+439999999998")
        for _ in 0..<10 { _ = try await reserve(.guess(at: phone)) }

        #expect(try await reserve(.guess(at: phone)) == nil)
        #expect(try await reserve(.guess(at: other)) != nil)
        #expect(try await reserve(.code(to: phone)) != nil)
        for row in try await database.rows("SELECT bucket FROM limits") {
            #expect(try row.blob(0).count == 32)
        }
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1", true),
        ("192.0.2.1", "::ffff:192.0.2.1", true),
        ("192.0.2.1", "192.0.2.2", false),
        ("2001:db8:0:1::1", "2001:db8:0:1:ffff::", true),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", false),
    ])
    func `Addresses of the same subscriber count as one network`(
        first: String,
        second: String,
        isSame: Bool
    ) async throws {
        for port in UInt16(0)..<30 { _ = try await ask(PeerAddress(host: first, port: port)) }

        #expect((try await ask(PeerAddress(host: second, port: 99)) == nil) == isSame)
    }

    @Test(arguments: [(1, 30), (256, 60), (65_536, 120)])
    func `IPv6 prefixes of 64, 56 and 48 bits have increasing limits`(
        subnets: Int,
        allowed: Int
    ) async throws {
        var granted = 0
        for number in 0..<200 {
            let subnet = number * 258 % subnets
            let host = "2001:db8:0:" + String(subnet, radix: 16) + "::1"
            granted += try await ask(PeerAddress(host: host, port: 1)) == nil ? 0 : 1
        }
        #expect(granted == allowed)
    }

    private func ask(_ peer: PeerAddress) async throws -> LimitReservation? {
        let (limiter, now) = (limiter, time.now)
        let events = Network.all(of: peer).map { LimitedEvent.codeFromNetwork($0) }
        let verdict = try await database.transaction { try limiter.reserve(events, at: now, in: $0) }
        guard case .reserved(let reservation) = verdict else { return nil }
        return reservation
    }

    /// Events that must wait, how often they are counted first, and the longest wait that is announced.
    private static let waiting: [(event: @Sendable (Self) -> LimitedEvent, count: Int, longest: Int)] = [
        ({ .guess(at: $0.phone) }, 10, 86_400),
        ({ .codeSpacing(to: $0.phone) }, 1, 30),
        ({ .failure(of: $0.account, on: $0.peer.narrowest) }, 6, 120),
        ({ .codeFromNetwork($0.peer.narrowest) }, 30, 120),
        ({ .registration($0.peer.narrowest) }, 60, 10),
    ]

    @Test(arguments: 0..<waiting.count, [1, 45, 7200, 400 * 86_400])
    func `After the clock was set back, a client waits no longer than it is told at first`(
        index: Int,
        step: Int
    ) async throws {
        let (event, count, longest) = Self.waiting[index]
        time.advance(by: .seconds(step))
        // The failures that grow waits must be counted, even though they are too early.
        for _ in 0..<count { try await self.count(event(self), at: time.now) }
        var now = time.now - .seconds(step)
        let end = now + .seconds(longest)
        guard case .refused(let announced) = try await verdict(event(self), at: now) else {
            Issue.record("Expected a wait.")
            return
        }
        #expect(announced <= longest)
        let opening = now + .seconds(announced)
        // The client looks again and again, and each look announces only what is left.
        for _ in 0..<8 {
            await corrections.finish()
            now = now + (opening - now) / 2
            guard case .refused(let left) = try await verdict(event(self), at: now) else {
                Issue.record("Expected a wait at \(now).")
                return
            }
            #expect(now + .seconds(left) <= opening + .seconds(1))
        }
        await corrections.finish()
        guard case .reserved = try await verdict(event(self), at: opening) else {
            Issue.record("The wait did not end after \(announced) seconds.")
            return
        }
        #expect(opening <= end)
    }

    @Test func `After the clock was set back, a proven number counts again a day later`() async throws {
        let limiter = limiter
        func mark(at now: Timestamp) async throws -> Bool {
            try await database.transaction { [phone] in
                try limiter.mark(.phoneProven(phone), at: now, in: $0)
            }
        }
        let now = time.now
        #expect(try await mark(at: now + .seconds(400 * 86_400)))
        #expect(try await !mark(at: now))
        await corrections.finish()
        #expect(try await mark(at: now + .seconds(86_401)))
    }

    /// Counts an event whether or not it is allowed.
    private func count(_ event: LimitedEvent, at now: Timestamp) async throws {
        let limiter = limiter
        _ = try await database.transaction { try limiter.reserve([], counting: [event], at: now, in: $0) }
    }

    @Test func `No rows are stored if limits are disabled`() async throws {
        let lifted = Limiter(LimitRules(.unlimited), key: HMACKey(bytes: [1]))
        let now = time.now
        for _ in 0..<50 {
            let events: [LimitedEvent] = [
                .failure(of: account, on: peer.narrowest), .failureFromNetwork(peer.narrowest),
                .registration(peer.narrowest), .code(to: phone), .guessInReserve(at: phone),
            ]
            let verdict = try await database.transaction {
                try lifted.reserve(events, at: now, in: $0)
            }
            guard case .reserved = verdict else {
                Issue.record("The event was rejected.")
                return
            }
        }
        #expect(try await rowCount() == 0)
    }

    @Test func `Reopening the database preserves the counts`() async throws {
        let folder = TemporaryFolder()
        let first = try await SQLiteDatabase.open(.file(folder.file("test.db")), migrations: .all)
        for _ in 0..<10 { _ = try await reserve(.guess(at: phone), in: first) }
        await first.close()

        let second = try await SQLiteDatabase.open(.file(folder.file("test.db")), migrations: .all)
        #expect(try await reserve(.guess(at: phone), in: second) == nil)
        await second.close()
    }

    private func verdict(
        _ events: LimitedEvent...,
        at now: Timestamp? = nil,
        in database: (any Database)? = nil
    ) async throws -> LimitVerdict {
        let (limiter, now) = (limiter, now ?? time.now)
        return try await (database ?? self.database).transaction {
            try limiter.reserve(events, at: now, in: $0)
        }
    }

    private func reserve(_ events: LimitedEvent..., in database: (any Database)? = nil) async throws
        -> LimitReservation?
    {
        let (limiter, now) = (limiter, time.now)
        let verdict = try await (database ?? self.database).transaction {
            try limiter.reserve(events, at: now, in: $0)
        }
        guard case .reserved(let reservation) = verdict else { return nil }
        return reservation
    }

    private func giveBack(_ reservation: LimitReservation) async throws {
        let limiter = limiter
        try await database.transaction { try limiter.giveBack(reservation, in: $0) }
    }

    private func rowCount() async throws -> Int64 {
        try await database.rows("SELECT count(*) FROM limits")[0].integer(0)
    }
}

extension PeerAddress {
    var narrowest: Network { Network.all(of: self)[0] }
}
