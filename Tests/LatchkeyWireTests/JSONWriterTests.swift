import LatchkeyModel
import LatchkeyWire
import Testing

@Suite struct `JSON writer` {
    private func written(_ value: JSONValue) -> String {
        var writer = JSONWriter()
        writer.value(value)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func encoded(_ value: some Encodable) throws -> String {
        String(decoding: try JSONCoding.encode(value), as: UTF8.self)
    }

    @Test func `The output for a scalar matches that of JSONEncoder`() throws {
        for value in UInt32(0)...0x1_0FFFF
        where value < 0x3000 || value % 251 == 0 || value & 0xFFF0 == 0xFFF0 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = "a\(Character(scalar))b"
            let (mine, theirs) = (written(.string(text)), try encoded(text))
            // We compare bytes because equal strings may have different bytes.
            #expect(mine.utf8.elementsEqual(theirs.utf8), "U+\(String(value, radix: 16)): \(mine) \(theirs)")
        }
    }

    @Test(arguments: [
        JSONValue.null, .bool(true), .bool(false), .integer(0), .integer(.max), .integer(.min), .integer(-1),
        .double(0.5), .double(-0.25), .double(1), .double(-0.0), .double(1e20), .double(1e-7),
        .double(1.5e300),
        .double(123_456_789.125), .double(.leastNonzeroMagnitude), .double(.greatestFiniteMagnitude),
        .double(1e16),
        .string(""), .string("\"\\/\n\r\t\u{8}\u{C}\u{1F}\u{7F}\u{2028}"), .string("💡é\u{301}"),
        .array([]), .array([.null, .array([.integer(1), .integer(2)]), .object([:])]),
        .object(["B": .null, "a": .null, "10": .null, "9": .null, "aé": .null, "az": .null, "": .null]),
        .object([:]), .object(["b": .integer(1), "a": .array([.bool(true)]), "\"\n": .string("x")]),
    ])
    func `The output for a value matches that of JSONEncoder`(value: JSONValue) throws {
        #expect(written(value) == (try encoded(value)))
    }

    @Test func `NaN and infinities are encoded as null`() {
        #expect(written(.array([.double(.nan), .double(.infinity)])) == "[null,null]")
    }

    @Test func `Members and elements are separated by commas`() throws {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("a")
            writer.integer(1)
            writer.name("b")
            writer.array { writer in
                writer.object { _ in }
                writer.array { _ in }
                writer.string("x")
                writer.null()
                writer.bool(false)
                writer.raw("{\"y\":0}".utf8)
                writer.raw("7".utf8)
            }
            writer.name(escaping: "c\"")
            writer.object { writer in
                writer.name("d")
                writer.identifier(Identifier(high: 0, low: 1))
                writer.name("e")
                writer.time(Timestamp(seconds: 0))
            }
        }

        #expect(
            String(decoding: writer.bytes, as: UTF8.self) == """
                {"a":1,"b":[{},[],"x",null,false,{"y":0},7],"c\\"":\
                {"d":"00000000-0000-0000-0000-000000000001","e":"1970-01-01T00:00:00.000000Z"}}
                """
        )
    }
}
