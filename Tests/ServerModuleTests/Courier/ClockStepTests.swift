import LatchkeyCourier
import LatchkeyModel
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
}
