/// A maximum number of events within a sliding window.
package struct LimitWindow: Hashable, Sendable {
    package let count: Int
    package let length: Duration

    /// Creates a window that allows `count` events within `length`.
    package init(_ count: Int, per length: Duration) {
        self.count = count
        self.length = length
    }

    /// Returns the wait before one more event is allowed; zero if it is allowed now.
    func wait(after ages: [Duration]) -> Duration {
        guard count > 0 else { return length }
        // One more event is allowed once the event `count` places back has left the window.
        guard ages.count >= count else { return .zero }
        return max(.zero, length - ages[count - 1])
    }
}
