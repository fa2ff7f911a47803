import CMicrohttpd
import CMicrohttpdShim
import Dispatch
import Glibc
import LatchkeyModel
import LatchkeyServerKit

/// A running server, consisting of libmicrohttpd's daemon, the listener and the timer for timeouts.
///
/// `@unchecked Sendable` is safe because all properties are set before the first connection is passed to the
/// library.
final class Daemon: @unchecked Sendable {
    let configuration: HTTPServer.Configuration
    let handler: any HTTPHandler
    let registry: ConnectionRegistry
    let lingering: LingeringSockets
    let streams: DetachedStreams
    let listener: Listener

    private let queue: DispatchQueue
    private let timer: any DispatchSourceTimer
    /// The libmicrohttpd daemon, or `nil` before the server is started and after it has stopped.
    private let box = Locked<OpaquePointer?>(nil)

    /// Starts listening and serving requests.
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
        streams = try DetachedStreams(registry: registry)
        listener = try Listener(address: configuration.address, port: configuration.port, queue: queue) {
            descriptor,
            address,
            length in
            box.withLock { daemon in
                guard let daemon, registry.admit() else {
                    close(descriptor)
                    return
                }
                if MHD_add_connection(daemon, descriptor, address, length) == .NO { registry.release() }
            }
        }
        // We create the timer last because a dispatch source must not be released before it has been
        // activated.
        timer = DispatchSource.makeTimerSource(queue: queue)
        try start()
    }

    /// Starts the library's threads, then the timer and the listener.
    ///
    /// If any of the threads, the timer or the listener cannot be started, all of them are released.
    private func start() throws(HTTPServerError) {
        var callbacks = latchkey_mhd_callbacks(
            // The library retains the server until it is stopped.
            context: Unmanaged.passRetained(self).toOpaque(),
            request: answerRequest,
            target: beginRequest,
            completed: completeRequest,
            connection: connectionChanged,
            refused: refuseRequest
        )
        var limits = latchkey_mhd_limits(
            threads: UInt32(clamping: configuration.threads),
            // Each thread may have more connections than the registry admits in total. A thread of version
            // 0.9.75 that reaches its own limit never releases a lock.
            connections: UInt32(clamping: (configuration.maxConnections + 1) * max(configuration.threads, 1)),
            // The memory has room for the request header, the library's list of fields, and the response
            // header. A larger size would be costly because idle connections keep their memory and the
            // library zeroes it after every request.
            connection_memory: configuration.headerLimit + 8 * 1024
        )
        guard let daemon = latchkey_mhd_start(&callbacks, &limits) else {
            Unmanaged.passUnretained(self).release()
            timer.activate()
            timer.cancel()
            listener.start()
            listener.cancel()
            throw .outOfResources
        }
        box.withLock { $0 = daemon }
        timer.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(250))
        if configuration.sweepsByItself { timer.setEventHandler { [weak self] in self?.sweep(now: .now) } }
        timer.activate()
        listener.start()
    }

    /// Closes connections whose phase has exceeded its time limit.
    func sweep(now: ContinuousClock.Instant) {
        registry.sweep(now: now, limit: configuration.limit)
    }

    /// Rejects new connections, waits for current requests, and closes the remaining connections when the
    /// drain timeout expires.
    func stop() async {
        await listener.stop()
        registry.drain()
        if await !isEmpty(within: configuration.drainTimeout) {
            registry.abandon()
            if await !isEmpty(within: .seconds(1)) { registry.cut() }
        }
        // Requests may have been suspended since the last check. The library aborts the process if a
        // connection is still suspended.
        registry.abandon()
        streams.stop()
        await streams.ended()
        timer.cancel()
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                stopLibrary()
                continuation.resume()
            }
        }
    }

    /// Stops the library's threads.
    ///
    /// This blocks until the handlers that are running on those threads have returned.
    private func stopLibrary() {
        let daemon = box.withLock { daemon in
            defer { daemon = nil }
            return daemon
        }
        MHD_stop_daemon(daemon)
        Unmanaged.passUnretained(self).release()
    }

    /// Waits until there are no connections left.
    ///
    /// Returns `false` if that takes longer than the limit.
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
