public import LatchkeyCore
package import LatchkeyModel
package import LatchkeyServerCore
public import LatchkeyWire

/// A transport to a server in the same process, with a network that fails when a test wants it to.
///
/// The server goes on with a request whose caller was cancelled, as a server at the end of a wire does.
public final class TestTransport: Transport {
    /// What answers in place of a server that is not the test server, such as the app's own API.
    public typealias Stub = @Sendable (HTTPRequest) async -> HTTPResponse

    /// Where requests go now; nothing while the server is stopped.
    package typealias Destination = @Sendable () -> (any HTTPHandler)?

    private struct State {
        var faults = NetworkFaults()
        var stubs: [String: Stub] = [:]
        var exchanges: [RecordedExchange] = []
        var underWay: [Int: Task<Void, Never>] = [:]
        var numbers = 0
    }

    private let origin: String
    private let peer: PeerAddress
    private let time: any TimeSource
    private let destination: Destination
    private let state = Locked(State())

    package init(
        origin: String,
        peer: PeerAddress,
        time: any TimeSource,
        destination: @escaping Destination
    ) {
        self.origin = origin
        self.peer = peer
        self.time = time
        self.destination = destination
    }

    /// What was sent over this transport and what came of it, in the order in which the outcomes came.
    public var exchanges: [RecordedExchange] {
        state.withLock { $0.exchanges }
    }

    /// Forgets what was recorded so far.
    public func forgetExchanges() {
        state.withLock { $0.exchanges = [] }
    }

    /// Makes the network fail for requests to come.
    ///
    /// - Parameters:
    ///   - fault: What goes wrong.
    ///   - method: The method of the requests that are meant; any when not given.
    ///   - path: The whole path of the requests that are meant; any when not given.
    ///   - times: For how many requests.
    public func inject(
        _ fault: NetworkFault,
        on method: HTTPMethod? = nil,
        _ path: String? = nil,
        times: Int = 1
    ) {
        state.withLock { $0.faults.add(fault, method: method, path: path, times: times) }
    }

    /// Makes the network whole again.
    public func removeFaults() {
        state.withLock { $0.faults.removeAll() }
    }

    /// Puts another server into the network, such as the app's own API; faults befall its requests too.
    ///
    /// - Parameters:
    ///   - origin: Scheme, host and port, such as `https://api.example.com`.
    ///   - stub: What answers its requests.
    public func serve(_ origin: String, with stub: @escaping Stub) {
        // As clients write it.
        let origin = WebAddress(origin)?.origin ?? origin
        state.withLock { $0.stubs[origin] = stub }
    }

    /// Sends one request, unless a fault is planned for it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - origin: The server's address.
    /// - Returns: The answer.
    /// - Throws: ``TransportError`` as the fault has it, when the task is cancelled, or for a request that could go
    ///   elsewhere, which is not recorded.
    public func send(_ request: HTTPRequest, to origin: String) async throws(TransportError) -> HTTPResponse {
        _ = try request.url(at: origin)
        let outcome: Result<HTTPResponse, TransportError>
        do {
            outcome = .success(try await answer(to: request, origin: origin))
        } catch {
            outcome = .failure(error)
        }
        state.withLock { $0.exchanges.append(RecordedExchange(request: request, outcome: outcome)) }
        return try outcome.get()
    }

    /// Waits until the server is done with every request, also those whose callers have gone.
    package func settled() async {
        while let task = state.withLock({ $0.underWay.values.first }) { await task.value }
    }

    private func answer(to request: HTTPRequest, origin: String) async throws(TransportError) -> HTTPResponse
    {
        guard !Task.isCancelled else { throw .cancelled }
        let fault = state.withLock { $0.faults.take(for: request) }
        switch fault {
        case .unreachable:
            throw .unreachable
        case .dropRequest:
            throw TransportError(.timedOut, "No answer came in time.")
        case .dropAnswer:
            _ = try await respond(to: request, origin: origin)
            throw TransportError(.timedOut, "No answer came in time.")
        case .answer(let response):
            return response
        case .delay(let duration):
            do { try await time.sleep(for: duration) } catch { throw .cancelled }
            return try await respond(to: request, origin: origin)
        case nil:
            return try await respond(to: request, origin: origin)
        }
    }

    private func respond(to request: HTTPRequest, origin: String) async throws(TransportError) -> HTTPResponse
    {
        guard let answer = answerer(at: origin) else { throw .unreachable }
        let arrival = Arrival<HTTPResponse>()
        state.withLock { [state] current in
            current.numbers += 1
            let number = current.numbers
            current.underWay[number] = Task {
                arrival.set(await answer(request))
                state.withLock { $0.underWay[number] = nil }
            }
        }
        guard let response = await arrival.value else { throw .cancelled }
        return response
    }

    /// What answers at an address now; nothing when there is nothing.
    private func answerer(at origin: String) -> Stub? {
        if let stub = state.withLock({ $0.stubs[origin] }) { return stub }
        guard origin == self.origin, let handler = destination() else { return nil }
        return { [peer] request in await handler.respond(to: request, from: peer) }
    }
}

extension TransportError {
    fileprivate static let cancelled = TransportError(.cancelled, "The task was cancelled.")
    fileprivate static let unreachable = TransportError(
        .unreachable,
        "There is no way to the server.",
        neverSent: true
    )
}
