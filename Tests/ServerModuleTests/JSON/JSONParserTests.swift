import LatchkeyServerKit
import LatchkeyWire
import Testing

@Suite struct `JSON parser` {
    @Test(arguments: [
        ("null", JSONValue.null), (" true ", .bool(true)), ("false", .bool(false)), ("0", .integer(0)),
        ("-12", .integer(-12)), ("9223372036854775807", .integer(.max)), ("1.5", .double(1.5)),
        ("1e+20", .double(1e20)), ("-0.05", .double(-0.05)),
        (#""a\n\"\\\/\b\f\r\t""#, "a\n\"\\/\u{8}\u{c}\r\t"), (#""\u00e9\uD83D\uDE00é😀""#, "é😀é😀"),
        (#""""#, ""),
        ("[]", .array([])), ("[1, [2]]", .array([.integer(1), .array([.integer(2)])])), ("{}", .object([:])),
        (#"{"a": {"b": "c"}, "d": null}"#, .object(["a": .object(["b": "c"]), "d": .null])),
    ]) func `Valid JSON is parsed`(_ text: String, _ value: JSONValue) throws {
        #expect(try JSONParser.parse(Array(text.utf8)).unordered == value)
    }

    @Test(arguments: [
        "", " ", "nul", "nulll", "tru", "01", "+1", "1.", ".5", "1e", "-", "NaN", "1e+", "'a'", "\"a",
        "\"\\x\"",
        "\"\\u12\"", "\"\\uD83D\"", "\"\\uD83Dx\"", "\"\\uDE00\"", "\"a\nb\"", "[1,]", "[1", "{\"a\"}",
        "{\"a\":}",
        "{a:1}", "{\"a\":1,}", "{\"a\":1,\"a\":2}", "1 2", "{} x", "// c\n1", "\u{FEFF}1",
        String(repeating: "[", count: 40) + String(repeating: "]", count: 40),
    ]) func `Invalid JSON is rejected`(_ text: String) {
        #expect(throws: JSONParser.Failure.self) { try JSONParser.parse(Array(text.utf8)) }
    }

    @Test(
        arguments: [
            ([0x22, 0xFF, 0x22], 1), ([0x22, 0x41, 0xED, 0xA0, 0x80, 0x22], 2),
            (Array(#"{"a": "\u00e9"#.utf8) + [0xC3, 0x22, 0x7D], 13),
            (Array(#"{"a"#.utf8) + [0xE9, 0x22], 3),
        ] as [([UInt8], Int)]
    )
    func `Invalid UTF-8 is rejected with its position`(text: [UInt8], offset: Int) {
        let failure = #expect(throws: JSONParser.Failure.self) { try JSONParser.parse(text) }
        #expect(failure?.problem == .encoding)
        #expect(failure?.refusal == "The body is not UTF-8: error at byte \(offset).")
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
        let failure = #expect(throws: JSONParser.Failure.self) { try parse(33) }
        #expect(failure?.refusal == "The body is nested more than 32 levels deep.")
    }

    @Test(arguments: [
        "0", "-0", "-0.0", "-0e7", "0.0e-1", "1", "1.0", "1.10", "1e2", "1E400", "-1E-400", "0.1", "1e+20",
        "9223372036854775807", "9223372036854775808", "-9223372036854775809", "18446744073709551615",
        "3.14159265358979323846264338327950288",
        "100000000000000000000000000000000000000000000000000000000001",
    ]) func `A number is written with the digits that it was read with`(
        text: String
    )
        throws
    {
        var writer = JSONWriter()
        writer.value(ordered: try JSONParser.parse(Array(text.utf8)))
        #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
    }

    @Test func `The order of members is preserved`() throws {
        let value = try JSONParser.parse(Array(#"{"z": 1, "a": {"y": [], "b": 2}, "m": 3}"#.utf8))
        var writer = JSONWriter()
        writer.value(ordered: value)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #"{"z":1,"a":{"y":[],"b":2},"m":3}"#)
    }
}
