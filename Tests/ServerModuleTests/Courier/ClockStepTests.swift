import LatchkeyCourier
import LatchkeyModel
import LatchkeyServer
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

    @Test(arguments: [90, 7200])
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

    @Test func `The queue is searched for such messages only after the clock was set back`() async throws {
        let delivery = ScriptedDelivery(time: office.time)
        let database = CountingDatabase(office.database)
        let courier = try Courier(
            office.resources(database: database),
            delivery: delivery,
            options: CourierOptions(channels: [.sms], workers: 1, pause: .zero..<(.zero))
        )
        let id = try await office.post(office.message(lifespan: .seconds(86_400)), with: courier)
        let time = office.time
        try await office.database.transaction { transaction in
            _ = try transaction.execute("UPDATE messages SET due_at = $1", .time(time.now + .seconds(7200)))
        }
        let statements = await database.work {
            courier.start()
            for _ in 0..<10 {
                await time.sleepers(atLeast: 1)
                time.advance(by: .seconds(60))
            }
            await time.sleepers(atLeast: 1)
        }
        #expect(statements.count { $0.contains("updated_at >") } == 1)
        #expect(delivery.attempts.isEmpty)
        time.stepWallClock(by: .seconds(-3600))
        time.advance(by: .seconds(60))
        #expect(try await office.eventually("sent", id))
        await courier.stop()
    }

    @Test(arguments: [0, 50])
    func `A message whose retry is due later is not sent early`(skew: Int) async throws {
        let delivery = ScriptedDelivery(time: office.time)
        let courier = try office.courier(delivery)
        // The clock of the node that made the first attempt may be a little ahead.
        let now = office.time.now + .seconds(skew)
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
