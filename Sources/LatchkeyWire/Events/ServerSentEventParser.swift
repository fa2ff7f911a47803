import LatchkeyModel

/// An incremental parser for server-sent event streams (WHATWG HTML, section 9.2.6).
///
/// Chunks can have any size. Unlike in the standard, invalid UTF-8 isn't replaced: an event whose type or
/// data isn't UTF-8 is ignored, as is such an ID.
///
/// Memory use is bounded, because there is a maximum size for a line and for the data of an event.
package struct ServerSentEventParser: Sendable {
    /// Thrown if a line or an event is too large.
    ///
    /// After this error, the stream must be closed.
    package struct Oversized: Error, Equatable {}

    /// The maximum size of a line in bytes, not counting its line break.
    package static let lineLimit = 8 * 1024
    /// The maximum size of an event's data in bytes.
    package static let dataLimit = 64 * 1024
    /// The maximum size of an event ID in bytes.
    ///
    /// Longer IDs are ignored, because they might not fit in a request header.
    package static let idLimit = 256
    /// The maximum reconnection delay in milliseconds.
    ///
    /// Longer delays are reduced to this value.
    package static let longestRetry: Int64 = 3_600_000

    /// The most recent event ID in the stream.
    ///
    /// All subsequent events have this ID until it changes.
    package private(set) var lastID = ""
    /// The reconnection delay that the server asked for, in milliseconds, or `nil` if it didn't ask for one.
    package private(set) var retry: Int64?

    private var line: [UInt8] = []
    /// Whether the last byte was a CR.
    ///
    /// If the next byte is an LF, it belongs to the same line break.
    private var endedWithCR = false
    private var isFirstLine = true
    private var type: [UInt8] = []
    private var data: [UInt8] = []
    private var hasData = false

    /// Creates a parser for a new stream.
    ///
    /// - Parameter lastID: The event ID that the stream was resumed from.
    package init(lastID: String = "") {
        self.lastID = lastID
    }

    /// Parses more bytes of the stream.
    ///
    /// - Parameter bytes: The next chunk, which can start and end anywhere, even in the middle of a
    ///   character.
    /// - Returns: The events that were completed by this chunk.
    /// - Throws: ``Oversized`` if a line or an event is too large.
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

    /// Processes a complete line.
    ///
    /// Returns an event if the line is empty and the current event has data.
    private mutating func endLine() throws(Oversized) -> ServerSentEvent? {
        var line = self.line[...]
        self.line.removeAll(keepingCapacity: true)
        if isFirstLine {
            isFirstLine = false
            line = line.withoutByteOrderMark
        }
        guard !line.isEmpty else { return endEvent() }
        let name = line.prefix { $0 != 0x3A }
        var value = line.dropFirst(name.count + 1)
        if value.first == 0x20 { value = value.dropFirst() }
        // A line with an empty field name is a comment.
        switch try? String(utf8: name) {
        case "event": type = Array(value)
        case "data":
            guard data.count + value.count < Self.dataLimit else { throw Oversized() }
            if hasData { data.append(0x0A) }
            data += value
            hasData = true
        case "id":
            guard value.count <= Self.idLimit, value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
                let id = try? String(utf8: value)
            else { break }
            lastID = id
        case "retry":
            guard !value.isEmpty, value.allSatisfy({ (0x30...0x39).contains($0) }) else { break }
            let number = (try? String(utf8: value)).flatMap(Int64.init)
            retry = min(number ?? .max, Self.longestRetry)
        default: break
        }
        return nil
    }

    private mutating func endEvent() -> ServerSentEvent? {
        defer {
            type = []
            data = []
            hasData = false
        }
        guard hasData, let type = try? String(utf8: type), let data = try? String(utf8: data) else {
            return nil
        }
        return ServerSentEvent(id: lastID, type: type.isEmpty ? "message" : type, data: data)
    }
}
