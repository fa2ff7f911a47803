import LatchkeyServerKit
import LatchkeyWire
import Testing

@Suite struct `JSON parser` {
    @Test(arguments: [
        ("null", JSONValue.null), (" true ", .bool(true)), ("false", .bool(false)), ("0", .integer(0)),
        ("-12", .integer(-12)), ("9223372036854775807", .integer(.max)), ("1.5", .double(1.5)),
        ("1e2", .double(100)), ("-0.5E-1", .double(-0.05)),
        ("9223372036854775808", .double(9_223_372_036_854_775_808)),
        (#""a\n\"\\\/\b\f\r\t""#, "a\n\"\\/\u{8}\u{c}\r\t"), (#""\u00e9\uD83D\uDE00é😀""#, "é😀é😀"),
        (#""""#, ""),
        ("[]", .array([])), ("[1, [2]]", .array([.integer(1), .array([.integer(2)])])), ("{}", .object([:])),
        (#"{"a": {"b": "c"}, "d": null}"#, .object(["a": .object(["b": "c"]), "d": .null])),
    ]) func `Valid JSON is parsed`(_ text: String, _ value: JSONValue) throws {
        #expect(try JSONParser.parse(Array(text.utf8)).unordered == value)
    }

    @Test(arguments: [
        "", " ", "nul", "nulll", "tru", "01", "+1", "1.", ".5", "1e", "-", "NaN", "1e999", "'a'", "\"a",
        "\"\\x\"",
        "\"\\u12\"", "\"\\uD83D\"", "\"\\uD83Dx\"", "\"\\uDE00\"", "\"a\nb\"", "[1,]", "[1", "{\"a\"}",
        "{\"a\":}",
        "{a:1}", "{\"a\":1,}", "{\"a\":1,\"a\":2}", "1 2", "{} x", "// c\n1", "\u{FEFF}1",
        String(repeating: "[", count: 40) + String(repeating: "]", count: 40),
    ]) func `Invalid JSON is rejected`(_ text: String) {
        #expect(throws: JSONParser.Failure.self) { try JSONParser.parse(Array(text.utf8)) }
    }

    @Test func `Invalid UTF-8 is rejected`() {
        #expect(throws: JSONParser.Failure.self) { try JSONParser.parse([0x22, 0xFF, 0x22]) }
        #expect(throws: JSONParser.Failure.self) { try JSONParser.parse([0x22, 0xED, 0xA0, 0x80, 0x22]) }
    }

    @Test(arguments: 1..<40) func `Duplicate names are detected in objects of any size`(
        count: Int
    ) throws {
        let names = (0..<count).map { "n\($0)" }
        func text(_ names: [String]) -> [UInt8] {
            Array(("{" + names.map { #""\#($0)":0"# }.joined(separator: ",") + "}").utf8)
        }
        _ = try JSONParser.parse(text(names))
        for name in names {
            #expect(throws: JSONParser.Failure.self) { try JSONParser.parse(text(names + [name])) }
        }
    }

    @Test func `The nesting depth is limited`() throws {
        func parse(_ depth: Int) throws {
            let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            _ = try JSONParser.parse(Array(text.utf8))
        }
        try parse(32)
        #expect(throws: JSONParser.Failure.self) { try parse(33) }
    }

    @Test(arguments: ["0", "-0", "-0.0", "-0e7", "0.0e-1"]) func `Every form of zero is written as 0`(
        text: String
    )
        throws
    {
        var writer = JSONWriter()
        writer.value(ordered: try JSONParser.parse(Array(text.utf8)))
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "0")
    }

    @Test func `The order of members is preserved`() throws {
        let value = try JSONParser.parse(Array(#"{"z": 1, "a": {"y": [], "b": 2}, "m": 3}"#.utf8))
        var writer = JSONWriter()
        writer.value(ordered: value)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #"{"z":1,"a":{"y":[],"b":2},"m":3}"#)
    }
}
