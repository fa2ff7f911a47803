import LatchkeyAccounts
import Testing

@Suite struct `Identity schemas` {
    private static func schema(_ traits: String, root: String = "") -> String {
        #"{"type": "object", \#(root) "properties": {"traits": \#(traits)}}"#
    }

    private static func trait(_ trait: String) -> String {
        schema(
            """
            {"type": "object", "properties": {
              "id": {"type": "string", "ory.sh/kratos": {"credentials": {"password": {"identifier": true}}}},
              "x": \(trait)}}
            """
        )
    }

    private func read(_ text: String) throws -> IdentitySchema {
        try #require(SchemaCatalog(["own": Array(text.utf8)], standard: "own")["own"])
    }

    @Test func `The built-in schemas are available`() throws {
        let catalog = try SchemaCatalog(standard: "customer")
        #expect(catalog.all.map(\.id) == ["business", "customer", "person", "reader", "shopper"])
        #expect(catalog.standard.id == "customer")
        let customer = try #require(catalog["customer"])
        #expect(
            customer.fields.map(\.name)
                == ["traits.name.first", "traits.name.last", "traits.phone", "traits.email"]
        )
        #expect(customer.fields.filter(\.schema.isIdentifier).map(\.name) == ["traits.phone"])
        #expect(customer.policy.needsCertificate)
        #expect(customer.policy.verifiedPhone == "phone")
        #expect(customer.policy.minimumPasswordLength == 6)
        #expect(!customer.policy.refusesSimilarPassword)
        let business = try #require(catalog["business"])
        #expect(!business.policy.isOpen)
        #expect(business.policy.needsCertificate)
        #expect(business.fields.filter(\.schema.isIdentifier).map(\.name) == ["traits.email"])
        let person = try #require(catalog["person"])
        #expect(person.policy.isOpen)
        #expect(!person.policy.needsCertificate)
        #expect(person.policy.verifiedPhone == nil)
        #expect(person.policy.minimumPasswordLength == 8)
        #expect(person.policy.refusesSimilarPassword)
        #expect(person.fields.map(\.name) == ["traits.email", "traits.phone", "traits.name"])
    }

    @Test func `A built-in schema can be replaced`() throws {
        let own = Self.trait(#"{"type": "boolean"}"#)
        let catalog = try SchemaCatalog(["person": Array(own.utf8)], standard: "person")
        #expect(catalog.standard.fields.map(\.name) == ["traits.id", "traits.x"])
    }

    @Test func `The default schema must exist`() {
        #expect(throws: SchemaError.self) { try SchemaCatalog(standard: "no-such-schema") }
    }

    @Test(arguments: [
        (trait(#"{"type": "string", "pattern": "a"}"#), "/properties/traits/properties/x/pattern"),
        (trait(#"{"type": "string", "enum": ["a"]}"#), "/properties/traits/properties/x/enum"),
        (trait(#"{"type": "array"}"#), "/properties/traits/properties/x/type"),
        (trait(#"{"type": "string", "format": "uri"}"#), "/properties/traits/properties/x/format"),
        (trait(#"{"type": "boolean", "minLength": 1}"#), "/properties/traits/properties/x/minLength"),
        (trait(#"{"type": "string", "minLength": "1"}"#), "/properties/traits/properties/x/minLength"),
        (trait(#"{"type": "string", "minLength": -1}"#), "/properties/traits/properties/x/minLength"),
        (trait(#"{"title": "a"}"#), "/properties/traits/properties/x"),
        (trait(#"true"#), "/properties/traits/properties/x"),
        (
            trait(#"{"type": "object", "properties": {"a/b": 1}}"#),
            "/properties/traits/properties/x/properties/a~1b"
        ),
        (
            trait(#"{"type": "object", "properties": {"a.b": {"type": "string"}}}"#),
            "/properties/traits/properties/x/properties/a.b"
        ),
        (trait(#"{"type": "object", "required": ["a"]}"#), "/properties/traits/properties/x/required"),
        (
            trait(#"{"type": "string", "ory.sh/kratos": {"credentials": {"webauthn": {}}}}"#),
            "/properties/traits/properties/x/ory.sh~1kratos/credentials/webauthn"
        ),
        (
            trait(#"{"type": "string", "ory.sh/kratos": {"verification": {"via": "email"}}}"#),
            "/properties/traits/properties/x/ory.sh~1kratos/verification/via"
        ),
        (
            trait(#"{"type": "boolean", "ory.sh/kratos": {"recovery": {"via": "email"}}}"#),
            "/properties/traits/properties/x/ory.sh~1kratos"
        ),
        (schema(#"{"type": "object"}"#), "/properties/traits"),
        (schema(#"{"type": "string"}"#), "/properties/traits"),
        (schema(#"{"type": "object"}"#, root: #""oneOf": [],"#), "/oneOf"),
        (
            schema(#"{"type": "object"}"#, root: #""latchkey": {"certificate": "maybe"},"#),
            "/latchkey/certificate"
        ),
        (schema(#"{"type": "object"}"#, root: #""latchkey": {"colour": 1},"#), "/latchkey/colour"),
        (
            schema(#"{"type": "object"}"#, root: #""latchkey": {"verifiedPhone": "x"},"#),
            "/latchkey/verifiedPhone"
        ),
        (
            schema(#"{"type": "object"}"#, root: #""latchkey": {"password": {"minLength": 0}},"#),
            "/latchkey/password/minLength"
        ),
        (#"{"type": "object", "properties": {}}"#, ""),
        (
            #"{"type": "object", "properties": {"traits": {"type": "object"}, "more": {}}}"#,
            "/properties/more"
        ),
        ("[]", ""),
        ("{", ""),
    ]) func `An unsupported keyword is reported along with its position`(_ text: String, _ place: String)
        throws
    {
        let error = try #require(throws: SchemaError.self) { try read(text) }
        #expect(error.place == "own#" + place)
        #expect(error.description.hasPrefix("own#"))
    }

    @Test func `Form fields are defined by the schema`() throws {
        let schema = try read(
            Self.trait(
                """
                {"type": "object", "required": ["b"], "properties": {
                  "b": {"type": "integer", "minimum": 1}, "a": {"type": "boolean", "title": "A"}}}
                """
            )
        )
        #expect(schema.fields.map(\.name) == ["traits.id", "traits.x.b", "traits.x.a"])
        #expect(schema.fields.map(\.isRequired) == [false, true, false])
    }
}
