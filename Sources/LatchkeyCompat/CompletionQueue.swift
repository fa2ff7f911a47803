package import Latchkey

/// Runs a client's asynchronous calls and calls each completion handler once on the main actor.
///
/// If a ``DelegateRelay`` uses the same queue, a completion handler is called after the delegate has been
/// notified of the changes that the call made.
///
/// A call that needs a user ends with a sign-out that follows it, even if its work hasn't begun by then.
package struct CompletionQueue: Sendable {
    private let client: LatchkeyClient
    private let queue: MainActorQueue

    /// Creates a queue for a client's calls.
    package init(client: LatchkeyClient, queue: MainActorQueue) {
        self.client = client
        self.queue = queue
    }

    /// Starts a call and returns without waiting for it to complete.
    ///
    /// - Parameters:
    ///   - work: The asynchronous call to run.
    ///   - translate: Translates the client's error into the error to report.
    ///   - completion: Called on the main actor with the result.
    package func run<Response: Sendable, Failure: Error>(
        _ work: @escaping @Sendable (LatchkeyClient) async throws(LatchkeyError) -> Response,
        translatingErrorsWith translate: @escaping @Sendable (LatchkeyError) -> Failure,
        completion: @escaping @MainActor (Result<Response, Failure>) -> Void
    ) {
        let work = { @Sendable [client] () async -> Result<Response, Failure> in
            do throws(LatchkeyError) {
                return .success(try await work(client))
            } catch {
                return .failure(translate(error))
            }
        }
        run(work, completion: completion)
    }

    /// Starts a call whose result is passed to the completion handler unchanged, and returns immediately.
    ///
    /// - Parameters:
    ///   - work: The asynchronous call to run.
    ///   - completion: Called on the main actor with the result.
    package func run<Response: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () async -> Result<Response, Failure>,
        completion: @escaping @MainActor (Result<Response, Failure>) -> Void
    ) {
        let start = client.actionStart()
        Task { [queue] in
            let result = await start.perform(work)
            queue.add { completion(result) }
        }
    }
}
