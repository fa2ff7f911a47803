import LatchkeyModel
import LatchkeyServerCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Stands between a client and a server on loopback and writes down every byte, in both directions.
///
/// Threads of its own do the work, so that neither side is helped or held up by the test.
package final class RecordingProxy: Sendable {
    /// The port that clients connect to.
    package let port: Int

    private let listener: Int32
    private let isOpen = Locked(true)
    private let recording = Locked(Recording())

    /// Starts a proxy on a free port.
    ///
    /// - Parameter server: The port of the server on 127.0.0.1.
    /// - Throws: ``ProxyError`` when the system refuses a socket or a thread.
    package init(to server: Int) throws {
        listener = try LoopbackSocket.listen()
        port = LoopbackSocket.port(of: listener)
        let (listener, recording) = (listener, recording)
        _ = try WorkThread {
            var connection = 0
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else {
                    // EINVAL is how a socket that was shut down answers.
                    if errno == EINVAL { break }
                    continue
                }
                connection += 1
                Self.serve(client, number: connection, server: server, into: recording)
            }
            close(listener)
        }
    }

    /// Stops taking connections; those that are open go on.
    package func stop() {
        // Wakes the thread that accepts, which closes the socket: nobody else may, or its number could be another's.
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { shutdown(listener, Int32(SHUT_RDWR)) }
    }

    /// How many connections clients have made.
    package var connectionCount: Int {
        recording.withLock { $0.connections }
    }

    /// How many bytes clients have sent.
    package var sentByteCount: Int {
        recording.withLock { $0.sentByteCount }
    }

    /// The exchanges so far, in the order in which they began.
    package var exchanges: [RecordedHTTPExchange] {
        recording.withLock { $0.exchanges }
    }

    private static func serve(_ client: Int32, number: Int, server: Int, into recording: Locked<Recording>) {
        recording.withLock { $0.connections += 1 }
        guard let upstream = try? LoopbackSocket.connect(to: server) else {
            close(client)
            return
        }
        let open = Locked(2)
        let pump: @Sendable (Int32, Int32, Recording.Direction) -> Void = { source, target, direction in
            var chunk = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = recv(source, &chunk, chunk.count, 0)
                guard count > 0 else { break }
                recording.withLock { $0.add(chunk[..<count], on: number, direction) }
                guard LoopbackSocket.sendAll(chunk[..<count], to: target) else { break }
            }
            shutdown(target, Int32(SHUT_WR))
            let isLast = open.withLock { open in
                open -= 1
                return open == 0
            }
            if isLast {
                close(client)
                close(upstream)
            }
        }
        _ = try? WorkThread { pump(client, upstream, .request) }
        _ = try? WorkThread { pump(upstream, client, .answer) }
    }
}

/// The system refused a socket.
package struct ProxyError: Error {
    package let what: String
}
