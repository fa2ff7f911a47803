import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyWire
import Testing

@Suite struct `Validating traits` {
    private static let schema = """
        {"type": "object", "properties": {"traits": {
          "type": "object", "additionalProperties": false, "required": ["phone", "home"], "properties": {
            "phone": {"type": "string", "format": "tel", "minLength": 8, "ory.sh/kratos": {
              "credentials": {"password": {"identifier": true}}, "verification": {"via": "sms"}}},
            "email": {"type": "string", "format": "email", "ory.sh/kratos": {
              "credentials": {"password": {"identifier": true}}, "recovery": {"via": "email"}}},
            "born": {"type": "string", "format": "date"},
            "nick": {"type": "string", "minLength": 2, "maxLength": 4},
            "age": {"type": "integer", "minimum": 3, "maximum": 9},
            "size": {"type": "number"},
            "news": {"type": "boolean"},
            "home": {"type": "object", "additionalProperties": false, "required": ["town"], "properties": {
              "town": {"type": "string"}, "street": {"type": "string"}}},
            "work": {"type": "object", "required": ["desk"], "properties": {"desk": {"type": "string"}}}
          }}}}
        """

    private func read(_ text: String) throws -> (traits: Traits?, form: Form) {
        let catalog = try SchemaCatalog(["own": Array(Self.schema.utf8)], standard: "own")
        var form = Form()
        let traits = TraitValidator.read(
            try JSONParser.parse(Array(text.utf8)),
            schema: catalog.standard,
            into: &form
        )
        return (traits, form)
    }

    private static func traits(_ rest: String) -> String {
        #"{"phone": "+46701234567", "home": {"town": "Oslo"}, \#(rest)}"#
    }

    @Test(
        arguments: [
            ("{}", [("traits.phone", .missing), ("traits.home.town", .missing)]),
            ("null", [("traits.phone", .missing), ("traits.home.town", .missing)]),
            ("[]", [("traits", .wrongType)]),
            (#""x""#, [("traits", .wrongType)]),
            (#"{"phone": "+4670123", "home": {"town": "a"}}"#, []),
            (
                #"{"phone": "12", "home": {}}"#,
                [("traits.phone", .invalidPhone), ("traits.home.town", .missing)]
            ),
            (#"{"phone": 5, "home": "x"}"#, [("traits.phone", .wrongType), ("traits.home", .wrongType)]),
            (traits(#""email": "no-at""#), [("traits.email", .invalidEmail)]),
            (traits(#""email": """#), [("traits.email", .invalidEmail)]),
            (traits(#""email": null"#), [("traits.email", .wrongType)]),
            (traits(#""born": "2020-02-30""#), [("traits.born", .wrongFormat)]),
            (traits(#""born": "2020-02-29""#), []),
            (traits(#""nick": "a""#), [("traits.nick", .tooShort)]),
            (traits(#""nick": "abcde""#), [("traits.nick", .tooLong)]),
            (traits(#""nick": "🇳🇴é""#), []),
            (traits(#""age": 2"#), [("traits.age", .tooSmall)]),
            (traits(#""age": 10"#), [("traits.age", .tooLarge)]),
            (traits(#""age": 4.5"#), [("traits.age", .wrongType)]),
            (traits(#""age": 4.0"#), []),
            (traits(#""age": 40e-1"#), []),
            (traits(#""age": 4.50"#), [("traits.age", .wrongType)]),
            (traits(#""age": 1E400"#), [("traits.age", .tooLarge)]),
            (traits(#""age": -18446744073709551615"#), [("traits.age", .tooSmall)]),
            (traits(#""size": 18446744073709551615.5"#), []),
            (traits(#""size": 4.5"#), []),
            (traits(#""size": "4.5""#), [("traits.size", .wrongType)]),
            (traits(#""news": "yes""#), [("traits.news", .wrongType)]),
            (traits(#""zzz": 1, "yyy": 2"#), [("traits", .validation)]),
            (#"{"phone": "+46701234567", "home": {"town": "a", "zzz": 1}}"#, [("traits.home", .validation)]),
            (traits(#""work": {}"#), [("traits.work.desk", .missing)]),
            (traits(#""work": {"desk": "a", "chair": 1}"#), []),
            // Only identifiers and addresses have a size limit, so this long value is accepted.
            (traits(#""work": {"desk": "\#(String(repeating: "d", count: 400))"}"#), []),
        ] as [(String, [(String, MessageID)])]
    ) func `Each field is validated against the schema`(
        _ text: String,
        _ refusals: [(String, MessageID)]
    ) throws {
        let (traits, form) = try read(text)
        #expect(form.fieldMessages.map(\.field) == refusals.map(\.0))
        #expect(form.fieldMessages.map(\.message.id) == refusals.map(\.1))
        #expect((traits == nil) == !refusals.isEmpty)
    }

    @Test func `Traits are stored in a normalized form and in the order of the schema`() throws {
        let text =
            #"{"email": " Ann@Example.ORG ", "home": {"town": "x"}, "phone": "+46 70 123-45 67", "work": {"a": 1, "desk": "d"}}"#
        let traits = try #require(try read(text).traits)
        #expect(
            String(decoding: traits.json, as: UTF8.self)
                == #"{"phone":"+46701234567","email":"Ann@Example.ORG","home":{"town":"x"},"work":{"desk":"d","a":1}}"#
        )
        #expect(traits.identifiers == ["+46701234567", "ann@example.org"])
        #expect(traits.verifiable == [ContactAddress(via: .sms, value: "+46701234567")])
        #expect(traits.recovery == [ContactAddress(via: .email, value: "ann@example.org")])
    }

    @Test func `Submitted traits are shown again if an input element can display them`() throws {
        let form = try read(
            #"{"phone": "12", "news": 5, "nick": null, "home": {"town": {"a": 1}, "street": "s"}}"#
        ).form
        #expect(form.values == ["traits.phone": "12", "traits.news": .integer(5), "traits.home.street": "s"])
    }
}
