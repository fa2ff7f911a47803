import LatchkeyWire
import Testing

@Suite struct `JSON values` {
    @Test(arguments: [
        ("null", JSONValue.null), ("true", .bool(true)), ("0", .integer(0)), ("1", .integer(1)),
        ("-7", .integer(-7)),
        ("9223372036854775807", .integer(.max)), ("1.5", .double(1.5)), ("1e300", .double(1e300)),
        ("\"1\"", .string("1")), ("\"\\u00e9\\ud83d\\udca1\"", .string("é💡")),
        ("[1,\"a\",null]", .array([.integer(1), .string("a"), .null])),
        ("{\"a\":{\"b\":[true]}}", .object(["a": .object(["b": .array([.bool(true)])])])),
    ])
    func `Each kind of JSON value can be decoded`(text: String, value: JSONValue) throws {
        #expect(try JSONCoding.decode(JSONValue.self, from: Array(text.utf8)) == value)
    }

    @Test(arguments: [
        "", "{", "[1,,2]", "{\"a\" 1}", "nul", "'a'", "\"a", "1 2", "// c\n1", "{a:1}", "\u{FEFF}x",
    ])
    func `Malformed JSON is rejected`(text: String) {
        #expect(throws: (any Error).self) { try JSONCoding.decode(JSONValue.self, from: Array(text.utf8)) }
    }

    @Test func `JSON of any depth is decoded or rejected without a crash`() {
        for depth in [100, 1000, 100_000] {
            let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            let value = try? JSONCoding.decode(JSONValue.self, from: Array(text.utf8))
            #expect((value != nil) == (depth < 512), "\(depth)")
        }
    }

    @Test func `Only objects have members, and only strings have text`() {
        let value = JSONValue.object(["a": .string("x"), "b": .integer(1)])

        #expect(value["a"]?.text == "x")
        #expect(value["b"]?.text == nil)
        #expect(value["c"] == nil)
        #expect(JSONValue.array([])["a"] == nil)
        #expect(JSONValue.string("a")["a"] == nil)
    }

    @Test func `Errors do not contain the input`() {
        for text in ["{\"password\":\"hunter2\"", "[\"hunter2\" hunter2]", "\"hunter2"] {
            #expect {
                try JSONCoding.decode(JSONValue.self, from: Array(text.utf8))
            } throws: {
                !"\($0) \(String(reflecting: $0))".contains("hunter2")
            }
        }
    }
}
