import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Imitated waits for the first attempt` {
    private let office: CourierEnvironment

    init() async throws {
        office = try await CourierEnvironment()
    }

    @Test func `A node that hasn't sent a message yet waits as long as is usual`() async throws {
        let courier = try office.courier(ScriptedDelivery(time: office.time))
        let start = office.time.uptime
        let attempt = await office.time.advancing(by: .milliseconds(50)) {
            await courier.imitateFirstAttempt(atMost: .seconds(5))
        }
        #expect(attempt == .sent)
        #expect(office.time.uptime - start >= .milliseconds(200))
    }

    @Test func `The warning about text messages is repeated after an hour even if the clock was set back`()
        async throws
    {
        let incidents = Locked<[CourierIncident]>([])
        let courier = try office.courier(ScriptedDelivery(time: office.time)) { incident in
            incidents.withLock { $0.append(incident) }
        }
        for _ in 0..<2 { courier.reportTextMessagesNearLimit() }
        #expect(incidents.withLock(\.count) == 1)
        office.time.stepWallClock(by: .seconds(-86_400))
        office.time.advance(by: .seconds(3600))
        courier.reportTextMessagesNearLimit()
        #expect(incidents.withLock(\.count) == 2)
    }
}
