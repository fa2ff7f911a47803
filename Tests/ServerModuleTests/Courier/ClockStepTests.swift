import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import TestDatabases
import Testing

@Suite(.onEachDatabase, .timeLimit(.minutes(5))) struct `Courier behavior after clock changes` {
    private let office: CourierEnvironment

    init() async throws {
        office = try await CourierEnvironment()
    }

    @Test(arguments: [20, 60, 3600, 40 * 86_400, -3600])
    func `A new message is sent within two seconds`(step: Int) async throws {
        let delivery = ScriptedDelivery(time: office.time)
        let courier = try office.courier(
            delivery,
            workers: 8,
            pause: .milliseconds(100)..<(.milliseconds(200))
        )
        courier.start()
        // We need several rounds because the message may wake the worker whose timer is already set.
        for round in 1...4 {
            await office.time.sleepers(atLeast: 1)
            office.time.advance(by: .seconds(12))
            office.time.stepWallClock(by: .seconds(step))
            let id = try await office.post(office.message(), with: courier)

            // The clock moves from one timer to the next, for at most two seconds in total, no matter how
            // long the workers take.
            var left = Duration.seconds(2)
            await wait(until: "message \(round) is sent") {
                if let next = office.time.untilNextWake, next <= left {
                    office.time.advance(by: next)
                    left -= next
                }
                return delivery.attempts.count == round
            }
            guard delivery.attempts.count == round, try await office.eventually("sent", id) else { break }
        }
        await courier.stop()
    }

    @Test(arguments: [30, 7200])
    func `A message that was scheduled while the clock was ahead is sent at once`(step: Int) async throws {
        let delivery = ScriptedDelivery(time: office.time)
        let courier = try office.courier(delivery, retries: RetryPolicy(first: .seconds(20)))
        let ahead = office.time.now + .seconds(step)
        let id = try await office.post(office.message(lifespan: .seconds(86_400)), with: courier)
        // The message was stored, and had failed once, before the clock was set back.
        try await office.database.transaction { transaction in
            _ = try transaction.execute(
                "UPDATE messages SET created_at = $1, updated_at = $1, due_at = $2, attempts = 1",
                .time(ahead),
                .time(ahead + .seconds(20))
            )
        }
        courier.start()
        #expect(try await office.eventually("sent", id))
        let created = try await office.database.rows("SELECT created_at FROM messages")[0].time(0)
        #expect(created <= office.time.now)
        await courier.stop()
    }

    @Test func `A message whose retry is due later is not sent early`() async throws {
        let delivery = ScriptedDelivery(time: office.time)
        let courier = try office.courier(delivery)
        let now = office.time.now
        _ = try await office.post(office.message(lifespan: .seconds(86_400)), with: courier)
        try await office.database.transaction { transaction in
            _ = try transaction.execute(
                "UPDATE messages SET updated_at = $1, due_at = $2, attempts = 1",
                .time(now),
                .time(now + .seconds(20))
            )
        }
        courier.start()
        await office.time.sleepers(atLeast: 1)
        #expect(delivery.attempts.isEmpty)
        await courier.stop()
    }
}
