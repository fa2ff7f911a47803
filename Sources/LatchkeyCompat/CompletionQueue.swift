package import Latchkey

/// Runs asynchronous calls of a client, and calls their completions once each on the main actor.
///
/// Completions and the notifications of a ``DelegateRelay`` with the same queue are ordered: a completion is
/// called after the delegate was notified of the changes that the call made.
package struct CompletionQueue: Sendable {
    private let client: LatchkeyClient
    private let queue: MainActorQueue

    /// Creates a queue for the calls of a client.
    package init(client: LatchkeyClient, queue: MainActorQueue) {
        self.client = client
        self.queue = queue
    }

    /// Starts a call, and returns before it has ended.
    ///
    /// - Parameters:
    ///   - work: The call.
    ///   - translate: Translates the client's error for the completion.
    ///   - completion: Called with the result.
    package func run<Response: Sendable, Failure: Error>(
        _ work: @escaping @Sendable (LatchkeyClient) async throws(LatchkeyError) -> Response,
        translatingErrorsWith translate: @escaping @Sendable (LatchkeyError) -> Failure,
        completion: @escaping @MainActor (Result<Response, Failure>) -> Void
    ) {
        Task { [client, queue] in
            let result: Result<Response, Failure>
            do throws(LatchkeyError) {
                result = .success(try await work(client))
            } catch {
                result = .failure(translate(error))
            }
            queue.add { completion(result) }
        }
    }
}
