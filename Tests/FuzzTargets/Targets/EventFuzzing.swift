import LatchkeyWire

extension FuzzTarget {
    /// Fuzzes the client's parser for event streams.
    static let events = FuzzTarget(
        name: "events",
        summary: "A stream of server-sent events that a client reads in parts of any size.",
        words: [
            "data: ", "id: ", "event: ", "retry: ", ":\n\n", "\r\n\r\n", "\n\n", "\u{FEFF}", "state", "5000",
        ]
    ) { bytes in
        let whole = try? parse(bytes, inPartsOf: max(1, bytes.count))
        for size in [1, 2, 7] {
            try expect(
                (try? parse(bytes, inPartsOf: size)) == whole,
                "the parts of a stream do not change its events"
            )
        }
        for event in whole ?? [] {
            var parser = ServerSentEventParser()
            // Replacing invalid bytes can make a line longer than the limit.
            if let again = try? parser.parse(event.bytes) {
                try expect(again.map(\.data) == [event.data], "an event is read as it was written")
            }
            try expect(event.id.utf8.count <= ServerSentEventParser.idLimit, "an id is short")
        }
    }

    private static func parse(_ bytes: [UInt8], inPartsOf size: Int) throws -> [ServerSentEvent] {
        var (parser, events) = (ServerSentEventParser(), [ServerSentEvent]())
        for start in stride(from: 0, to: bytes.count, by: size) {
            events += try parser.parse(bytes[start..<min(start + size, bytes.count)])
        }
        return events
    }
}
