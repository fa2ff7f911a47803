import LatchkeyWire
import Testing

@Suite struct `Server-sent events` {
    @Test func `An event is written with its id, type and data`() {
        let event = ServerSentEvent(id: "7", type: "state", data: #"{"a":1}"#)
        #expect(String(decoding: event.bytes, as: UTF8.self) == "id: 7\nevent: state\ndata: {\"a\":1}\n\n")
    }

    @Test(arguments: [
        ("a\nb", "data: a\ndata: b\n"), ("a\rb", "data: a\ndata: b\n"), ("a\r\nb", "data: a\ndata: b\n"),
        ("a\n\nb", "data: a\ndata: \ndata: b\n"), ("\r\n\r\n", "data: \ndata: \ndata: \n"), ("", "data: \n"),
        ("a\n\rb", "data: a\ndata: \ndata: b\n"),
    ])
    func `An event is written with a field for each line of its data`(_ data: String, _ lines: String) {
        let bytes = ServerSentEvent(type: "x", data: data).bytes
        #expect(String(decoding: bytes, as: UTF8.self) == "event: x\n\(lines)\n")
    }

    @Test func `Line breaks in the id or type cannot split an event`() throws {
        let event = ServerSentEvent(id: "1\n\ndata: evil\0", type: "a\r\ndata: evil", data: "good")
        var parser = ServerSentEventParser()
        #expect(
            try parser.parse(event.bytes)
                == [ServerSentEvent(id: "1data: evil", type: "adata: evil", data: "good")]
        )
    }

    @Test func `Events are parsed correctly from parts of any size`() throws {
        let events = [
            ServerSentEvent(id: "1", type: "state", data: "{}"),
            ServerSentEvent(id: "2", type: "identity_changed", data: "zwei\nZeilen 🙂"),
            ServerSentEvent(id: "2", type: "message", data: ""),
        ]
        var bytes: [UInt8] = [0xEF, 0xBB, 0xBF]
        for event in events { bytes += event.bytes + ServerSentEvent.comment }
        for size in 1...bytes.count {
            var (parser, read) = (ServerSentEventParser(), [ServerSentEvent]())
            for start in stride(from: 0, to: bytes.count, by: size) {
                read += try parser.parse(bytes[start..<min(start + size, bytes.count)])
            }
            #expect(read == events)
        }
    }
}

@Suite struct `Server-sent event parser` {
    private func parse(_ text: String) throws -> [ServerSentEvent] {
        var parser = ServerSentEventParser()
        return try parser.parse(text.utf8)
    }

    @Test(arguments: ["\n", "\r", "\r\n"])
    func `Each kind of line break is accepted`(_ end: String) throws {
        let text = ["id: 1", "event: a", "data: b", "", "data: c", "", ""].joined(separator: end)
        #expect(
            try parse(text)
                == [ServerSentEvent(id: "1", type: "a", data: "b"), ServerSentEvent(id: "1", data: "c")]
        )
    }

    @Test(arguments: [
        (":comment\n\ndata: x\n\n", "x"), ("data:x\n\n", "x"), ("data:  x\n\n", " x"), ("data\n\n", ""),
        ("unknown: y\ndata: x\n\n", "x"), ("data: a\ndata: b\n\n", "a\nb"), ("\u{FEFF}data: x\n\n", "x"),
        ("data: \u{FEFF}x\n\n", "\u{FEFF}x"), ("Data: y\ndata: x\n\n", "x"), (" data: y\ndata: x\n\n", "x"),
        ("data: a:b\n\n", "a:b"),
    ])
    func `Event data is parsed`(_ text: String, _ data: String) throws {
        #expect(try parse(text).map(\.data) == [data])
    }

    @Test(arguments: ["", "\n\n\n", "id: 1\nevent: a\n\n", "data: x\n", "data: x", ":\n\n", "\u{FEFF}\n\n"])
    func `Events without data or a terminating empty line are ignored`(_ text: String) throws {
        #expect(try parse(text).isEmpty)
    }

    @Test(arguments: ["data: ", "event: a", "id: "])
    func `An event whose type or data is not UTF-8, and such an id, is ignored`(field: String) throws {
        var parser = ServerSentEventParser(lastID: "7")
        let broken = Array(field.utf8) + [0xFF, 0xC0, 0x0A] + Array("data: 1\n\n".utf8)
        let events = try parser.parse(broken + Array("data: \u{FFFD}\n\n".utf8))
        #expect(events.map(\.data) == (field == "id: " ? ["1", "\u{FFFD}"] : ["\u{FFFD}"]))
        #expect(events.allSatisfy { $0.id == "7" && $0.type == "message" })
    }

    @Test(arguments: ["a\0b", String(repeating: "x", count: 257), "a\u{7F}", "a\tb"])
    func `An id that would not fit into a header is ignored`(_ id: String) throws {
        #expect(try parse("id: 1\ndata: x\n\nid: \(id)\ndata: y\n\n").map(\.id) == ["1", "1"])
    }

    @Test func `An empty id clears the last event id`() throws {
        #expect(try parse("id: 1\ndata: x\n\nid\ndata: y\n\n").map(\.id) == ["1", ""])
    }

    @Test(arguments: [
        ("retry: 2500\n", 2500), ("retry: 0\n", 0), ("retry: 99999999999999999999\n", 3_600_000),
        ("retry: -1\n", nil), ("retry: 1s\n", nil), ("retry:\n", nil), ("retry: 1\nretry: x\n", 1),
        ("retry: １\n", nil),
    ])
    func `The delay before reconnecting is parsed`(_ text: String, _ pause: Int64?) throws {
        var parser = ServerSentEventParser()
        _ = try parser.parse(text.utf8)
        #expect(parser.retry == pause)
    }

    @Test func `A line that exceeds the maximum size is rejected`() throws {
        var parser = ServerSentEventParser()
        let part = [UInt8](repeating: 0x78, count: 1024)
        for _ in 0..<8 { #expect(try parser.parse(part).isEmpty) }
        #expect(throws: ServerSentEventParser.Oversized.self) { try parser.parse(part) }
    }

    @Test func `An event whose data exceeds the maximum size is rejected`() throws {
        for line in ["data\n", "data: \(String(repeating: "x", count: 4000))\n"] {
            var parser = ServerSentEventParser()
            var bytes = 0
            #expect(throws: ServerSentEventParser.Oversized.self) {
                while bytes < 100 * ServerSentEventParser.dataLimit {
                    bytes += line.utf8.count
                    _ = try parser.parse(line.utf8)
                }
            }
        }
    }

    @Test func `Memory does not grow with the number of events and comments`() throws {
        var parser = ServerSentEventParser()
        for _ in 0..<20_000 { #expect(try parser.parse(":\n\ndata: x\n\n".utf8).count == 1) }
    }
}
