/// A semaphore that limits the number of concurrent tests that use databases.
///
/// All tests in a run start at the same time. Limiting the number of tests that run at once leaves enough CPU
/// time for other tests, some of which have a time limit of one minute.
actor TestSemaphore {
    static let shared = TestSemaphore(6)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    private init(_ limit: Int) {
        free = limit
    }

    /// Waits until fewer tests than the limit are running.
    func wait() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    /// Lets the next waiting test run.
    func signal() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
