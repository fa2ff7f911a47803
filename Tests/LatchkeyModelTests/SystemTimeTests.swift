import LatchkeyModel
import Testing

@Suite(.timeLimit(.minutes(1))) struct `System time` {
    @Test(arguments: [
        Duration.seconds(7200), .seconds(315_360_000), .seconds(Int64.max), .seconds(1.6e20),
    ])
    func `A sleep of any length ends when its task is cancelled`(duration: Duration) async {
        let sleeper = Task { try await SystemTime().sleep(for: duration) }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test(arguments: [
        Duration.zero, .seconds(-1), .seconds(Int64.min), .seconds(-1.6e20), .nanoseconds(1),
    ])
    func `A sleep of no length ends at once`(duration: Duration) async throws {
        try await SystemTime().sleep(for: duration)
    }
}
