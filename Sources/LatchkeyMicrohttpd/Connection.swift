import CMicrohttpd
import CMicrohttpdShim
import Glibc
import LatchkeyModel
import LatchkeyServerCore
import LatchkeyWire

/// One client's connection: the request it is at, and how far that has come.
///
/// `@unchecked Sendable`: `incoming` belongs to the one thread of the library that serves this connection; all else
/// that changes is behind `state`. The library's handle stays valid until the connection is told to be closed, which
/// cannot come while it is suspended.
final class Connection: @unchecked Sendable {
    /// The request that is being received, on the library's thread only.
    struct Incoming {
        var target: RequestTarget?
        var request: HTTPRequest?
        var refusal: Refusal?
        /// Whether unread input may be on its way when the connection closes.
        var lingers = false
    }

    /// What the library's thread does next about an answer.
    enum Step {
        case run(exchange: UInt64)
        case send(HTTPResponse)
        case wait
    }

    private enum Answer {
        case none
        /// The handler works on the library's own thread.
        case running
        /// The handler works elsewhere, and the connection sleeps.
        case suspended(Task<Void, Never>)
        case ready(HTTPResponse)
    }

    private struct State {
        var phase = ConnectionPhase.fresh
        /// Grows with every change of phase, so that a sweep knows a phase again.
        var generation: UInt64 = 0
        /// Numbers the requests, so that a handler that is late cannot answer the next one.
        var exchange: UInt64 = 0
        var answer = Answer.none
        var isDraining = false
        var isAbandoned = false
        var isCut = false

        mutating func enter(_ phase: ConnectionPhase) {
            self.phase = phase
            generation &+= 1
        }
    }

    let peer: PeerAddress
    /// The networks that the connection counts for.
    let networks: [ClientNetwork]
    var incoming = Incoming()
    private let handle: OpaquePointer
    private let descriptor: Int32
    private let state = Locked(State())

    init(_ handle: OpaquePointer) {
        self.handle = handle
        descriptor = latchkey_mhd_socket(handle)
        networks = ClientNetwork.all(of: latchkey_mhd_address(handle))
        peer = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { host in
            guard let start = host.baseAddress else { return PeerAddress(host: "", port: 0) }
            let port = latchkey_mhd_peer(handle, start, host.count)
            return PeerAddress(host: String(cString: start), port: Int(port))
        }
    }

    // MARK: On the library's thread

    /// Notes that the connection waits for something else now.
    ///
    /// - Returns: Whether the server is stopping.
    @discardableResult
    func enter(_ phase: ConnectionPhase) -> Bool {
        state.withLock { state in
            state.enter(phase)
            return state.isDraining
        }
    }

    /// Decides what to do about a request that is complete.
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

    /// Takes the answer of a handler that finished without waiting, or puts the connection to sleep.
    func takeOrSuspend(_ task: Task<Void, Never>) -> HTTPResponse? {
        if case .send(let response) = nextStep() { return response }
        // Asleep before anybody can wake it; what was decided meanwhile is seen under the lock.
        MHD_suspend_connection(handle)
        state.withLock { state in
            if case .running = state.answer {
                guard state.isAbandoned else {
                    state.answer = .suspended(task)
                    return
                }
                abandon(&state, task)
            }
            MHD_resume_connection(handle)
        }
        return nil
    }

    /// Whether the server is stopping, so that an answer is the last one.
    var isDraining: Bool {
        state.withLock { $0.isDraining }
    }

    /// Refuses a request at once, past the library, which closes the connection next.
    func sendDirectly(_ refusal: Refusal) {
        incoming.lingers = true
        enter(.answering)
        let bytes = refusal.message
        _ = bytes.withUnsafeBytes { latchkey_send_now(descriptor, $0.baseAddress, $0.count) }
    }

    /// Ends the sending side, so that the library cannot send anything more.
    func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Notes the end of a request, whether answered or not.
    func complete() {
        incoming = Incoming(lingers: incoming.lingers)
        // No more requests come in when the server is stopping; what has arrived is still read.
        if enter(.idle) { shutdown(descriptor, Int32(SHUT_RD)) }
    }

    /// A second descriptor of the socket, if closing it now could take the answer back from a client that still sends.
    func lingeringDescriptor() -> Int32? {
        guard !state.withLock({ $0.isCut }) else { return nil }
        var byte: UInt8 = 0
        let unread = latchkey_peek_now(descriptor, &byte, 1)
        guard unread > 0 || (unread < 0 && errno == EAGAIN && incoming.lingers) else { return nil }
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        return copy < 0 ? nil : copy
    }

    // MARK: On any thread

    /// Hands in the handler's answer; one that comes too late is dropped.
    func finish(_ response: HTTPResponse, exchange: UInt64) {
        state.withLock { state in
            guard state.exchange == exchange else { return }
            switch state.answer {
            case .running:
                state.answer = .ready(response)
            case .suspended:
                state.answer = .ready(response)
                // Under the lock, so that nobody stops the library between the two.
                MHD_resume_connection(handle)
            case .none, .ready:
                break
            }
        }
    }

    // MARK: Under the registry's lock, while the library cannot close the descriptor

    /// The phase, and a number that is another one whenever it was entered.
    var progress: (phase: ConnectionPhase, generation: UInt64) {
        state.withLock { ($0.phase, $0.generation) }
    }

    /// Ends the connection, whatever it is at.
    func cut() {
        state.withLock { $0.isCut = true }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Lets the request that is in progress be the last one.
    func drain() {
        let isIdle = state.withLock { state in
            state.isDraining = true
            return state.phase == .fresh || state.phase == .idle
        }
        if isIdle { shutdown(descriptor, Int32(SHUT_RD)) }
    }

    /// Answers in the handler's place, or gives up a request that is not complete, for the server must stop now.
    func abandon() {
        let isIncomplete = state.withLock { state in
            state.isAbandoned = true
            if case .suspended(let task) = state.answer {
                abandon(&state, task)
                MHD_resume_connection(handle)
            }
            return state.phase != .handling && state.phase != .answering
        }
        if isIncomplete { cut() }
    }

    private func abandon(_ state: inout State, _ task: Task<Void, Never>) {
        state.exchange &+= 1
        state.answer = .ready(Refusal.stopping.response)
        task.cancel()
    }
}
