import LatchkeyModel
import LatchkeyServerKit

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A TCP proxy on loopback that records every byte between a client and a server, in both directions.
///
/// The proxy runs on its own threads, so the test's tasks do not affect the timing of either side.
///
/// The client must use plain HTTP, because the proxy does not decrypt. Bytes are recorded before they are
/// forwarded.
package final class RecordingProxy: Sendable {
    /// The port on 127.0.0.1 to which clients connect.
    package let port: Int

    private let listener: Int32
    private let isOpen = Locked(true)
    private let recording = Locked(Recording())

    /// Starts a proxy on a free port.
    ///
    /// - Parameter server: The port of the server on 127.0.0.1.
    /// - Throws: ``ProxyError`` if no socket can be created, and an error if no thread can be started.
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
                    // If no descriptor is free, `accept` fails immediately until another connection is
                    // closed.
                    if errno == EMFILE || errno == ENFILE { usleep(10_000) }
                    continue
                }
                connection += 1
                Self.serve(client, number: connection, server: server, into: recording)
            }
            close(listener)
        }
    }

    /// Stops accepting connections; open connections continue.
    package func stop() {
        // The shutdown wakes the accepting thread, which closes the socket. Closing the descriptor here could
        // close another file that has been given the same number.
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { shutdown(listener, Int32(SHUT_RDWR)) }
    }

    /// The number of connections that clients have opened.
    ///
    /// A connection counts even if the server cannot be reached, in which case it is closed immediately.
    package var connectionCount: Int {
        recording.withLock { $0.connections }
    }

    /// The number of bytes that clients have sent.
    package var sentByteCount: Int {
        recording.withLock { $0.sentByteCount }
    }

    /// The complete exchanges so far, in the order in which their requests began.
    ///
    /// A request without a complete response is not included.
    package var exchanges: [RecordedHTTPExchange] {
        recording.withLock { $0.exchanges }
    }

    /// Connects a client to the server and copies bytes in both directions, on two threads.
    ///
    /// Both descriptors are closed after both directions have ended. The end of one direction is forwarded as
    /// the end of the stream, while the other direction continues. If a thread cannot be started, the
    /// connection is aborted.
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
                // The shutdown wakes the thread of the other direction, if there is one.
                shutdown(source, Int32(SHUT_RDWR))
                shutdown(target, Int32(SHUT_RDWR))
                end()
            }
        }
        start(client, upstream, .request)
        start(upstream, client, .answer)
    }
}

/// The error of a socket call that failed.
package struct ProxyError: Error {
    /// The operation that failed, such as "cannot create a socket".
    package let message: String
}
