/// The states of this device's session.
///
/// The first element is the current state, followed by every change.
///
/// Each iteration is independent of the others, and ends when the client is deallocated.
public struct SessionStates: AsyncSequence, Sendable {
    /// The state of the session at one point in time.
    public typealias Element = SessionState

    private let subscribe: @Sendable () -> AsyncStream<SessionState>

    /// Creates the sequence.
    ///
    /// - Parameter subscribe: A closure that returns a new stream for each iteration. The stream begins with
    ///   the current state.
    package init(subscribe: @escaping @Sendable () -> AsyncStream<SessionState>) {
        self.subscribe = subscribe
    }

    /// Starts an iteration.
    ///
    /// - Returns: An iterator that starts with the current state. If the store hasn't been read yet, the
    ///   iterator waits until the store has been read.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(states: subscribe().makeAsyncIterator())
    }

    /// An iterator over the session's states.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var states: AsyncStream<SessionState>.AsyncIterator

        /// Waits for the next state.
        ///
        /// - Returns: The state, or `nil` if the client was deallocated or the task was cancelled.
        @concurrent public mutating func next() async -> SessionState? {
            await states.next()
        }
    }
}

@available(*, unavailable)
extension SessionStates.AsyncIterator: Sendable {}
