import LatchkeyModel
import LatchkeyServerKit

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A TCP proxy on the loopback interface that records every byte between a client and a server, in both
/// directions.
///
/// The proxy runs on its own threads, so that the test's tasks don't affect the timing of either side.
///
/// The client has to use plain HTTP, because the proxy can't decrypt TLS. Bytes are recorded before they are
/// forwarded.
package final class RecordingProxy: Sendable {
    /// The port on 127.0.0.1 that clients connect to.
    package let port: Int

    private let listener: Int32
    private let isOpen = Locked(true)
    private let recording = Locked(Recording())

    /// Starts a proxy on a free port.
    ///
    /// - Parameter server: The server's port on 127.0.0.1.
    /// - Throws: ``ProxyError`` if a socket can't be created, or another error if a thread can't be started.
    package init(to server: Int) throws {
        listener = try LoopbackSocket.listen()
        port = LoopbackSocket.port(of: listener)
        let (listener, recording) = (listener, recording)
        _ = try WorkThread {
            var connection = 0
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else {
                    // `accept` fails with EINVAL after the socket has been shut down.
                    if errno == EINVAL { break }
                    // If there are no free descriptors, `accept` keeps failing immediately until another
                    // connection is closed.
                    if errno == EMFILE || errno == ENFILE { usleep(10_000) }
                    continue
                }
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                connection += 1
                Self.serve(client, number: connection, server: server, into: recording)
            }
            close(listener)
        }
    }

    /// Stops accepting connections.
    ///
    /// Open connections continue.
    package func stop() {
        // The shutdown wakes the accepting thread, which then closes the socket. If we closed the descriptor
        // here, we might close another file that has been given the same number.
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { shutdown(listener, Int32(SHUT_RDWR)) }
    }

    /// The number of connections that clients have opened.
    ///
    /// If the server can't be reached, the proxy closes the connection immediately but still counts it.
    package var connectionCount: Int {
        recording.withLock { $0.connections }
    }

    /// The number of bytes that clients have sent.
    package var sentByteCount: Int {
        recording.withLock { $0.sentByteCount }
    }

    /// The complete exchanges so far, in the order in which their requests began.
    ///
    /// Requests that don't have a complete response yet are not included.
    package var exchanges: [RecordedHTTPExchange] {
        recording.withLock { $0.exchanges }
    }

    /// Connects a client to the server and copies bytes in both directions, using two threads.
    ///
    /// When one direction ends, the end of the stream is forwarded while the other direction continues. Both
    /// descriptors are closed when both directions have ended. If a thread can't be started, the connection
    /// is aborted.
    private static func serve(_ client: Int32, number: Int, server: Int, into recording: Locked<Recording>) {
        recording.withLock { $0.connections += 1 }
        guard let upstream = try? LoopbackSocket.connect(to: server) else {
            close(client)
            return
        }
        let open = Locked(2)
        let end: @Sendable () -> Void = {
            let isLast = open.withLock { open in
                open -= 1
                return open == 0
            }
            if isLast {
                close(client)
                close(upstream)
            }
        }
        let pump: @Sendable (Int32, Int32, Recording.Direction) -> Void = { source, target, direction in
            var chunk = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = recv(source, &chunk, chunk.count, 0)
                guard count > 0 else { break }
                recording.withLock { $0.add(chunk[..<count], on: number, direction: direction) }
                guard LoopbackSocket.sendAll(chunk[..<count], to: target) else { break }
            }
            shutdown(target, Int32(SHUT_WR))
            end()
        }
        let start: (Int32, Int32, Recording.Direction) -> Void = { source, target, direction in
            do {
                _ = try WorkThread { pump(source, target, direction) }
            } catch {
                // The shutdown wakes the thread for the other direction, if there is one.
                shutdown(source, Int32(SHUT_RDWR))
                shutdown(target, Int32(SHUT_RDWR))
                end()
            }
        }
        start(client, upstream, .request)
        start(upstream, client, .answer)
    }
}

/// An error that is thrown when a socket call fails.
package struct ProxyError: Error {
    /// A description of the failed operation, such as "cannot create a socket".
    package let message: String
}
