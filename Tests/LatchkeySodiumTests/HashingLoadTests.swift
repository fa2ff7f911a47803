import LatchkeyModel
import LatchkeySodium
import Testing

@Suite struct `Password hashing load` {
    /// A monotonic clock that advances by a fixed amount each time it is read, beside a wall clock that is set.
    private final class SteppingTime: TimeSource {
        private let reading = Locked(Duration.zero)
        private let step: Duration

        init(step: Duration) {
            self.step = step
        }

        var now: Timestamp { Timestamp(seconds: .random(in: 0...4_000_000_000)) }

        var uptime: Duration {
            reading.withLock { reading in
                reading += step
                return reading
            }
        }

        func sleep(for duration: Duration) async throws {}
    }

    @Test(arguments: [
        (Duration.milliseconds(20), 1, 0, 1),
        (.milliseconds(20), 2, 64, 1),
        (.milliseconds(100), 1, 64, 7),
        (.milliseconds(100), 4, 64, 2),
        (.seconds(2), 1, 10, 22),
    ])
    func `The retry delay depends on the load`(duration: Duration, threads: Int, waiting: Int, seconds: Int) {
        let load = HashingLoad(threads: threads, time: SteppingTime(step: duration))
        for _ in 0..<200 { load.measure(onThread: 0) {} }

        #expect(load.retryAfter(waiting: waiting) == seconds)
    }
}
