import LatchkeyCourier
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Courier workers` {
    private let office: CourierEnvironment

    init() async throws {
        office = try await CourierEnvironment()
    }

    @Test func `A message is sent again with the same key after a crash`() async throws {
        let held = Latch()
        let crashing = ScriptedDelivery(time: office.time) { await held.wait() }
        let first = try office.courier(crashing)
        first.start()
        let id = try await office.post(office.message(), with: first)
        await held.isReached()
        // The first courier hangs, and its lease is still valid.
        let delivery = ScriptedDelivery(time: office.time)
        let second = try office.courier(delivery)
        second.start()
        await office.time.sleepers(atLeast: 1)
        #expect(delivery.attempts.isEmpty)

        office.time.advance(by: .seconds(60))
        #expect(try await office.eventually("sent", id))
        #expect(delivery.attempts.map(\.key) == [id.description])

        // The first courier resumes too late, so its result is ignored.
        held.open()
        await first.stop()
        await second.stop()
        #expect(delivery.attempts.count == 1)
        #expect(crashing.attempts.map(\.key) == [id.description])
    }

    @Test func `Each message is sent only once, even with many workers on several nodes`() async throws {
        let delivery = ScriptedDelivery(time: office.time)
        let couriers = try (0..<3).map { _ in try office.courier(delivery, workers: 4) }
        for courier in couriers { courier.start() }
        var ids: [Identifier] = []
        for number in 0..<60 {
            ids.append(try await office.post(office.message(), with: couriers[number % 3]))
        }

        for id in ids { #expect(try await office.eventually("sent", id)) }
        #expect(delivery.attempts.count == 60)
        #expect(Set(delivery.attempts.map(\.key)) == Set(ids.map(\.description)))
        for courier in couriers { await courier.stop() }
    }

    @Test func `Text messages are sent even while the mail server hangs`() async throws {
        let held = Latch()
        let mail = ScriptedDelivery(time: office.time) { await held.wait() }
        let sms = ScriptedDelivery(time: office.time)
        let courier = try office.courier(
            ChannelDelivery(sms: sms, mail: mail),
            channels: [.sms, .email],
            workers: 2
        )
        courier.start()
        var mails: [Identifier] = []
        for _ in 0..<5 { mails.append(try await office.post(office.mail(), with: courier)) }
        await held.isReached()
        var texts: [Identifier] = []
        for _ in 0..<5 { texts.append(try await office.post(office.message(), with: courier)) }

        for id in texts { #expect(try await office.eventually("sent", id)) }
        #expect(sms.attempts.count == 5)
        #expect(mail.attempts.count <= 2)
        held.open()
        for id in mails { #expect(try await office.eventually("sent", id)) }
        #expect(Set(mail.attempts.map(\.key)) == Set(mails.map(\.description)) && mail.attempts.count == 5)
        await courier.stop()
    }

    @Test func `A shutdown completes the current delivery and doesn't start another one`() async throws {
        let held = Latch()
        let delivery = ScriptedDelivery(time: office.time) { await held.wait() }
        let courier = try office.courier(delivery)
        courier.start()
        let first = try await office.post(office.message(), with: courier)
        let second = try await office.post(office.message(), with: courier)
        await held.isReached()
        async let stopped: Void = courier.stop()
        // The courier is waiting for the grace period, so we know that it has been told to stop.
        await office.time.sleepers(atLeast: 1)
        held.open()
        await stopped

        let states = [try await office.status(first), try await office.status(second)]
        #expect(states.sorted() == ["queued", "sent"])
        #expect(delivery.attempts.count == 1)
    }

    @Test func `A message whose last attempt was cancelled by a shutdown is sent after the restart`()
        async throws
    {
        let (time, begun) = (office.time, Deferred<Void>())
        let cancelled = ScriptedDelivery([.failed("cancelled")], time: time) {
            begun.set(())
            try? await time.sleep(for: .seconds(3600))
        }
        let first = try office.courier(cancelled, retries: RetryPolicy(attempts: 1))
        first.start()
        let id = try await office.post(office.message(), with: first)
        await begun.value
        await first.stop(grace: .zero)
        #expect(try await office.status(id) == "queued")

        let delivery = ScriptedDelivery(time: time)
        let second = try office.courier(delivery, retries: RetryPolicy(attempts: 1))
        second.start()
        await time.sleepers(atLeast: 1)
        time.advance(by: .seconds(60))
        #expect(try await office.eventually("sent", id))
        #expect(delivery.attempts.map(\.key) == [id.description])
        await second.stop()
    }

    @Test func `Workers continue after database errors`() async throws {
        let delivery = ScriptedDelivery(time: office.time)
        let troubled = FailingDatabase(office.database)
        let courier = try Courier(
            office.resources(database: troubled),
            delivery: delivery,
            options: CourierOptions(channels: [.sms], workers: 1)
        )
        let id = try await office.post(office.message(), with: courier)
        // The next poll, the next claim and the next status update fail.
        troubled.fail(reads: 1, transactions: [true, false, true])
        courier.start()

        try await office.passTime(untilStatus: "sent", of: id)
        #expect(delivery.attempts.count == 1)
        await courier.stop()
    }

    @Test func `Workers wait between claims while other nodes hold all messages that are due`() async throws {
        let outbox = LockedOutboxDatabase(office.database)
        let courier = try Courier(
            office.resources(database: outbox),
            delivery: ScriptedDelivery(time: office.time),
            options: CourierOptions(channels: [.sms], workers: 1)
        )
        courier.start()
        for round in 1...3 {
            await office.time.sleepers(atLeast: 1)
            #expect(outbox.polls == round)
            office.time.advance(by: .milliseconds(50))
        }
        await courier.stop()
    }

    @Test func `Only one idle worker polls at a time`() async throws {
        let outbox = CountingDatabase(office.database)
        let courier = try Courier(
            office.resources(database: outbox),
            delivery: ScriptedDelivery(time: office.time),
            options: CourierOptions(channels: [.sms], workers: 8, poll: .seconds(30))
        )
        let counts = await outbox.counts {
            courier.start()
            for _ in 0..<20 {
                await office.time.sleepers(atLeast: 1)
                office.time.advance(by: .seconds(30))
            }
            await office.time.sleepers(atLeast: 1)
        }
        // All workers poll once at the start. From then on, only one worker polls at a time.
        #expect(counts.reads <= 8 + 20)
        await courier.stop()
    }
}
