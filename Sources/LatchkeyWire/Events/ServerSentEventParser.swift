/// A parser for a server-sent event stream (WHATWG HTML, section 9.2.6), which accepts bytes in parts of any size.
///
/// Memory is bounded: a line, and the data of one event, have a maximum size.
package struct ServerSentEventParser: Sendable {
    /// The error thrown if a line or an event exceeds its maximum size, after which the stream must be closed.
    package struct Oversized: Error, Equatable {}

    /// The maximum size of a line in bytes, without its line break.
    package static let lineLimit = 8 * 1024
    /// The maximum size of the data of an event in bytes.
    package static let dataLimit = 64 * 1024
    /// The maximum size of an id in bytes; a longer id is ignored, because it would not fit into a request header.
    package static let idLimit = 256
    /// The longest accepted pause before a reconnect, in milliseconds; a longer one is reduced to it.
    package static let longestRetry: Int64 = 3_600_000

    /// The last id that was received, which is part of each event from then on.
    package private(set) var lastID = ""
    /// The last requested pause before a reconnect, in milliseconds; `nil` if the server has requested none.
    package private(set) var retry: Int64?

    private var line: [UInt8] = []
    /// Whether the last byte was a CR, so that a LF belongs to the same line break.
    private var endedWithCR = false
    private var isFirstLine = true
    private var type = ""
    private var data: [UInt8] = []
    private var hasData = false

    /// Creates a parser for a new stream.
    ///
    /// - Parameter lastID: The id with which the stream was resumed.
    package init(lastID: String = "") {
        self.lastID = lastID
    }

    /// Parses the next bytes of the stream.
    ///
    /// - Parameter bytes: The bytes, which may begin and end anywhere, even within a character.
    /// - Returns: The events that are complete.
    /// - Throws: ``Oversized``.
    package mutating func parse(_ bytes: some Sequence<UInt8>) throws(Oversized) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in bytes {
            if endedWithCR {
                endedWithCR = false
                if byte == 0x0A { continue }
            }
            guard byte == 0x0A || byte == 0x0D else {
                guard line.count < Self.lineLimit else { throw Oversized() }
                line.append(byte)
                continue
            }
            endedWithCR = byte == 0x0D
            if let event = try endLine() { events.append(event) }
        }
        return events
    }

    /// Processes a complete line, and returns an event if the line is empty and the event has data.
    private mutating func endLine() throws(Oversized) -> ServerSentEvent? {
        var line = self.line[...]
        self.line.removeAll(keepingCapacity: true)
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
        }
        guard !line.isEmpty else { return endEvent() }
        let name = line.prefix { $0 != 0x3A }
        var value = line.dropFirst(name.count + 1)
        if value.first == 0x20 { value = value.dropFirst() }
        // A comment has an empty name.
        switch String(decoding: name, as: UTF8.self) {
        case "event": type = String(decoding: value, as: UTF8.self)
        case "data":
            guard data.count + value.count < Self.dataLimit else { throw Oversized() }
            if hasData { data.append(0x0A) }
            data += value
            hasData = true
        case "id":
            guard value.count <= Self.idLimit, value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { break }
            lastID = String(decoding: value, as: UTF8.self)
        case "retry":
            guard !value.isEmpty, value.allSatisfy({ (0x30...0x39).contains($0) }) else { break }
            retry = min(Int64(String(decoding: value, as: UTF8.self)) ?? .max, Self.longestRetry)
        default: break
        }
        return nil
    }

    private mutating func endEvent() -> ServerSentEvent? {
        defer {
            type = ""
            data = []
            hasData = false
        }
        guard hasData else { return nil }
        return ServerSentEvent(
            id: lastID,
            type: type.isEmpty ? "message" : type,
            data: String(decoding: data, as: UTF8.self)
        )
    }
}
