import LatchkeyModel
import LatchkeyServer
import LatchkeyTestKit
import TestDatabases
import Testing

@testable import LatchkeyCourier
@testable import LatchkeyServerKit

@Suite("Message leases", .onEachDatabase)
struct MessageLeaseTests {
    private static let lease: Duration = .seconds(60)

    private let office: CourierEnvironment

    init() async throws {
        office = try await CourierEnvironment()
    }

    private func take() async throws -> LeasedMessage {
        let (now, end) = (office.time.now, office.time.now + Self.lease)
        let leased = try await office.database.transaction { transaction in
            try MessageRepository.take(.sms, at: now, until: end, in: transaction)
        }
        return try #require(leased)
    }

    private func settle(_ leased: LeasedMessage, _ outcome: MessageRepository.Outcome) async throws {
        let now = office.time.now
        try await office.database.transaction { transaction in
            try MessageRepository.settle(leased, as: outcome, at: now, in: transaction)
        }
    }

    private func row(_ id: Identifier) async throws -> [String] {
        let row = try await office.database.rows(
            """
            SELECT status, attempts, due_at, leased_until, updated_at, \
            CASE WHEN sealed IS NULL THEN 0 ELSE 1 END, COALESCE(last_error, '-') FROM messages WHERE id = $1
            """,
            .identifier(id)
        )[0]
        return [try row.text(0)] + (try (1...5).map { String(try row.integer($0)) }) + [try row.text(6)]
    }

    static let outcomes: [MessageRepository.Outcome] = [
        .sent,
        .retry(at: Timestamp(seconds: 2_000_000_000), reason: "busy"),
        .abandoned(reason: "No such number."),
    ]

    @Test(arguments: outcomes)
    func `A worker can't report a result once another worker has claimed the message`(
        _ outcome: MessageRepository.Outcome
    ) async throws {
        let id = try await office.post(
            office.message(),
            with: office.courier(ScriptedDelivery(time: office.time))
        )
        let first = try await take()
        office.time.advance(by: Self.lease)
        let second = try await take()
        #expect(second.id == first.id)
        #expect([first.attempt, second.attempt] == [1, 2])
        let before = try await row(id)
        office.time.advance(by: .seconds(1))

        try await settle(first, outcome)
        #expect(try await row(id) == before)

        try await settle(second, outcome)
        #expect(try await row(id) != before)
    }

    @Test func `A lease is given back if an attempt could outlast it`() async throws {
        let delivery = ScriptedDelivery(time: office.time)
        // An attempt may take up to 50 seconds, and the lease expires after 60 seconds.
        let slow = SlowDatabase(office.database, by: [.seconds(11)], time: office.time)
        let courier = try Courier(
            office.resources(database: slow),
            delivery: delivery,
            options: CourierOptions(channels: [.sms], workers: 1, attempts: [.sms: .seconds(50)])
        )
        let start = office.time.now
        let id = try await office.post(office.message(), with: courier)
        slow.begin()
        courier.start()
        try await office.passTime(untilStatus: "sent", of: id)

        // The message is sent before the first lease would have expired, and only one attempt is counted.
        #expect(delivery.attempts.count == 1)
        #expect(try #require(delivery.attempts.first).time < start + Self.lease)
        #expect(try await row(id)[1] == "1")
        await courier.stop()
    }

    @Test func `All workers send messages again after leases that they couldn't use`() async throws {
        let begun = Locked(0)
        // Each attempt waits until both workers are sending.
        let delivery = ScriptedDelivery(time: office.time) {
            begun.withLock { $0 += 1 }
            while begun.withLock(\.self) < 2, !Task.isCancelled { await Task.yield() }
        }
        let slow = SlowDatabase(
            office.database,
            by: Array(repeating: .seconds(11), count: 8),
            time: office.time
        )
        let courier = try Courier(
            office.resources(database: slow),
            delivery: delivery,
            options: CourierOptions(channels: [.sms], workers: 2, attempts: [.sms: .seconds(50)])
        )
        let ids = [
            try await office.post(office.message(), with: courier),
            try await office.post(office.message(), with: courier),
        ]
        slow.begin()
        courier.start()

        for id in ids { try await office.passTime(untilStatus: "sent", of: id) }

        #expect(begun.withLock(\.self) == 2)
        await courier.stop()
    }

    @Test func `Stopping the courier during an attempt keeps the lease`() async throws {
        let (time, begun) = (office.time, Deferred<Void>())
        let incidents = Locked(0)
        let delivery = ScriptedDelivery([.failed("cancelled")], time: time) {
            begun.set(())
            // The task sleeps until the courier cancels the attempt.
            try? await time.background.sleep(for: .seconds(86_400))
        }
        let courier = try office.courier(delivery) { _ in incidents.withLock { $0 += 1 } }
        courier.start()
        let id = try await office.post(office.message(), with: courier)
        await begun.value
        let before = try await row(id)
        await courier.stop(grace: .zero)

        #expect(delivery.attempts.count == 1)
        #expect(try await row(id) == before)
        #expect(try await office.due(id) == time.now + Self.lease)
        #expect(incidents.withLock { $0 } == 0)
    }
}

/// A database whose next transactions are slow.
private final class SlowDatabase: Database {
    private let database: any Database
    private let delays: Locked<[Duration]>
    private let isSlow = Locked(false)
    private let time: VirtualTime

    init(_ database: any Database, by delays: [Duration], time: VirtualTime) {
        self.database = database
        self.delays = Locked(delays)
        self.time = time
    }

    /// Delays all transactions from now on.
    func begin() {
        isSlow.withLock { $0 = true }
    }

    func rows(_ sql: SQL, _ values: [SQLValue]) async throws(DatabaseError) -> [Row] {
        try await database.rows(sql, values)
    }

    func transaction<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome
    ) async throws -> Outcome {
        let outcome = try await database.transaction(body)
        let isSlow = isSlow.withLock { $0 }
        let delay = isSlow ? delays.withLock { $0.isEmpty ? nil : $0.removeFirst() } : nil
        if let delay { time.advance(by: delay) }
        return outcome
    }

    var broadcast: Broadcast { database.broadcast }

    var writes: WriteHealth { database.writes }

    func close() async {
        await database.close()
    }
}
