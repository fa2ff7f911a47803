/// The states of this device's session: first the truth on disk, then every change.
///
/// Each iteration starts anew. It ends when the client that it came from is gone.
public struct SessionStates: AsyncSequence, Sendable {
    /// A state.
    public typealias Element = SessionState

    private let subscribe: @Sendable () -> AsyncStream<SessionState>

    package init(subscribe: @escaping @Sendable () -> AsyncStream<SessionState>) {
        self.subscribe = subscribe
    }

    /// Starts an iteration.
    ///
    /// - Returns: An iterator whose first element is the state now, as soon as it can be told.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(states: subscribe().makeAsyncIterator())
    }

    /// Goes through the states.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var states: AsyncStream<SessionState>.AsyncIterator

        /// Waits for the next state.
        ///
        /// - Returns: The state; nothing when the client is gone or the task was cancelled.
        @concurrent public mutating func next() async -> SessionState? {
            await states.next()
        }
    }
}

@available(*, unavailable)
extension SessionStates.AsyncIterator: Sendable {}
