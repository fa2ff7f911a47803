import LatchkeyModel

/// A closure that runs once, before a given step of a write.
final class Interruption: Sendable {
    private let first: Int
    private let rest: Locked<Int>
    private let body: @Sendable () -> Void

    init(before step: Int, _ body: @escaping @Sendable () -> Void) {
        first = step
        rest = Locked(step)
        self.body = body
    }

    /// Whether there was any step.
    var hasSteps: Bool { rest.withLock { $0 < first } }

    /// Whether the closure has run.
    var isOver: Bool { rest.withLock { $0 <= 0 } }

    /// Counts a step.
    ///
    /// The steps of the closure itself come after that, so they don't run it again.
    func step() {
        let isNow = rest.withLock { rest in
            rest -= 1
            return rest == 0
        }
        if isNow { body() }
    }
}
