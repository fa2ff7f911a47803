import LatchkeyServerKit
import LatchkeyWire
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeySelfService

@Suite struct `Decoding form values` {
    /// Returns the schema of a trait that has the given JSON type.
    private func schema(of type: String) throws -> TraitSchema {
        let properties = IdentitySchema.nameProperty + #", "age": {"type": "\#(type)"}"#
        let traits = try IdentitySchema.sample("test", properties: properties).traits
        guard case .object(let properties, _) = traits.shape else { throw NoTraits() }
        return try #require(properties.first { $0.name == "age" }).schema
    }

    private struct NoTraits: Error {}

    @Test(arguments: ["integer", "number"]) func `JSON numbers are converted`(_ type: String) throws {
        let schema = try schema(of: type)
        for (text, value): (String, OrderedJSON) in [
            ("0", .integer(0)), ("-7", .integer(-7)), ("9223372036854775807", .integer(.max)),
            ("1.5", .double(1.5)), ("-0.25", .double(-0.25)),
            ("18446744073709551615", .number(JSONNumber(valid: "18446744073709551615".utf8))),
            ("1e999", .number(JSONNumber(valid: "1e999".utf8))),
            ("1.0", .number(JSONNumber(valid: "1.0".utf8))),
        ] {
            #expect(FormEncoding.value(of: text, by: schema) == value, "\(text)")
        }
    }

    @Test(
        arguments: ["integer", "number"],
        [
            "0x1p4", "0x10", "inf", "-inf", "infinity", "nan", "NaN", "1e", "+5", "007", ".5", "1.", " 1",
            "1 ", "1\n", "1,5", "true", "null", "[1", "１",
        ]
    ) func `Any other text is passed to validation unchanged`(_ type: String, _ text: String) throws {
        #expect(FormEncoding.value(of: text, by: try schema(of: type)) == .string(text))
    }
}
