/// So many times within so long; the window slides.
package struct LimitWindow: Hashable, Sendable {
    package let count: Int
    package let length: Duration

    /// Allows something so many times within so long.
    package init(_ count: Int, per length: Duration) {
        self.count = count
        self.length = length
    }

    /// How long until there is room for one more event; zero when there is now.
    func wait(after ages: [Duration]) -> Duration {
        guard count > 0 else { return length }
        // There is room when the event that is `count` back has left the window.
        guard ages.count >= count else { return .zero }
        return max(.zero, length - ages[count - 1])
    }
}
