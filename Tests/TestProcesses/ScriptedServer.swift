import Glibc
import LatchkeyModel
import LatchkeyServerKit

/// A server that answers each request on a connection with the next text from a script and then closes the
/// connection.
///
/// The script can violate HTTP in any way. The server runs on its own thread, which ends when the listener
/// is closed.
package final class ScriptedServer: Sendable {
    /// The address that the server listens at, such as `http://127.0.0.1:8080`.
    package let origin: String

    private let listener: Int32
    private let received = Locked<[String]>([])
    private let connections = Locked(0)

    /// The bytes received before each response and before the end of each connection.
    package var requests: [String] { received.withLock { $0 } }

    /// The number of accepted connections.
    package var connectionCount: Int { connections.withLock { $0 } }

    /// Starts the server on a free port.
    ///
    /// - Parameter script: The responses on each connection, in order.
    package init(_ script: [String]) {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = bind(listener, address, length)
                _ = listen(listener, 16)
                _ = getsockname(listener, address, &length)
            }
        }
        origin = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        _ = try? WorkThread { [received, connections] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                connections.withLock { $0 += 1 }
                Self.serve(connection, script: script, received: received)
                close(connection)
            }
            close(listener)
        }
    }

    deinit {
        // This wakes up the accepting thread, which then closes the descriptor.
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private static func serve(_ connection: Int32, script: [String], received: Locked<[String]>) {
        for text in script {
            guard let request = read(from: connection) else { return }
            received.withLock { $0.append(request) }
            let bytes = Array(text.utf8)
            // A client that has enough closes the connection, which must not terminate the process.
            if !bytes.isEmpty { _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
        }
    }

    /// Reads a request including its body.
    private static func read(from connection: Int32) -> String? {
        var bytes: [UInt8] = []
        while true {
            var part = [UInt8](repeating: 0, count: 4096)
            let count = recv(connection, &part, part.count, 0)
            guard count > 0 else { return nil }
            bytes += part[..<count]
            let text = String(decoding: bytes, as: UTF8.self)
            let halves = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2 else { continue }
            let length = halves[0].split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }
                .flatMap { Int($0.dropFirst(16)) }
            if halves[1].utf8.count >= length ?? 0 { return text }
        }
    }
}
