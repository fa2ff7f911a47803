import LatchkeyModel

/// A counter that reports which call makes it reach zero.
final class Countdown: Sendable {
    private let left: Locked<Int>

    init(from count: Int) { left = Locked(count) }

    func reachesZero() -> Bool {
        left.withLock { left in
            left -= 1
            return left == 0
        }
    }
}
