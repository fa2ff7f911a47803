/// An event of a server-sent event stream (WHATWG HTML, section 9.2).
package struct ServerSentEvent: Hashable, Sendable {
    /// The media type of a stream.
    package static let mediaType = "text/event-stream"

    /// A line that keeps a connection open and that clients ignore.
    package static let comment: [UInt8] = Array(":\n\n".utf8)

    /// The last id that was received, which the client sends in `Last-Event-ID`; empty if there was none.
    package var id: String
    /// The type; `message` by default.
    package var type: String
    /// The data, whose lines are separated by line feeds.
    package var data: String

    /// Creates an event.
    package init(id: String = "", type: String = "message", data: String) {
        (self.id, self.type, self.data) = (id, type, data)
    }

    /// The event as part of a stream.
    ///
    /// Line breaks in the id and the type are omitted, because they would begin another field. NUL is omitted from the
    /// id, because clients would ignore the id.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(id.utf8.count + type.utf8.count + data.utf8.count + 24)
        if !id.isEmpty { Self.append("id", value: id.utf8.filter { $0 != 0 }, to: &bytes) }
        Self.append("event", value: type.utf8, to: &bytes)
        for line in Self.lines(of: data) { Self.append("data", value: line, to: &bytes) }
        bytes.append(0x0A)
        return bytes
    }

    /// Returns the lines of a text, which end with LF, CR or CR LF.
    private static func lines(of text: String) -> [ArraySlice<UInt8>] {
        let bytes = Array(text.utf8)
        var lines: [ArraySlice<UInt8>] = []
        var start = 0
        for (index, byte) in bytes.enumerated() where byte == 0x0A || byte == 0x0D {
            // The LF of CR LF has ended no line of its own.
            if byte == 0x0A, index > 0, bytes[index - 1] == 0x0D {
                start = index + 1
                continue
            }
            lines.append(bytes[start..<index])
            start = index + 1
        }
        return lines + [bytes[start...]]
    }

    private static func append(
        _ name: StaticString,
        value: some Sequence<UInt8>,
        to bytes: inout [UInt8]
    ) {
        bytes += name.description.utf8
        bytes += [0x3A, 0x20]
        for byte in value where byte != 0x0A && byte != 0x0D { bytes.append(byte) }
        bytes.append(0x0A)
    }

    /// Returns the line that asks clients to wait before they reconnect.
    ///
    /// - Parameter milliseconds: The time to wait.
    /// - Returns: The line, which is not an event.
    package static func retry(milliseconds: Int64) -> [UInt8] {
        Array("retry: \(max(0, milliseconds))\n".utf8)
    }
}
