import Glibc
import LatchkeyServerKit

/// A TCP client that sends bytes exactly as given.
///
/// Each call blocks its own thread because two hundred concurrent clients would exhaust a thread pool. Calls
/// time out after two minutes.
final class RawClient: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let boundMilliseconds: Int32 = 120_000

    /// The value is `MSG_NOSIGNAL`, which some builds of the Glibc module do not export.
    private static let noSignal: Int32 = 0x4000

    private let descriptor: Int32

    /// Connects from one of this machine's addresses.
    init(port: Int?, from source: String = "127.0.0.1") throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var own = sockaddr_in()
        own.sin_family = sa_family_t(AF_INET)
        inet_pton(AF_INET, source, &own.sin_addr)
        withUnsafePointer(to: &own) { own in
            _ = own.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port ?? 0).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else {
            // `deinit` still runs and closes the socket.
            throw Failure(description: "cannot connect: \(String(cString: strerror(errno)))")
        }
    }

    deinit {
        close(descriptor)
    }

    /// Sends text.
    ///
    /// Errors are ignored if they occur because the connection has been closed.
    func send(_ text: String) async {
        await send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) async {
        try? await perform { [descriptor] in
            var rest = bytes[...]
            while !rest.isEmpty {
                let sent = rest.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Self.noSignal)
                }
                guard sent > 0 else { return }
                rest = rest.dropFirst(sent)
            }
        }
    }

    /// Reads until the received text satisfies a condition.
    func read(until isEnough: @escaping @Sendable (String) -> Bool) async throws -> String {
        try await read { text, isAtEnd in
            if isEnough(text) { return true }
            if isAtEnd { throw Failure(description: "ended after: \(text)") }
            return false
        }
    }

    /// Reads until the server closes the connection.
    ///
    /// A reset is treated as a failure.
    func readToEnd() async throws -> String {
        try await read { _, isAtEnd in isAtEnd }
    }

    /// Reads a response that has a length and a body.
    func readAnswer() async throws -> RawAnswer {
        let text = try await read { RawAnswer($0)?.isComplete == true }
        guard let answer = RawAnswer(text) else { throw Failure(description: "no answer: \(text)") }
        return answer
    }

    /// Shuts down the sending side of the connection.
    func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    private func read(
        isDone: @escaping @Sendable (String, Bool) throws -> Bool
    ) async throws -> String {
        try await perform { [descriptor] in
            var bytes: [UInt8] = []
            while true {
                var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&event, 1, Self.boundMilliseconds) > 0 else {
                    throw Failure(
                        description: "nothing came after: \(String(decoding: bytes, as: UTF8.self))"
                    )
                }
                var part = [UInt8](repeating: 0, count: 65536)
                let count = recv(descriptor, &part, part.count, 0)
                guard count >= 0 else {
                    throw Failure(
                        description:
                            "\(String(cString: strerror(errno))) after: \(String(decoding: bytes, as: UTF8.self))"
                    )
                }
                bytes += part[..<count]
                let text = String(decoding: bytes, as: UTF8.self)
                if try isDone(text, count == 0) { return text }
            }
        }
    }

    private func perform<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws
        -> Result
    {
        try await withCheckedThrowingContinuation { continuation in
            do throws(WorkThread.Refused) {
                _ = try WorkThread { continuation.resume(with: Swift.Result(catching: body)) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
}
