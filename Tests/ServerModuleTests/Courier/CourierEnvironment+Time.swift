import LatchkeyModel
import LatchkeyTestKit
import Testing

extension CourierEnvironment {
    /// Advances the clock by one second at a time whenever the worker is idle.
    func passTime(until isOver: () -> Bool) async throws {
        for _ in 0..<1000 where !isOver() {
            await time.sleepers(atLeast: 1)
            if !isOver() { time.advance(by: .seconds(1)) }
        }
        #expect(isOver())
    }

    func passTime(untilStatus status: String, of id: Identifier) async throws {
        for _ in 0..<1000 {
            await time.sleepers(atLeast: 1)
            if try await self.status(id) == status { return }
            time.advance(by: .seconds(1))
        }
        Issue.record("the message did not become \(status)")
    }

    /// Waits until a message has the given status, without advancing the clock.
    func eventually(_ status: String, _ id: Identifier) async throws -> Bool {
        for _ in 0..<100_000 {
            if try await self.status(id) == status { return true }
            await Task.yield()
        }
        return false
    }
}
