import LatchkeyWire
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct `JSON numbers` {
    private struct Profile: Codable, Equatable {
        let name: String
        let data: JSONValue
    }

    @Test(arguments: [
        "18446744073709551615", "-9223372036854775809", "1E400", "-1e-400", "123456789012345678901234567890",
        "3.14159265358979323846264338327950288", "9007199254740993.5",
    ])
    func `A number that Foundation cannot represent keeps its digits`(text: String) throws {
        let json = #"{"data":[\#(text),{"n":\#(text)}],"name":"\"\#(text)"}"#
        let profile = try JSONCoding.decode(Profile.self, from: Array(json.utf8))
        let number = try #require(JSONNumber(text))

        #expect(profile.name == "\"" + text)
        #expect(profile.data == .array([.number(number), .object(["n": .number(number)])]))
        #expect(try JSONCoding.encode(profile) == Array(json.utf8))
        #expect(try JSONCoding.encode(JSONValue.number(number)) == Array(text.utf8))
        #expect(number.double == Double(text))
    }

    @Test(arguments: ["0", "-7", "9223372036854775807", "0.5", "1e+20", "0.12345678901234568"])
    func `Other numbers are integers or doubles`(text: String) throws {
        let value = try JSONCoding.decode(JSONValue.self, from: Array(text.utf8))

        #expect(JSONValue(numberText: text.utf8) == value)
        if case .number = value { Issue.record("\(value)") }
        var writer = JSONWriter()
        writer.value(value)
        #expect(writer.bytes == Array(text.utf8))
    }

    @Test(arguments: ["", "-", "01", "1.", ".5", "+1", "1e", "1 ", "0x1", "NaN", "1,5", "１"])
    func `Only JSON numbers are accepted`(text: String) {
        #expect(JSONNumber(text) == nil)
    }

    @Test func `Another encoder writes the closest double`() throws {
        let value = JSONValue.array([.number(try #require(JSONNumber("1.10")))])

        #expect(try JSONDecoder().decode([Double].self, from: JSONEncoder().encode(value)) == [1.1])
    }

    @Test func `A type of the app decodes large numbers itself`() throws {
        let bytes = Array("[18446744073709551615]".utf8)

        #expect(try JSONCoding.decode([UInt64].self, from: bytes, keepsNumbers: false) == [.max])
    }

    @Test(arguments: [
        ("1", "1.0", true), ("100", "1e2", true), ("1E400", "10E399", true), ("-0", "0.000", true),
        ("1.10", "1.1", true), ("18446744073709551615", "18446744073709551616", false), ("1", "-1", false),
        ("0.1", "1e-1", true), ("5e-1", "0.05", false),
    ])
    func `Numbers are compared by their value`(left: String, right: String, areEqual: Bool) {
        let (left, right) = (JSONValue(numberText: left.utf8), JSONValue(numberText: right.utf8))

        #expect(left.isEqual(to: right) == areEqual)
        #expect(
            JSONValue.array([.object(["a": left])]).isEqual(to: .array([.object(["a": right])])) == areEqual
        )
    }

    @Test func `Numbers are ordered by their value`() {
        let ordered = [
            "-1E400", "-18446744073709551616", "-18446744073709551615", "-2", "-1.5", "-1e-400", "0",
            "1e-400",
            "0.5", "1", "1.01", "9", "10", "9223372036854775808", "1E400",
        ].map { DecimalNumber($0.utf8) }

        for (index, number) in ordered.enumerated() {
            #expect(ordered.allSatisfy { (number < $0) == (index < ordered.firstIndex(of: $0) ?? 0) })
        }
    }

    @Test(arguments: [
        ("1.0", true), ("-7", true), ("1e2", true), ("1.5e1", true), ("18446744073709551615.0", true),
        ("0.0", true), ("1E99999999999999999999", true), ("1.5", false), ("15e-1", false), ("1E-400", false),
    ])
    func `A number with a zero fraction is an integer`(text: String, isInteger: Bool) {
        #expect(DecimalNumber(text.utf8).isInteger == isInteger)
    }
}
