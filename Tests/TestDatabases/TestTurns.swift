/// Lets so many tests that use databases run at once, and no more.
///
/// All tests of a run begin in the same moment. Those that wait here leave the processors to others, some of which may
/// not take longer than a minute from that moment on.
actor TestTurns {
    static let shared = TestTurns(6)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    private init(_ limit: Int) {
        free = limit
    }

    /// Waits for a turn.
    func take() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    /// Ends a turn.
    func end() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
