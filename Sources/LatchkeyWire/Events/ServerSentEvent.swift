/// An event in a server-sent event stream (WHATWG HTML, section 9.2).
package struct ServerSentEvent: Hashable, Sendable {
    /// The media type of event streams.
    package static let mediaType = "text/event-stream"

    /// A comment line that keeps the connection open.
    ///
    /// Clients ignore comments.
    package static let comment: [UInt8] = Array(":\n\n".utf8)

    /// The most recent event ID in the stream, which clients send as `Last-Event-ID`.
    ///
    /// The ID is empty if the stream hasn't set one.
    package var id: String
    /// The event type.
    ///
    /// Defaults to `message`.
    package var type: String
    /// The event data.
    ///
    /// Lines are separated by LF.
    package var data: String

    /// Creates an event.
    package init(id: String = "", type: String = "message", data: String) {
        (self.id, self.type, self.data) = (id, type, data)
    }

    /// The event as it is written to the stream.
    ///
    /// Line breaks in the ID and the type are removed, because they would start a new field. NUL is removed
    /// from the ID, because clients ignore IDs that contain it.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(id.utf8.count + type.utf8.count + data.utf8.count + 24)
        if !id.isEmpty { Self.append("id", value: id.utf8.filter { $0 != 0 }, to: &bytes) }
        Self.append("event", value: type.utf8, to: &bytes)
        for line in Self.lines(of: data) { Self.append("data", value: line, to: &bytes) }
        bytes.append(0x0A)
        return bytes
    }

    /// Splits text into lines at LF, CR and CRLF.
    private static func lines(of text: String) -> [ArraySlice<UInt8>] {
        let bytes = Array(text.utf8)
        var lines: [ArraySlice<UInt8>] = []
        var start = 0
        for (index, byte) in bytes.enumerated() where byte == 0x0A || byte == 0x0D {
            // This LF is part of a CRLF, so it doesn't end another line.
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

    /// Returns a line that tells clients how long to wait before reconnecting.
    ///
    /// - Parameter milliseconds: How long to wait.
    /// - Returns: The encoded line, which isn't an event by itself.
    package static func retry(milliseconds: Int64) -> [UInt8] {
        Array("retry: \(max(0, milliseconds))\n".utf8)
    }
}
