import LatchkeyModel

/// A counter that reports which call reaches zero.
final class Fuse: Sendable {
    private let left: Locked<Int>

    init(length: Int) { left = Locked(length) }

    func burn() -> Bool {
        left.withLock { left in
            left -= 1
            return left == 0
        }
    }
}
