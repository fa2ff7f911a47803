import LatchkeyWire
import Testing

@Suite struct `JSON value` {
    @Test(arguments: [
        ("null", JSONValue.null), ("true", .bool(true)), ("0", .integer(0)), ("1", .integer(1)),
        ("-7", .integer(-7)),
        ("9223372036854775807", .integer(.max)), ("1.5", .double(1.5)), ("1e300", .double(1e300)),
        ("\"1\"", .string("1")), ("\"\\u00e9\\ud83d\\udca1\"", .string("é💡")),
        ("[1,\"a\",null]", .array([.integer(1), .string("a"), .null])),
        ("{\"a\":{\"b\":[true]}}", .object(["a": .object(["b": .array([.bool(true)])])])),
    ])
    func `decodes each kind of JSON value`(text: String, value: JSONValue) throws {
        #expect(try JSONCoding.decode(JSONValue.self, from: Array(text.utf8)) == value)
    }

    @Test(arguments: [
        "", "{", "[1,,2]", "{\"a\" 1}", "nul", "'a'", "\"a", "1 2", "// c\n1", "{a:1}", "\u{FEFF}x",
    ])
    func `rejects malformed JSON`(text: String) {
        #expect(throws: (any Error).self) { try JSONCoding.decode(JSONValue.self, from: Array(text.utf8)) }
    }

    @Test func `decodes or rejects JSON of any depth without a crash`() {
        for depth in [100, 1000, 100_000] {
            let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            let value = try? JSONCoding.decode(JSONValue.self, from: Array(text.utf8))
            #expect((value != nil) == (depth < 512), "\(depth)")
        }
    }

    @Test func `returns members of objects and texts of strings, else nil`() {
        let value = JSONValue.object(["a": .string("x"), "b": .integer(1)])

        #expect(value["a"]?.text == "x")
        #expect(value["b"]?.text == nil)
        #expect(value["c"] == nil)
        #expect(JSONValue.array([])["a"] == nil)
        #expect(JSONValue.string("a")["a"] == nil)
    }

    @Test func `quotes no input in its errors`() {
        for text in ["{\"password\":\"hunter2\"", "[\"hunter2\" hunter2]", "\"hunter2"] {
            #expect {
                try JSONCoding.decode(JSONValue.self, from: Array(text.utf8))
            } throws: {
                !"\($0) \(String(reflecting: $0))".contains("hunter2")
            }
        }
    }

    @Test func `decodes JSON5`() throws {
        let text = "{a: 1, /* c */ 'b': [0x10, +.5,],} // d"

        #expect(
            try JSONCoding.decodeJSON5(JSONValue.self, from: Array(text.utf8))
                == .object(["a": .integer(1), "b": .array([.integer(16), .double(0.5)])])
        )
    }

    @Test(arguments: ["{a\u{0}b: 1}", "{\u{0}: 1}", "\u{0}", "{a: '\u{0}'}"])
    func `rejects JSON5 that is not UTF-8`(text: String) {
        let bytes = text.utf8.map { $0 == 0 ? 0xFD : $0 }
        #expect(throws: DecodingError.self) { try JSONCoding.decodeJSON5(JSONValue.self, from: bytes) }
    }

    @Test func `decodes a single long number in JSON5`() throws {
        for count in 1...200 {
            let bytes = [UInt8](repeating: UInt8(ascii: "6"), count: count)
            let value = try JSONCoding.decodeJSON5(Double.self, from: bytes)
            #expect(value == Double(String(decoding: bytes, as: UTF8.self)))
        }
    }
}
