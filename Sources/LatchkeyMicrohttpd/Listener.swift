import CMicrohttpdShim
import Dispatch
import Glibc

/// A listening socket that passes each new connection to a closure.
///
/// libmicrohttpd could accept connections itself, but it has no safe way to stop doing so while connections
/// are open.
///
/// `@unchecked Sendable` is safe because only thread-safe operations of the dispatch source are used.
final class Listener: @unchecked Sendable {
    /// A closure that takes ownership of an accepted descriptor.
    ///
    /// The address is only valid during the call.
    typealias Accept = @Sendable (Int32, UnsafePointer<sockaddr>, socklen_t) -> Void

    /// The port that the socket is bound to.
    ///
    /// If port 0 was requested, this is the port that the operating system has chosen.
    let port: Int

    private let source: any DispatchSourceRead
    /// A group that is left when the descriptor has been closed.
    private let closing = DispatchGroup()
    private let queue: DispatchQueue
    private let descriptor: Int32
    private let accept: Accept

    /// Binds a socket and listens on it.
    ///
    /// Connections are not accepted until ``start()`` is called.
    init(address: String, port: Int, queue: DispatchQueue, accept: @escaping Accept) throws(HTTPServerError) {
        descriptor = latchkey_listen(address, Int32(clamping: port), 1024)
        if descriptor == -2 { throw .addressUnknown(address) }
        guard descriptor >= 0 else {
            throw .cannotListen(address: address, port: port, reason: String(cString: strerror(errno)))
        }
        self.port = Int(latchkey_bound_port(descriptor))
        self.queue = queue
        self.accept = accept
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    }

    /// Starts accepting connections.
    func start() {
        closing.enter()
        source.setEventHandler { [self] in acceptAll() }
        source.setCancelHandler { [descriptor, closing] in
            close(descriptor)
            closing.leave()
        }
        source.activate()
    }

    /// Stops listening.
    ///
    /// Connections are refused as soon as this method returns.
    func stop() async {
        cancel()
        await withCheckedContinuation { continuation in
            closing.notify(queue: queue) { continuation.resume() }
        }
    }

    /// Stops listening soon.
    ///
    /// The socket must not be shut down while the source is active: libdispatch for Linux can access freed
    /// memory after a descriptor has reported a hang-up (swift-corelibs-libdispatch, issue 949).
    func cancel() {
        source.cancel()
    }

    /// Accepts up to 64 pending connections.
    private func acceptAll() {
        for _ in 0..<64 where !source.isCancelled {
            var address = sockaddr_storage()
            var length = socklen_t()
            let connection = latchkey_accept(descriptor, &address, &length)
            if connection >= 0 {
                withUnsafePointer(to: &address) { address in
                    address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        accept(connection, $0, length)
                    }
                }
            } else if errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM {
                pause()
                return
            } else if errno != EINTR && errno != ECONNABORTED {
                return
            }
        }
    }

    /// Pauses for 100 ms when the process is out of descriptors.
    ///
    /// Without the pause, the socket would continuously be reported as ready.
    private func pause() {
        source.suspend()
        queue.asyncAfter(deadline: .now() + .milliseconds(100)) { [self] in source.resume() }
    }
}
