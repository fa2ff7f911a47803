import LatchkeyAccounts
import LatchkeyCourier
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyWire

extension FuzzTarget {
    /// Fuzzes identity schemas and the validation of traits.
    static let schemas = FuzzTarget(
        name: "schemas",
        summary: "Identity schemas: parsing a schema, and validating traits against it.",
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
                "a rejection names a position"
            )
            return try expect(!error.message.isEmpty, "a rejection has a reason")
        }
        try expect(schema.fields.contains { $0.schema.isIdentifier }, "a schema has an identifier")
        try check(schema)
        guard let submitted = try? JSONParser.parse(input.bytes(1)) else { return }
        try check(submitted, schema)
    }

    /// Checks that clients can render all of a schema's forms.
    private static func check(_ schema: IdentitySchema) throws {
        let forms = MethodForms(FormSettings())
        for kind in FlowKind.allCases {
            var writer = JSONWriter()
            writer.object { writer in
                writer.form(
                    forms.nodes(in: FormContext(kind, schema: schema)),
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
            return try expect(!form.fieldMessages.isEmpty, "rejected traits have messages about their errors")
        }
        try expect(form.isValid, "accepted traits have no errors")
        guard let kept = try? JSONParser.parse(traits.json) else { throw BrokenRule("traits are JSON") }
        var second = Form()
        guard let again = TraitValidator.read(kept, schema: schema, into: &second) else {
            throw BrokenRule("stored traits are accepted again")
        }
        try expect(again.json == traits.json, "stored traits do not change when they are validated again")
        try expect(
            again.identifiers == traits.identifiers && again.verifiable == traits.verifiable
                && again.recovery == traits.recovery,
            "stored traits have the same addresses"
        )
        for identifier in traits.identifiers {
            try expect(
                LoginIdentifier.normalize(identifier) == identifier,
                "a normalized identifier does not change when it is normalized again"
            )
        }
    }
}
