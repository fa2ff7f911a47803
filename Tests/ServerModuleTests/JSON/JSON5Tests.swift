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
}
