import LatchkeyModel

/// A counter that tells the caller when it has just reached zero.
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
