import LatchkeyModel
import LatchkeySQLite
import LatchkeyServerCore
import LatchkeyTestKit
import Testing

@Suite struct `The courier` {
    private let office: PostOffice

    init() async throws {
        office = try await PostOffice()
    }

    @Test func `sends a message under its id, and tells those who wait`() async throws {
        let delivery = ScriptedDelivery(time: office.time)
        let courier = try office.courier(delivery)
        courier.start()
        let id = try await office.post(office.message(), with: courier)

        #expect(await courier.waitForFirstAttempt(id, atMost: .seconds(5)) == .sent)
        #expect(await courier.waitForFirstAttempt(id, atMost: .seconds(5)) == .sent)
        let attempt = try #require(delivery.attempts.first)
        #expect(delivery.attempts.count == 1)
        #expect(attempt.key == id.description)
        #expect(attempt.message.recipient == "+439999999999")
        #expect(attempt.message.body.exposed.hasPrefix("271501 is your verification code."))
        #expect(attempt.message.code == "271501")
        await courier.stop()
    }

    @Test func `sends nothing when the transaction it was put in with fails`() async throws {
        let delivery = ScriptedDelivery(time: office.time)
        let courier = try office.courier(delivery)
        courier.start()
        let message = try office.message()
        await #expect(throws: CancellationError.self) {
            try await office.database.transaction { transaction in
                try courier.enqueue(message, in: transaction)
                throw CancellationError()
            }
        }
        courier.wake()
        await office.time.sleepers(atLeast: 1)

        #expect(delivery.attempts.isEmpty)
        await courier.stop()
    }

    @Test func `keeps a message sealed until it is over, and then not at all`() async throws {
        let courier = try office.courier(ScriptedDelivery(time: office.time))
        let id = try await office.post(office.message(), with: courier)

        let sealed = try #require(try await office.sealed(id))
        for secret in ["271501", "+439999999999", "verification"] {
            #expect(sealed.firstRange(of: Array(secret.utf8)) == nil)
        }
        courier.start()
        #expect(await courier.waitForFirstAttempt(id, atMost: .seconds(5)) == .sent)
        #expect(try await office.sealed(id) == nil)
        await courier.stop()
    }

    @Test func `gives a message up when it is refused`() async throws {
        let incidents = Locked<[CourierIncident]>([])
        let delivery = ScriptedDelivery([.refused("The number does not exist.")], time: office.time)
        let courier = try office.courier(delivery) { incident in incidents.withLock { $0.append(incident) } }
        courier.start()
        let id = try await office.post(office.message(), with: courier)

        #expect(await courier.waitForFirstAttempt(id, atMost: .seconds(5)) == .refused)
        #expect(try await office.status(id) == "abandoned")
        #expect(try await office.sealed(id) == nil)
        #expect(delivery.attempts.count == 1)
        guard
            case .abandoned(id, attempt: 1, reason: "The number does not exist.") = incidents.withLock(
                \.first
            )
        else {
            Issue.record("nothing was reported")
            return
        }
        await courier.stop()
    }

    @Test func `tries again after waits that double, under the same key`() async throws {
        let failures = [DeliveryError?](repeating: .failed("down"), count: 4)
        let delivery = ScriptedDelivery(failures, time: office.time)
        let courier = try office.courier(delivery)
        let start = office.time.now
        courier.start()
        let id = try await office.post(office.message(), with: courier)

        #expect(await courier.waitForFirstAttempt(id, atMost: .seconds(5)) == .pending)
        try await passTime(until: { delivery.attempts.count == 5 })
        #expect(try await eventually("sent", id))
        let waits = zip(delivery.attempts, delivery.attempts.dropFirst()).map { $1.time - $0.time }
        for (wait, longest) in zip(waits, [2, 4, 8, 16]) {
            #expect(wait >= .seconds(longest) / 2 && wait <= .seconds(longest) + .seconds(1))
        }
        #expect(delivery.attempts[0].time == start)
        #expect(Set(delivery.attempts.map(\.key)) == [id.description])
        await courier.stop()
    }

    @Test func `leaves a provider alone for as long as it asks`() async throws {
        let delivery = ScriptedDelivery([.failed("busy", retryAfter: .seconds(77))], time: office.time)
        let courier = try office.courier(delivery)
        courier.start()
        let id = try await office.post(office.message(), with: courier)

        #expect(await courier.waitForFirstAttempt(id, atMost: .seconds(5)) == .pending)
        try await passTime(until: { delivery.attempts.count == 2 })
        let wait = delivery.attempts[1].time - delivery.attempts[0].time
        #expect(wait >= .seconds(77) && wait <= .seconds(78))
        await courier.stop()
    }

    @Test func `gives up when a code would be too late`() async throws {
        let failures = [DeliveryError?](repeating: .failed("down"), count: 100)
        let delivery = ScriptedDelivery(failures, time: office.time)
        let courier = try office.courier(delivery)
        let start = office.time.now
        courier.start()
        let id = try await office.post(office.message(lifespan: .seconds(10)), with: courier)

        #expect(await courier.waitForFirstAttempt(id, atMost: .seconds(5)) == .pending)
        try await passTime(untilStatus: "abandoned", of: id)
        // At once when the next attempt would be too late, not only when that time has come.
        #expect(office.time.now < start + .seconds(10))
        #expect((2...4).contains(delivery.attempts.count))
        #expect(try await office.sealed(id) == nil)
        await courier.stop()
    }

    @Test func `does not send what was left lying until it was too late`() async throws {
        let delivery = ScriptedDelivery(time: office.time)
        let courier = try office.courier(delivery)
        let id = try await office.post(office.message(lifespan: .seconds(10)), with: courier)
        office.time.advance(by: .seconds(10))
        courier.start()

        #expect(await courier.waitForFirstAttempt(id, atMost: .seconds(5)) == .refused)
        #expect(delivery.attempts.isEmpty)
        await courier.stop()
    }

    @Test func `sends once, under the same key, what a crash left between taking and sending`() async throws {
        let held = Gatekeeper()
        let crashing = ScriptedDelivery(time: office.time) { await held.wait() }
        let first = try office.courier(crashing)
        first.start()
        let id = try await office.post(office.message(), with: first)
        await held.isReached()
        // The first courier hangs for good; its lease goes on.
        let delivery = ScriptedDelivery(time: office.time)
        let second = try office.courier(delivery)
        second.start()
        await office.time.sleepers(atLeast: 1)
        #expect(delivery.attempts.isEmpty)

        office.time.advance(by: .seconds(60))
        #expect(try await eventually("sent", id))
        #expect(delivery.attempts.map(\.key) == [id.description])

        // The first wakes up late: its outcome counts no more.
        held.open()
        await first.stop()
        await second.stop()
        #expect(delivery.attempts.count == 1)
        #expect(crashing.attempts.map(\.key) == [id.description])
    }

    @Test func `sends every message once, however many workers and couriers there are`() async throws {
        let delivery = ScriptedDelivery(time: office.time)
        let couriers = try (0..<3).map { _ in try office.courier(delivery, workers: 4) }
        for courier in couriers { courier.start() }
        var ids: [Identifier] = []
        for number in 0..<60 {
            ids.append(try await office.post(office.message(), with: couriers[number % 3]))
        }

        for id in ids { #expect(try await eventually("sent", id)) }
        #expect(delivery.attempts.count == 60)
        #expect(Set(delivery.attempts.map(\.key)) == Set(ids.map(\.description)))
        for courier in couriers { await courier.stop() }
    }

    @Test func `says pending when nothing is heard in time`() async throws {
        let courier = try office.courier(ScriptedDelivery(time: office.time))
        let id = try await office.post(office.message(), with: courier)

        async let heard = courier.waitForFirstAttempt(id, atMost: .seconds(5))
        await office.time.sleepers(atLeast: 1)
        office.time.advance(by: .seconds(5))
        #expect(await heard == .pending)
    }

    @Test func `does not send what was put into another message's row`() async throws {
        let delivery = ScriptedDelivery(time: office.time)
        let courier = try office.courier(delivery)
        let first = try await office.post(office.message(), with: courier)
        let second = try await office.post(office.message(), with: courier)
        _ = try await office.database.transaction { transaction in
            try transaction.execute(
                "UPDATE messages SET sealed = (SELECT sealed FROM messages WHERE id = $1) WHERE id = $2",
                .identifier(first),
                .identifier(second)
            )
        }
        courier.start()

        #expect(await courier.waitForFirstAttempt(second, atMost: .seconds(5)) == .refused)
        #expect(try await eventually("sent", first))
        #expect(delivery.attempts.map(\.key) == [first.description])
        await courier.stop()
    }

    @Test(arguments: [(true, FirstAttempt.sent), (false, .refused)])
    func `opens what was sealed under an older secret, as long as that is kept`(
        isKept: Bool,
        outcome: FirstAttempt
    ) async throws {
        let before = try office.courier(ScriptedDelivery(time: office.time))
        let id = try await office.post(office.message(), with: before)
        let secrets = ServerSecrets(signing: [1, 2, 3], older: isKept ? [PostOffice.secret] : [])
        let after = try Courier(
            office.context(secrets: secrets),
            delivery: ScriptedDelivery(time: office.time)
        )
        after.start()

        #expect(await after.waitForFirstAttempt(id, atMost: .seconds(5)) == outcome)
        await after.stop()
    }

    @Test func `finishes what is under way when it stops, and begins nothing new`() async throws {
        let held = Gatekeeper()
        let delivery = ScriptedDelivery(time: office.time) { await held.wait() }
        let courier = try office.courier(delivery)
        courier.start()
        let first = try await office.post(office.message(), with: courier)
        let second = try await office.post(office.message(), with: courier)
        await held.isReached()
        async let stopped: Void = courier.stop()
        // The grace is being waited for, so the stop has been noted.
        await office.time.sleepers(atLeast: 1)
        held.open()
        await stopped

        let states = [try await office.status(first), try await office.status(second)]
        #expect(states.sorted() == ["queued", "sent"])
        #expect(delivery.attempts.count == 1)
    }

    @Test func `goes on after trouble with the database`() async throws {
        let delivery = ScriptedDelivery(time: office.time)
        let troubled = TroubledDatabase(office.database)
        let courier = try Courier(
            office.context(database: troubled),
            delivery: delivery,
            options: CourierOptions(workers: 1)
        )
        let id = try await office.post(office.message(), with: courier)
        // One look, one taking and one writing down of the outcome go wrong.
        troubled.fail(reads: 1, transactions: [true, false, true])
        courier.start()

        try await passTime(untilStatus: "sent", of: id)
        #expect(delivery.attempts.count == 1)
        await courier.stop()
    }

    @Test func `sweeps away what is long over`() async throws {
        let courier = try office.courier(ScriptedDelivery(time: office.time))
        courier.start()
        let id = try await office.post(office.message(), with: courier)
        #expect(await courier.waitForFirstAttempt(id, atMost: .seconds(5)) == .sent)
        await courier.stop()
        try await office.post(office.message(), with: courier)
        let later = office.time.now + .seconds(1)
        try await office.database.transaction { try courier.sweep(before: later, in: $0) }

        let left = try await office.database.rows("SELECT status FROM messages")
        #expect(try left.map { try $0.text(0) } == ["queued"])
    }

    /// Moves the clock by seconds, each time when the worker has nothing to do.
    private func passTime(until isOver: () -> Bool) async throws {
        for _ in 0..<1000 where !isOver() {
            await office.time.sleepers(atLeast: 1)
            if !isOver() { office.time.advance(by: .seconds(1)) }
        }
        #expect(isOver())
    }

    private func passTime(untilStatus status: String, of id: Identifier) async throws {
        for _ in 0..<1000 {
            await office.time.sleepers(atLeast: 1)
            if try await office.status(id) == status { return }
            office.time.advance(by: .seconds(1))
        }
        Issue.record("the message did not become \(status)")
    }

    /// Waits, without the clock, until a message is what it must become.
    private func eventually(_ status: String, _ id: Identifier) async throws -> Bool {
        for _ in 0..<100_000 {
            if try await office.status(id) == status { return true }
            await Task.yield()
        }
        return false
    }
}
