import LatchkeyServerKit
import LatchkeyWire

extension FuzzTarget {
    /// Compares the server's own JSON parser with the general decoder.
    static let json = FuzzTarget(
        name: "json",
        summary: "The server's JSON parser and writer, compared with the general decoder.",
        words: [
            "\"", "\\u", "\\ud83d\\ude00", "true", "false", "null", "1e309", "-0", "{\"a\":", "[[", "\"\":",
        ]
    ) { bytes in
        let parsed: OrderedJSON
        do throws(JSONParser.Failure) {
            parsed = try JSONParser.parse(bytes)
        } catch {
            return try expect(
                (0...bytes.count).contains(error.offset),
                "the position of an error is within the text"
            )
        }
        let written = text(of: parsed)
        try expect(text(of: try JSONParser.parse(written)) == written, "written JSON can be parsed again")
        guard let general = try? JSONCoding.decode(JSONValue.self, from: bytes) else {
            throw BrokenRule("the general decoder accepts all text that the parser accepts")
        }
        try expect(
            isSame(general, parsed.unordered),
            "the parser and the general decoder return the same value"
        )
    }

    private static func text(of value: OrderedJSON) -> [UInt8] {
        var writer = JSONWriter()
        writer.value(ordered: value)
        return writer.bytes
    }

    /// Compares numbers by value, because `1.0` is an integer to one parser but not to the other.
    private static func isSame(_ left: JSONValue, _ right: JSONValue) -> Bool {
        switch (left, right) {
        case (.integer(let integer), .double(let double)), (.double(let double), .integer(let integer)):
            // Above 2^53, the general decoder truncates fractions instead of rounding them.
            Double(integer) == double
                || double.magnitude >= 0x1p53 && (Double(integer) - double).magnitude <= double.ulp
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { isSame($0, $1) }
        case (.object(let left), .object(let right)):
            left.count == right.count
                && left.allSatisfy { name, value in right[name].map { isSame(value, $0) } ?? false }
        default: left == right
        }
    }
}
