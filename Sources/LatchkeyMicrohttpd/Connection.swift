import CMicrohttpd
import CMicrohttpdShim
import Glibc
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// A client's connection and the state of its current request.
///
/// `@unchecked Sendable` is safe because `incoming` and `isDetached` are only used on the libmicrohttpd
/// thread that serves this connection, and all other mutable state is protected by `state`. The library's
/// handle stays valid until the library reports that the connection has ended, which cannot happen while the
/// connection is suspended.
final class Connection: ServedConnection, @unchecked Sendable {
    /// The request that is being received.
    ///
    /// The request is only used on the library's thread.
    struct Incoming {
        var target: RequestTarget?
        var request: HTTP.Request?
        var refusal: Refusal?
        /// Whether the client may still be sending data when the connection is closed.
        var lingers = false
        /// Whether the request uses HTTP/1.0, which does not support chunked transfer coding.
        var isVersion10 = false
    }

    /// The next action for a complete request.
    enum Step {
        /// Call the handler. The number is used to match the handler's response to the request.
        case run(exchange: UInt64)
        case send(HTTP.Response)
        /// Wait until the handler returns.
        case wait
    }

    /// The state of the response to the current request.
    private enum Answer {
        case none
        /// The handler is running on the library's thread.
        case running
        /// The handler is running elsewhere, and the connection is suspended.
        case suspended(Task<Void, Never>)
        /// The handler has returned, but the response has not been sent yet.
        case ready(HTTP.Response)
    }

    private struct State {
        var phase = ConnectionPhase.fresh
        /// The number of phase changes.
        ///
        /// Sweeps use this number to detect whether the phase has changed.
        var generation: UInt64 = 0
        /// The number of the current request.
        ///
        /// The number prevents a late response from being sent for the next request.
        var exchange: UInt64 = 0
        var answer = Answer.none
        /// The body that is being sent, if it is streamed.
        var stream: StreamedBody?
        var isDraining = false
        var isAbandoned = false
        var isCut = false

        mutating func enter(_ phase: ConnectionPhase) {
            self.phase = phase
            generation &+= 1
        }
    }

    /// The address of the peer, which can be the client or a proxy.
    let peer: PeerAddress
    /// The networks whose limits include this connection.
    let networks: [ClientNetwork]
    var incoming = Incoming()
    /// Whether a ``DetachedStream`` has taken over the socket.
    ///
    /// This property is only used on the library's thread.
    var isDetached = false
    private let handle: OpaquePointer
    /// The connection's socket, or a placeholder once the connection is detached.
    let descriptor: Int32
    private let state = Locked(State())

    init(_ handle: OpaquePointer) {
        self.handle = handle
        descriptor = latchkey_mhd_socket(handle)
        peer = PeerAddress(latchkey_mhd_address(handle)) ?? PeerAddress(.unspecified)
        networks = ClientNetwork.all(of: peer.address)
    }

    // MARK: On the library's thread

    /// Records that the connection has entered a phase.
    ///
    /// - Returns: Whether the server is stopping.
    @discardableResult
    func enter(_ phase: ConnectionPhase) -> Bool {
        state.withLock { state in
            state.enter(phase)
            return state.isDraining
        }
    }

    /// Returns what to do next with a complete request and updates the state accordingly.
    func nextStep() -> Step {
        state.withLock { state in
            switch state.answer {
            case .none:
                state.enter(.handling)
                state.exchange &+= 1
                state.answer = .running
                return .run(exchange: state.exchange)
            case .ready(let response):
                state.answer = .none
                state.enter(.answering)
                return .send(response)
            case .running, .suspended:
                return .wait
            }
        }
    }

    /// Returns the response if the handler finished without suspending.
    ///
    /// Otherwise, the connection is suspended.
    func takeOrSuspend(_ task: Task<Void, Never>) -> HTTP.Response? {
        if case .send(let response) = nextStep() { return response }
        // We must suspend the connection before the handler can resume it. The handler may have finished
        // since the first check, so we check again below.
        MHD_suspend_connection(handle)
        state.withLock { state in
            if case .running = state.answer {
                guard state.isAbandoned else {
                    state.answer = .suspended(task)
                    return
                }
                abandon(&state, task: task)
            }
            MHD_resume_connection(handle)
        }
        return nil
    }

    /// Sets the response that is sent in the next step.
    func replaceAnswer(by response: HTTP.Response) {
        state.withLock { $0.answer = .ready(response) }
    }

    /// Whether the server is stopping, so that the current response is the last one on this connection.
    var isDraining: Bool {
        state.withLock { $0.isDraining }
    }

    /// Writes a refusal directly to the socket, bypassing the library.
    ///
    /// The library closes the connection afterwards.
    func sendDirectly(_ refusal: Refusal) {
        incoming.lingers = true
        enter(.answering)
        let bytes = refusal.message(for: incoming.request?.method)
        _ = bytes.withUnsafeBytes { latchkey_send_now(descriptor, $0.baseAddress, $0.count) }
    }

    /// Shuts down the sending side so that the library cannot send anything after a refusal.
    func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Records that a request has ended, even if no response was sent.
    func complete() {
        incoming = Incoming(lingers: incoming.lingers)
        // A server that is stopping accepts no more requests, but the library could still read data that has
        // already been received.
        if enter(.idle) { shutdown(descriptor, Int32(SHUT_RD)) }
    }

    /// Returns a duplicate of the socket if the client may still be sending, because closing the socket could
    /// then discard the response.
    func lingeringDescriptor() -> Int32? {
        guard !isDetached, !state.withLock({ $0.isCut }) else { return nil }
        var byte: UInt8 = 0
        let unread = latchkey_peek_now(descriptor, &byte, 1)
        guard unread > 0 || (unread < 0 && errno == EAGAIN && incoming.lingers) else { return nil }
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        return copy < 0 ? nil : copy
    }

    /// Suspends the connection until ``resume()`` is called.
    func suspend() {
        MHD_suspend_connection(handle)
    }

    /// Creates the streamed body for the current response.
    func begin(_ stream: HTTP.BodyStream) -> StreamedBody {
        let body = StreamedBody(stream, of: self)
        let (isDraining, isAbandoned) = state.withLock { state in
            state.stream = body
            return (state.isDraining, state.isAbandoned)
        }
        if isDraining { body.drain() }
        if isAbandoned { body.abandon() }
        return body
    }

    /// Releases a streamed body after the library has released it.
    func forget(_ body: StreamedBody) {
        state.withLock { state in
            if state.stream === body { state.stream = nil }
        }
    }

    // MARK: On any thread

    /// Resumes the connection after ``suspend()``.
    func resume() {
        MHD_resume_connection(handle)
    }

    /// Passes the handler's response to the library.
    ///
    /// A response that arrives too late is discarded.
    func finish(_ response: HTTP.Response, exchange: UInt64) {
        state.withLock { state in
            guard state.exchange == exchange else { return }
            switch state.answer {
            case .running:
                state.answer = .ready(response)
            case .suspended:
                state.answer = .ready(response)
                // We resume the connection while holding the lock so that the library cannot be stopped
                // before this call.
                MHD_resume_connection(handle)
            case .none, .ready:
                break
            }
        }
    }

    // MARK: Under the registry's lock, while the library cannot close the descriptor

    /// The current phase, and a number that changes each time a phase is entered.
    var progress: (phase: ConnectionPhase, generation: UInt64) {
        state.withLock { ($0.phase, $0.generation) }
    }

    /// Closes the connection immediately, regardless of its phase.
    func cut() {
        state.withLock { $0.isCut = true }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Closes the connection immediately if it is idle, and otherwise after its current request.
    func drain() {
        let (isIdle, stream) = state.withLock { state in
            state.isDraining = true
            return (state.phase == .fresh || state.phase == .idle, state.stream)
        }
        stream?.drain()
        if isIdle { shutdown(descriptor, Int32(SHUT_RD)) }
    }

    /// Ends the current request.
    ///
    /// A request that is waiting for a handler gets a 503 response. If the request is incomplete or its
    /// response is being streamed, the connection is closed.
    func abandon() {
        let (isIncomplete, stream) = state.withLock { state in
            state.isAbandoned = true
            if case .suspended(let task) = state.answer {
                abandon(&state, task: task)
                MHD_resume_connection(handle)
            }
            return (!state.phase.isAnswer, state.stream)
        }
        stream?.abandon()
        if isIncomplete { cut() }
    }

    /// Replaces the handler's response with 503 and cancels the handler's task.
    ///
    /// The caller must hold the lock.
    private func abandon(_ state: inout State, task: Task<Void, Never>) {
        state.exchange &+= 1
        state.answer = .ready(Refusal.stopping.response)
        task.cancel()
    }
}
