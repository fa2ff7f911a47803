import LatchkeyCourier
import LatchkeyModel
import LatchkeyTestKit
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Retrying deliveries` {
    private let office: CourierEnvironment

    init() async throws {
        office = try await CourierEnvironment()
    }

    @Test func `The courier gives up when the provider rejects the message`() async throws {
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

    @Test func `The delay doubles with each retry and the idempotency key stays the same`() async throws {
        let failures = [DeliveryError?](repeating: .failed("down"), count: 4)
        let delivery = ScriptedDelivery(failures, time: office.time)
        let courier = try office.courier(delivery)
        let start = office.time.now
        courier.start()
        let id = try await office.post(office.message(), with: courier)

        #expect(await courier.waitForFirstAttempt(id, atMost: .seconds(5)) == .pending)
        try await office.passTime(until: { delivery.attempts.count == 5 })
        #expect(try await office.eventually("sent", id))
        let waits = zip(delivery.attempts, delivery.attempts.dropFirst()).map { $1.time - $0.time }
        for (wait, longest) in zip(waits, [2, 4, 8, 16]) {
            #expect(wait >= .seconds(longest) / 2 && wait <= .seconds(longest) + .seconds(1))
        }
        #expect(delivery.attempts[0].time == start)
        #expect(Set(delivery.attempts.map(\.key)) == [id.description])
        await courier.stop()
    }

    @Test func `A retry waits for as long as the provider asked`() async throws {
        let delivery = ScriptedDelivery([.failed("busy", retryAfter: .seconds(77))], time: office.time)
        let courier = try office.courier(delivery)
        courier.start()
        let id = try await office.post(office.message(), with: courier)

        #expect(await courier.waitForFirstAttempt(id, atMost: .seconds(5)) == .pending)
        try await office.passTime(until: { delivery.attempts.count == 2 })
        let wait = delivery.attempts[1].time - delivery.attempts[0].time
        #expect(wait >= .seconds(77) && wait <= .seconds(78))
        await courier.stop()
    }

    @Test func `The courier gives up when the code in the message has expired`() async throws {
        let failures = [DeliveryError?](repeating: .failed("down"), count: 100)
        let delivery = ScriptedDelivery(failures, time: office.time)
        let courier = try office.courier(delivery)
        let start = office.time.now
        courier.start()
        let id = try await office.post(office.message(lifespan: .seconds(10)), with: courier)

        #expect(await courier.waitForFirstAttempt(id, atMost: .seconds(5)) == .pending)
        try await office.passTime(untilStatus: "abandoned", of: id)
        // The courier gives up as soon as it knows that the next attempt would be too late, instead of
        // waiting until that attempt is due.
        #expect(office.time.now < start + .seconds(10))
        #expect((2...4).contains(delivery.attempts.count))
        #expect(try await office.sealed(id) == nil)
        await courier.stop()
    }

    @Test func `A message isn't sent if its code expired in the queue`() async throws {
        let delivery = ScriptedDelivery(time: office.time)
        let courier = try office.courier(delivery)
        let id = try await office.post(office.message(lifespan: .seconds(10)), with: courier)
        office.time.advance(by: .seconds(10))
        courier.start()

        #expect(await courier.waitForFirstAttempt(id, atMost: .seconds(5)) == .refused)
        #expect(delivery.attempts.isEmpty)
        await courier.stop()
    }

    @Test func `Messages without a code are retried for more than a day`() async throws {
        let failures = [DeliveryError?](repeating: .failed("down"), count: 1000)
        let delivery = ScriptedDelivery(failures, time: office.time)
        let abandoned = Locked<[Int]>([])
        let courier = try office.courier(delivery, channels: [.email]) { incident in
            guard case .abandoned(_, let attempt, _) = incident else { return }
            abandoned.withLock { $0.append(attempt) }
        }
        let start = office.time.now
        courier.start()
        let id = try await office.post(office.mail(.passwordChanged), with: courier)
        while office.time.now - start < .seconds(2 * 86_400), try await office.status(id) == "queued" {
            await office.time.sleepers(atLeast: 1)
            office.time.advance(by: .seconds(30))
        }

        #expect(try await office.status(id) == "abandoned")
        let last = try #require(delivery.attempts.last).time
        #expect(last - start > .seconds(86_400))
        // When the test advances the clock, the lease on a message can expire while the message is being
        // sent. In that case, an attempt is counted even though its outcome isn't recorded.
        #expect(abandoned.withLock { $0 } == [100])
        #expect(delivery.attempts.count <= 100)
        await courier.stop()
    }
}
