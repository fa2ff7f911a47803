/// The sequence of states of this device's session: first the state in the store, then every change.
///
/// Each iteration has its own subscription, and ends when the client is deallocated.
public struct SessionStates: AsyncSequence, Sendable {
    /// The state of the session.
    public typealias Element = SessionState

    private let subscribe: @Sendable () -> AsyncStream<SessionState>

    /// Creates the sequence.
    ///
    /// - Parameter subscribe: Returns a new stream for each iteration, which begins with the current state.
    package init(subscribe: @escaping @Sendable () -> AsyncStream<SessionState>) {
        self.subscribe = subscribe
    }

    /// Starts an iteration.
    ///
    /// - Returns: An iterator whose first element is the current state, as soon as it is known.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(states: subscribe().makeAsyncIterator())
    }

    /// An iterator over the states.
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
