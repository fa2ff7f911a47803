import LatchkeyModel
import LatchkeyTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Virtual clock` {
    private let time = VirtualTime(now: Timestamp(seconds: 1000))

    @Test func `The clock does not advance by itself`() {
        #expect(time.now == Timestamp(seconds: 1000))
        time.advance(by: .seconds(5))
        #expect(time.now == Timestamp(seconds: 1005))
    }

    @Test func `The clock does not move backwards`() {
        time.advance(by: .seconds(-5))
        #expect(time.now == Timestamp(seconds: 1000))
    }

    @Test func `A sleeper wakes at its deadline and not earlier`() async throws {
        let woken = Locked(false)
        let sleeper = Task { [time] in
            try await time.sleep(for: .seconds(10))
            woken.withLock { $0 = true }
        }
        await time.sleepers(atLeast: 1)
        time.advance(by: .seconds(9))
        #expect(woken.withLock { $0 } == false)
        time.advance(by: .seconds(1))
        try await sleeper.value
        #expect(woken.withLock { $0 })
    }

    @Test func `Each of several sleeping tasks wakes up once`() async throws {
        try await withThrowingTaskGroup(of: Timestamp.self) { group in
            for seconds in [30, 10, 20] {
                group.addTask { [time] in
                    try await time.sleep(for: .seconds(seconds))
                    return time.now
                }
            }
            await time.sleepers(atLeast: 3)
            for expected in [1010, 1020, 1030] {
                time.advance(by: .seconds(10))
                let wokenAt = try await group.next()
                #expect(wokenAt == Timestamp(seconds: Int64(expected)))
            }
        }
    }

    @Test func `Background sleepers are counted separately`() async throws {
        let background = Task { [time] in try await time.background.sleep(for: .seconds(20)) }
        await time.sleepers(atLeast: 1, inBackground: true)
        let watcher = Task { [time] in
            await time.sleepers(atLeast: 1)
            return time.now
        }
        for _ in 0..<100 { await Task.yield() }
        time.advance(by: .seconds(10))
        let sleeper = Task { [time] in try await time.sleep(for: .seconds(10)) }
        #expect(await watcher.value == Timestamp(seconds: 1010))
        time.advance(by: .seconds(10))
        try await sleeper.value
        try await background.value
    }

    @Test func `Cancelling a task wakes its sleeper`() async {
        let sleeper = Task { [time] in try await time.sleep(for: .seconds(10)) }
        await time.sleepers(atLeast: 1)
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test func `Sleeping throws if the task has already been cancelled`() async {
        let sleeper = Task { [time] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await time.sleep(for: .seconds(10))
        }
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test func `Cancelling a task resumes its watcher`() async {
        let watcher = Task { [time] in await time.sleepers(atLeast: 1) }
        watcher.cancel()
        await watcher.value
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func `Sleeping for zero or less returns immediately`(duration: Duration) async throws {
        try await time.sleep(for: duration)
    }

    @Test func `A timer fires once at its deadline, unless it was removed`() {
        let calls = Locked<[String]>([])
        let remove = time.timer(after: .seconds(5)) { calls.withLock { $0.append("removed") } }
        _ = time.timer(after: .seconds(5)) { calls.withLock { $0.append("fired") } }
        remove()

        for expected in [[], ["fired"], ["fired"]] {
            time.advance(by: .seconds(4))
            #expect(calls.withLock { $0 } == expected)
        }
        #expect(time.untilNextWake == nil)
    }

    @Test(arguments: [VirtualTime(), SystemTime()] as [any TimeSource])
    func `The virtual clock and the system's clock have the same rules for sleeping`(_ clock: any TimeSource)
        async throws
    {
        let start = clock.uptime
        for duration in [Duration.zero, .seconds(-1)] { try await clock.sleep(for: duration) }
        #expect(clock.uptime >= start)

        for waits in [true, false] {
            let sleeper = Task {
                while waits, !Task.isCancelled { await Task.yield() }
                try await clock.sleep(for: .seconds(3600))
            }
            sleeper.cancel()
            await #expect(throws: CancellationError.self) { try await sleeper.value }
        }
    }
}
