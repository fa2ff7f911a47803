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
            general.isEqual(to: parsed.unordered),
            "the parser and the general decoder return the same value"
        )
    }

    private static func text(of value: OrderedJSON) -> [UInt8] {
        var writer = JSONWriter()
        writer.value(ordered: value)
        return writer.bytes
    }
}
