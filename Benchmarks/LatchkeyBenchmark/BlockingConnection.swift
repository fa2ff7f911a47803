import Glibc

/// A keep-alive HTTP/1.1 connection for the load generator.
///
/// The connection only supports the kinds of responses that the Latchkey server sends.
final class BlockingConnection {
    struct Failure: Error {
        var what: String
    }

    /// A complete response.
    struct Answer {
        let status: Int
        let head: String
        let body: [UInt8]

        /// The values of the header fields with a name, in order.
        func fields(_ name: String) -> [String] {
            head.split(separator: "\r\n").compactMap { line in
                line.lowercased().hasPrefix(name.lowercased() + ": ")
                    ? String(line.dropFirst(name.utf8.count + 2)) : nil
            }
        }
    }

    private let descriptor: Int32
    private var buffer: [UInt8] = []

    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Failure(what: "connect: \(errno)") }
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(descriptor) }

    /// Sends a request and reads the complete response.
    func exchange(
        _ method: String,
        target: String,
        headers: String = "",
        body: String = "",
        type: String = "application/json"
    ) throws -> Answer {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: bench\r\n\(headers)"
        if !body.isEmpty || method != "GET" {
            text += "Content-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n"
        }
        return try exchange(raw: Array((text + "\r\n" + body).utf8))
    }

    /// Sends a request that has already been encoded.
    func exchange(raw: [UInt8]) throws -> Answer {
        var sent = 0
        while sent < raw.count {
            let count = raw.withUnsafeBytes {
                send(descriptor, $0.baseAddress?.advanced(by: sent), raw.count - sent, 0)
            }
            guard count > 0 else { throw Failure(what: "send: \(errno)") }
            sent += count
        }
        var headEnd = -1
        while headEnd < 0 {
            headEnd = endOfHead()
            if headEnd < 0 { try receive() }
        }
        let head = String(decoding: buffer[..<headEnd], as: UTF8.self)
        guard let status = Int(head.dropFirst(9).prefix(3)) else { throw Failure(what: "no HTTP") }
        let length = contentLength(head)
        while buffer.count < headEnd + length { try receive() }
        let body = Array(buffer[headEnd..<(headEnd + length)])
        buffer.removeFirst(headEnd + length)
        return Answer(status: status, head: head, body: body)
    }

    private func endOfHead() -> Int {
        guard buffer.count >= 4 else { return -1 }
        for index in 3..<buffer.count
        where buffer[index] == 10 && buffer[index - 1] == 13 && buffer[index - 2] == 10
            && buffer[index - 3] == 13
        {
            return index + 1
        }
        return -1
    }

    private func contentLength(_ head: String) -> Int {
        for line in head.utf8.split(separator: 10) {
            let text = String(decoding: line, as: UTF8.self).lowercased()
            if text.hasPrefix("content-length:") {
                return Int(text.dropFirst(15).filter(\.isNumber)) ?? 0
            }
        }
        return 0
    }

    /// Polls for more bytes without sleeping.
    ///
    /// Waking this thread would cost the server's core more time than sending the response.
    ///
    /// On a real network, the client runs on another machine, so it wouldn't use the server's processor time.
    private func receive() throws {
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, Int32(MSG_DONTWAIT))
            guard count <= 0 else {
                buffer.append(contentsOf: chunk[..<count])
                return
            }
            guard count < 0, errno == EAGAIN else { throw Failure(what: "connection closed") }
            sched_yield()
        }
    }
}
