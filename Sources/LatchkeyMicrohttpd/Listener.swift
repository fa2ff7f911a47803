import CMicrohttpdShim
import Dispatch
import Glibc

/// A listening socket; hands each new connection on.
///
/// The library could accept by itself, but then has no safe way to stop doing so while connections are open.
///
/// `@unchecked Sendable`: the source is only told to start, pause and end, which it allows on any thread.
final class Listener: @unchecked Sendable {
    typealias Accept = @Sendable (Int32, UnsafePointer<sockaddr>, socklen_t) -> Void

    /// The port that was asked for, or the one that was free.
    let port: Int

    private let source: any DispatchSourceRead
    private let queue: DispatchQueue
    private let descriptor: Int32
    private let accept: Accept

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

    func start() {
        source.setEventHandler { [self] in acceptAll() }
        source.setCancelHandler { [descriptor] in close(descriptor) }
        source.activate()
    }

    /// Stops listening; clients are refused from when this returns.
    func stop() {
        // At once, while the source closes the descriptor some time later.
        latchkey_stop_listening(descriptor)
        source.cancel()
    }

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

    /// Waits a little for descriptors to become free; the socket would report itself ready without end.
    private func pause() {
        source.suspend()
        queue.asyncAfter(deadline: .now() + .milliseconds(100)) { [self] in source.resume() }
    }
}
