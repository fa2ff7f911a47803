import LatchkeyAccounts
import LatchkeyCourier
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyWire

extension FuzzTarget {
    /// Identity schemas, and traits held against them.
    static let schemas = FuzzTarget(
        name: "schemas",
        summary: "Identity schemas: reading one, and holding traits against it.",
        words: [
            "\"type\":", "\"object\"", "\"string\"", "\"number\"", "\"integer\"", "\"boolean\"",
            "\"properties\":",
            "\"traits\":", "\"required\":", "\"additionalProperties\":", "\"format\":", "\"email\"",
            "\"tel\"",
            "\"date\"", "\"minLength\":", "\"maxLength\":", "\"minimum\":", "\"maximum\":",
            "\"ory.sh/kratos\":",
            "\"credentials\":", "\"password\":", "\"identifier\":", "\"code\":", "\"via\":", "\"sms\"",
            "\"verification\":", "\"recovery\":", "\"latchkey\":", "\"certificate\":", "\"verifiedPhone\":",
            "\"minLength\":", "\"refuseSimilar\":", "\"title\":", "\"$id\":", "+491234567", "a@b.example",
            "2026-02-29",
        ]
    ) { bytes in
        let input = FuzzInput(bytes)
        let schema: IdentitySchema
        do throws(SchemaError) {
            schema = try SchemaReader.read("fuzzed", from: input.bytes(0))
        } catch {
            try expect(
                error.place.isEmpty || error.place.utf8.first == UInt8(ascii: "/"),
                "a refusal names a place"
            )
            return try expect(!error.message.isEmpty, "a refusal has a reason")
        }
        try expect(schema.fields.contains { $0.schema.isIdentifier }, "a schema has an identifier")
        try check(schema)
        guard let submitted = try? JSONParser.parse(input.bytes(1)) else { return }
        try check(submitted, schema)
    }

    /// Every form of a schema can be drawn by a client.
    private static func check(_ schema: IdentitySchema) throws {
        let settings = FormSettings()
        for kind in FlowKind.allCases {
            var writer = JSONWriter()
            writer.object { writer in
                writer.form(
                    FormNodes.nodes(
                        for: FormNodes.Occasion(kind),
                        schema: schema,
                        settings: settings,
                        form: Form()
                    ),
                    messages: [],
                    in: FormTranslations.builtIn[.finnish]
                )
            }
            try expect((try? JSONParser.parse(writer.bytes)) != nil, "a form is JSON")
        }
    }

    private static func check(_ submitted: OrderedJSON, _ schema: IdentitySchema) throws {
        var form = Form()
        guard let traits = TraitValidator.read(submitted, schema: schema, into: &form) else {
            return try expect(!form.fieldMessages.isEmpty, "traits that are refused are told what is wrong")
        }
        try expect(form.isValid, "traits that are taken have nothing wrong")
        guard let kept = try? JSONParser.parse(traits.json) else { throw BrokenRule("kept traits are JSON") }
        var second = Form()
        guard let again = TraitValidator.read(kept, schema: schema, into: &second) else {
            throw BrokenRule("kept traits are taken again")
        }
        try expect(again.json == traits.json, "kept traits are kept as they are")
        try expect(
            again.identifiers == traits.identifiers && again.verifiable == traits.verifiable
                && again.recovery == traits.recovery,
            "kept traits have the same addresses"
        )
        for identifier in traits.identifiers {
            try expect(
                LoginIdentifier.normalize(identifier) == identifier,
                "an identifier is normalized once"
            )
        }
    }
}
