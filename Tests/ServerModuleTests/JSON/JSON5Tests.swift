import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire
import Testing

@Suite struct `JSON5 decoding` {
    @Test func `Comments, unquoted names and hexadecimal numbers are supported`() throws {
        let text = "{a: 1, /* c */ 'b': [0x10, +.5,],} // d"

        #expect(
            try JSONCoding.decodeJSON5(JSONValue.self, from: Array(text.utf8))
                == .object(["a": .integer(1), "b": .array([.integer(16), .double(0.5)])])
        )
    }

    @Test(arguments: ["{a\u{0}b: 1}", "{\u{0}: 1}", "\u{0}", "{a: '\u{0}'}"])
    func `Bytes that aren't valid UTF-8 are rejected`(text: String) {
        let bytes = text.utf8.map { $0 == 0 ? 0xFD : $0 }
        #expect(throws: InvalidUTF8.self) { try JSONCoding.decodeJSON5(JSONValue.self, from: bytes) }
    }

    @Test func `Long numbers are decoded correctly`() throws {
        for count in 1...200 {
            let bytes = [UInt8](repeating: UInt8(ascii: "6"), count: count)
            let value = try JSONCoding.decodeJSON5(Double.self, from: bytes)
            #expect(value == Double(String(decoding: bytes, as: UTF8.self)))
        }
    }

    @Test(arguments: [
        (#"{a: 1, a: 2}"#, "line 1: the member a occurs twice"),
        (
            "{\n  courier: {kind: 'http'},\n  'courier': {kind: 'development'},\n}",
            "line 3: the member courier"
        ),
        (#"{a: {b: 1}, c: [{d: 1, "d": 2}]}"#, "the member d occurs twice"),
        (#"{"a\u0062": 1, ab: 2}"#, "the member ab occurs twice"),
        ("{a: 'it\\'s', /* b: 1, */ b: 2, // b: 3\n b: 4}", "line 2: the member b occurs twice"),
        ("{a: 1, // x\r a: 2}", "the member a occurs twice"),
    ])
    func `An object with two members of the same name is refused`(_ text: String, message: String) {
        let error = #expect(throws: DuplicateMember.self) {
            try JSONCoding.decodeJSON5(JSONValue.self, from: Array(text.utf8))
        }
        #expect(error?.description.contains(message) == true)
    }

    @Test(arguments: [
        "{a: {a: 1}, b: {a: 2}}", "[{a: 1}, {a: 1}]", "{a: 'a', b: ['a', 'a'], c: 1}",
        "{a: 1, /*/ a: 2 */ b: 3}", "{a: 1, /***/ b: 2}", "{a: 1, // c\r b: {\n a: 2 } }",
        #"{"\u005cn": 1, "\n": 2}"#, "{a: +1, b: -.5e3, c: 0xA, d: Infinity,}",
        "{a: '{a: 1, a: 2}', b: '//'}",
        "{'a\\\nb': 1, b: 2}", "[]", "'a'", "1",
    ])
    func `Names that differ or belong to different objects are accepted`(_ text: String) {
        #expect(throws: Never.self) { try JSONCoding.decodeJSON5(JSONValue.self, from: Array(text.utf8)) }
    }

    @Test func `An object with many members is read in linear time`() throws {
        let members = (0..<20_000).map { "member\($0): 1" }.joined(separator: ",")
        #expect(throws: Never.self) {
            try JSONCoding.decodeJSON5(JSONValue.self, from: Array("{\(members)}".utf8))
        }
    }
}
