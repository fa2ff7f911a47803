import LatchkeyCore
package import LatchkeyModel
public import LatchkeyWire

/// A transport to a server in the same process, over a simulated network that can inject faults.
///
/// The server still processes a request after it has been cancelled, as a server behind a real network would.
public final class TestTransport: Transport {
    /// A closure that responds in place of a server other than the test server, such as the app's own API.
    ///
    /// A stub always runs to completion, even if the request is cancelled. The closure may be called
    /// concurrently.
    public typealias Stub = @Sendable (HTTP.Request) async -> HTTP.Response

    /// Returns the closure that handles requests to the server, or `nil` while the server is stopped.
    package typealias Destination = @Sendable () -> Stub?

    private struct State {
        var faults = NetworkFaults()
        var stubs: [String: Stub] = [:]
        var exchanges: [NetworkExchange] = []
        var requestsInProgress: [Int: Task<Void, Never>] = [:]
        var numbers = 0
    }

    private let origin: String
    private let time: any TimeSource
    private let destination: Destination
    private let state = Locked(State())

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - origin: The origin of the test server.
    ///   - time: The clock that injected delays are based on.
    ///   - destination: Returns the closure that handles requests to the server.
    package init(
        origin: String,
        time: any TimeSource,
        destination: @escaping Destination
    ) {
        self.origin = origin
        self.time = time
        self.destination = destination
    }

    /// The requests that this transport has sent and their outcomes, in order of completion.
    ///
    /// A request is recorded once the client has received its outcome. This includes requests that were
    /// answered by a stub.
    public var exchanges: [NetworkExchange] {
        state.withLock { $0.exchanges }
    }

    /// Removes all recorded exchanges.
    ///
    /// Requests that are still in progress are recorded when they complete.
    public func forgetExchanges() {
        state.withLock { $0.exchanges = [] }
    }

    /// Injects a fault into the next matching requests.
    ///
    /// If several faults match the same request, the one that was injected first is used.
    ///
    /// Faults apply to requests to any server on the network, including stubs. A request whose task has
    /// already been cancelled doesn't use up a fault.
    ///
    /// - Parameters:
    ///   - fault: The fault to inject.
    ///   - method: The method of the affected requests, or `nil` for any method.
    ///   - path: The complete path of the affected requests, or `nil` for any path.
    ///   - times: The number of requests that the fault applies to. If the number is less than 1, this
    ///     method has no effect.
    public func inject(
        _ fault: NetworkFault,
        on method: HTTP.Method? = nil,
        _ path: String? = nil,
        times: Int = 1
    ) {
        state.withLock { $0.faults.add(fault, method: method, path: path, times: times) }
    }

    /// Removes all faults that haven't been used.
    public func removeFaults() {
        state.withLock { $0.faults.removeAll() }
    }

    /// Adds a server to the network, such as the app's own API.
    ///
    /// Requests to this server are subject to faults, too.
    ///
    /// A later stub for the same origin replaces this one. A stub for the test server's origin takes
    /// precedence over the server.
    ///
    /// - Parameters:
    ///   - origin: The server's scheme, host and port, such as `https://api.example.com`.
    ///   - stub: A closure that returns the response to each request.
    public func serve(_ origin: String, with stub: @escaping Stub) {
        // Clients send requests to the normalized origin, so we store the stub under that origin.
        let origin = WebAddress(origin)?.origin ?? origin
        state.withLock { $0.stubs[origin] = stub }
    }

    /// Sends a request, unless a scheduled fault prevents it, and records the outcome.
    ///
    /// - Parameters:
    ///   - request: The request. The path must start with a slash.
    ///   - origin: The server's scheme, host and port.
    /// - Returns: The response, regardless of its status.
    /// - Throws: ``LatchkeyWire/TransportError``, with the error of an injected fault, `cancelled` if the
    ///   task is cancelled, `unreachable` if there is no server at the origin, or `invalidRequest` if the
    ///   request could be sent to a different origin. Such requests are not recorded.
    public func send(_ request: HTTP.Request, to origin: String) async throws(TransportError) -> HTTP.Response
    {
        _ = try request.url(at: origin)
        let outcome: Result<HTTP.Response, TransportError>
        do {
            outcome = .success(try await answer(to: request, origin: origin))
        } catch {
            outcome = .failure(error)
        }
        state.withLock { $0.exchanges.append(NetworkExchange(request: request, outcome: outcome)) }
        return try outcome.get()
    }

    /// Waits until the server has processed all requests, including those whose callers were cancelled.
    ///
    /// Don't start new requests in the meantime, because this method waits for them as well.
    package func settled() async {
        while let task = state.withLock({ $0.requestsInProgress.values.first }) { await task.value }
    }

    /// Applies the next matching fault to a request, or passes the request on to the server if no fault
    /// matches.
    private func answer(to request: HTTP.Request, origin: String) async throws(TransportError)
        -> HTTP.Response
    {
        guard !Task.isCancelled else { throw .cancelled }
        let fault = state.withLock { $0.faults.take(for: request) }
        switch fault {
        case .unreachable:
            throw .unreachable
        case .dropRequest:
            throw TransportError(.timedOut, message: "The request timed out.")
        case .dropAnswer:
            _ = try await respond(to: request, origin: origin)
            throw TransportError(.timedOut, message: "The request timed out.")
        case .answer(let response):
            return response
        case .delay(let duration):
            do { try await time.sleep(for: duration) } catch { throw .cancelled }
            return try await respond(to: request, origin: origin)
        case nil:
            return try await respond(to: request, origin: origin)
        }
    }

    /// Passes a request to its server in a separate task that continues even if the caller is cancelled.
    ///
    /// - Throws: `cancelled` as soon as the caller is cancelled, or `unreachable` if there is no server at
    ///   the origin.
    private func respond(to request: HTTP.Request, origin: String) async throws(TransportError)
        -> HTTP.Response
    {
        guard let answer = responder(at: origin) else { throw .unreachable }
        let pending = OneShot<HTTP.Response>()
        state.withLock { [state] current in
            current.numbers += 1
            let number = current.numbers
            current.requestsInProgress[number] = Task {
                pending.set(await answer(request))
                state.withLock { $0.requestsInProgress[number] = nil }
            }
        }
        guard let response = await pending.value else { throw .cancelled }
        return response
    }

    /// Returns the closure that handles requests to an origin, or `nil` if there is none or the server is
    /// stopped.
    private func responder(at origin: String) -> Stub? {
        if let stub = state.withLock({ $0.stubs[origin] }) { return stub }
        return origin == self.origin ? destination() : nil
    }
}

extension TransportError {
    fileprivate static let cancelled = TransportError(.cancelled, message: "The task was cancelled.")
    fileprivate static let unreachable = TransportError(
        .unreachable,
        message: "The server cannot be reached.",
        neverSent: true
    )
}
