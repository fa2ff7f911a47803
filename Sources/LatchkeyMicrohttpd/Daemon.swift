import CMicrohttpd
import CMicrohttpdShim
import Dispatch
import Glibc
import LatchkeyModel
import LatchkeyServerCore

/// A running server: the library's daemon, the listener before it, and the watch over its connections.
///
/// `@unchecked Sendable`: everything is set once, before the first connection is handed to the library.
final class Daemon: @unchecked Sendable {
    let configuration: HTTPServer.Configuration
    let handler: any HTTPHandler
    let registry: ConnectionRegistry
    let lingering: LingeringSockets
    let listener: Listener

    private let queue: DispatchQueue
    private let timer: any DispatchSourceTimer
    private let box = Locked<OpaquePointer?>(nil)

    /// Listens and serves.
    init(configuration: HTTPServer.Configuration, handler: any HTTPHandler) throws(HTTPServerError) {
        let queue = DispatchQueue(label: "latchkey.http")
        let box = box
        self.configuration = configuration
        self.handler = handler
        self.queue = queue
        let registry = ConnectionRegistry(
            total: configuration.maxConnections,
            perAddress: configuration.maxConnectionsPerAddress
        )
        self.registry = registry
        lingering = LingeringSockets(queue: queue)
        listener = try Listener(address: configuration.address, port: configuration.port, queue: queue) {
            descriptor,
            address,
            length in
            box.withLock { daemon in
                guard let daemon, registry.admit() else {
                    close(descriptor)
                    return
                }
                if MHD_add_connection(daemon, descriptor, address, length) == .NO { registry.giveBack() }
            }
        }
        // Made after all that can fail: a source must not go before it was active.
        timer = DispatchSource.makeTimerSource(queue: queue)
        try start()
    }

    private func start() throws(HTTPServerError) {
        var callbacks = latchkey_mhd_callbacks(
            // The library holds the server until it is stopped.
            context: Unmanaged.passRetained(self).toOpaque(),
            request: answerRequest,
            target: beginRequest,
            completed: completeRequest,
            connection: noteConnection,
            refused: refuseRequest
        )
        var limits = latchkey_mhd_limits(
            threads: UInt32(clamping: configuration.threads),
            // More than the registry admits, for each thread: a thread of version 0.9.75 that reaches its own limit keeps a
            // lock for good.
            connections: UInt32(clamping: (configuration.maxConnections + 1) * max(configuration.threads, 1)),
            // For the head, a second copy of its cookies, which the library takes apart, its notes on the fields, and the
            // head of the answer. No more: idle connections keep it, and the library clears it after every request.
            connection_memory: 2 * configuration.headerLimit + 8 * 1024
        )
        guard let daemon = latchkey_mhd_start(&callbacks, &limits) else {
            Unmanaged.passUnretained(self).release()
            timer.activate()
            timer.cancel()
            listener.start()
            listener.stop()
            throw .outOfResources
        }
        box.withLock { $0 = daemon }
        timer.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(250))
        if configuration.sweepsByItself { timer.setEventHandler { [weak self] in self?.sweep(now: .now) } }
        timer.activate()
        listener.start()
    }

    func sweep(now: ContinuousClock.Instant) {
        registry.sweep(now: now, limit: configuration.limit)
    }

    /// Refuses new connections, lets requests in progress finish, and ends what is left after a while.
    func stop() async {
        listener.stop()
        registry.drain()
        if await !isEmpty(within: configuration.drainTimeout) {
            registry.abandon()
            if await !isEmpty(within: .seconds(1)) { registry.cut() }
        }
        // Those that were put to sleep since the last look, for the library ends the process if any is left.
        registry.abandon()
        timer.cancel()
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                stopLibrary()
                continuation.resume()
            }
        }
    }

    /// Ends the library's threads; waits for handlers that keep one busy.
    private func stopLibrary() {
        let daemon = box.withLock { daemon in
            defer { daemon = nil }
            return daemon
        }
        MHD_stop_daemon(daemon)
        Unmanaged.passUnretained(self).release()
    }

    private func isEmpty(within limit: Duration) async -> Bool {
        await withCheckedContinuation { continuation in
            let once = Locked<CheckedContinuation<Bool, Never>?>(continuation)
            let resume: @Sendable (Bool) -> Void = { isEmpty in
                once.withLock { continuation in
                    continuation?.resume(returning: isEmpty)
                    continuation = nil
                }
            }
            registry.whenEmpty { resume(true) }
            let microseconds = Int(clamping: limit.wholeMicroseconds)
            queue.asyncAfter(deadline: .now() + .microseconds(microseconds)) { resume(false) }
        }
    }
}
