import LatchkeyCore
import LatchkeyModel
public import LatchkeyWire

/// A transport to a server in the same process, over a simulated network that can inject faults.
///
/// The transport has the same limits as the platform's transport: by default, a response can be up to 1 MiB
/// in size, and an exchange fails with `timedOut` after 15 seconds on the virtual clock. Responses that
/// HTTP/1.1 can't transmit are rejected.
///
/// The server still processes a request after it has been cancelled, as a server behind a real network would.
public final class TestTransport: Transport {
    /// A closure that responds in place of a server other than the test server, such as the app's own API.
    ///
    /// If the virtual clock advances by 15 seconds before the closure returns, the request fails with
    /// `timedOut`. A request can have a different time limit.
    ///
    /// A stub always runs to completion, even if the request is cancelled. The closure may be called
    /// concurrently.
    public typealias Stub = @Sendable (HTTP.Request) async -> HTTP.Response

    /// Returns the closure that handles requests to the server, or `nil` while the server is stopped.
    package typealias Destination = @Sendable () -> Stub?

    private static let timeout: Duration = .seconds(15)

    private struct State {
        var faults = NetworkFaults()
        var stubs: [String: Stub] = [:]
        var exchanges: [NetworkExchange] = []
        var requestsInProgress: [Int: Task<Void, Never>] = [:]
        var numbers = 0
    }

    private let origin: String
    private let time: VirtualTime
    private let destination: Destination
    private let state = Locked(State())

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - origin: The origin of the test server.
    ///   - time: The clock for delays and time limits.
    ///   - destination: Returns the closure that handles requests to the server.
    package init(
        origin: String,
        time: VirtualTime,
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
    ///   - limits: The limits for this request. The default is 15 seconds on the virtual clock and 1 MiB.
    /// - Returns: The response, regardless of its status.
    /// - Throws: ``LatchkeyWire/TransportError``, with the error of an injected fault, `cancelled` if the
    ///   task is cancelled, `timedOut` if the time limit is reached, `unreachable` if there is no server at the
    ///   origin, `invalidResponse` if the response is larger than the limit or isn't valid HTTP, or `invalidRequest`
    ///   if the request could be sent to a different origin. Requests that are invalid are not recorded.
    public func send(
        _ request: HTTP.Request,
        to origin: String,
        limits: RequestLimits
    ) async throws(TransportError) -> HTTP.Response {
        _ = try request.url(at: origin)
        let outcome: Result<HTTP.Response, TransportError>
        do {
            let answer = try await answer(to: request, origin: origin, within: limits.timeout ?? Self.timeout)
            outcome = .success(try answer.received(as: request.method, limit: limits.bodyLimit))
        } catch {
            outcome = .failure(error)
        }
        state.withLock { $0.exchanges.append(NetworkExchange(request: request, outcome: outcome)) }
        return try outcome.get()
    }

    /// Waits until the server has processed all requests, including those whose callers were cancelled.
    ///
    /// Requests to stubs are ignored.
    ///
    /// Don't start new requests in the meantime, because this method waits for them as well.
    package func settled() async {
        while let task = state.withLock({ $0.requestsInProgress.values.first }) { await task.value }
    }

    /// Applies the next matching fault to a request, or passes the request on to the server if no fault
    /// matches.
    private func answer(
        to request: HTTP.Request,
        origin: String,
        within timeout: Duration
    ) async throws(TransportError) -> HTTP.Response {
        guard !Task.isCancelled else { throw .cancelled }
        // Like libcurl, we treat shorter limits as a millisecond.
        let timeout = max(timeout, .milliseconds(1))
        let fault = state.withLock { $0.faults.take(for: request) }
        switch fault {
        case .unreachable:
            throw .unreachable
        case .dropRequest:
            throw .timedOut
        case .dropResponse:
            _ = try await respond(to: request, origin: origin, within: timeout)
            throw .timedOut
        case .respond(let response):
            return response
        case .delay(let duration):
            do { try await time.sleep(for: min(duration, timeout)) } catch { throw .cancelled }
            guard duration < timeout else { throw .timedOut }
            return try await respond(to: request, origin: origin, within: timeout - duration)
        case nil:
            return try await respond(to: request, origin: origin, within: timeout)
        }
    }

    /// Passes a request to its server in a separate task that continues even if the caller is cancelled.
    ///
    /// - Throws: `cancelled` as soon as the caller is cancelled, `timedOut` if a stub doesn't respond in
    ///   time, or `unreachable` if there is no server at the origin.
    private func respond(
        to request: HTTP.Request,
        origin: String,
        within timeout: Duration
    ) async throws(TransportError) -> HTTP.Response {
        if let stub = state.withLock({ $0.stubs[origin] }) {
            let limit = RequestLimits.isUnlimited(timeout) ? nil : timeout
            return try await respond(to: request, with: stub, isServer: false, within: limit)
        }
        // The server never takes long, so there is no time limit. Otherwise, a test that advances the clock
        // by an hour would make requests fail that the server is processing at this moment.
        guard origin == self.origin, let server = destination() else { throw .unreachable }
        return try await respond(to: request, with: server, isServer: true, within: nil)
    }

    /// Runs a responder until it responds, the time limit is exceeded or the caller is cancelled.
    private func respond(
        to request: HTTP.Request,
        with responder: @escaping Stub,
        isServer: Bool,
        within timeout: Duration?
    ) async throws(TransportError) -> HTTP.Response {
        let pending = OneShot<Result<HTTP.Response, TransportError>>()
        let start = time.uptime
        let stopTimer = timeout.map { time.timer(after: $0) { pending.set(.failure(.timedOut)) } }
        defer { stopTimer?() }
        state.withLock { [state] current in
            current.numbers += 1
            let number = current.numbers
            let task = Task {
                pending.set(.success(await responder(request)))
                state.withLock { $0.requestsInProgress[number] = nil }
            }
            // A stub may never respond, so a server that stops must not wait for it.
            if isServer { current.requestsInProgress[number] = task }
        }
        guard let outcome = await pending.value else { throw .cancelled }
        // A single step of the clock can wake up the stub and exceed the limit. The outcome must not depend
        // on which of the two happens first.
        if let timeout, time.uptime - start >= timeout { throw .timedOut }
        return try outcome.get()
    }
}

extension TransportError {
    fileprivate static let cancelled = TransportError(.cancelled, message: "The task was cancelled.")
    fileprivate static let timedOut = TransportError(.timedOut, message: "The request timed out.")
    fileprivate static let unreachable = TransportError(
        .unreachable,
        message: "The server cannot be reached.",
        neverSent: true
    )
}
