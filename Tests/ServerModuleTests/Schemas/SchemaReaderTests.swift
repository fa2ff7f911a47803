import LatchkeyAccounts
import LatchkeyModel
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
        (trait(#"{"type": "string", "format": 1}"#), "/properties/traits/properties/x/format"),
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
            trait(#"{"type": "string", "ory.sh/kratos": {"credentials": {"password": {"x": 1}}}}"#),
            "/properties/traits/properties/x/ory.sh~1kratos/credentials/password/x"
        ),
        (
            trait(#"{"type": "string", "ory.sh/kratos": {"verification": {"via": "email"}}}"#),
            "/properties/traits/properties/x/ory.sh~1kratos/verification/via"
        ),
        (
            trait(#"{"type": "boolean", "ory.sh/kratos": {"recovery": {"via": "email"}}}"#),
            "/properties/traits/properties/x/ory.sh~1kratos"
        ),
        (
            trait(#"{"type": "string", "latchkey": {"claim": "address"}}"#),
            "/properties/traits/properties/x/latchkey/claim"
        ),
        (
            trait(#"{"type": "string", "latchkey": {"claim": "email_verified"}}"#),
            "/properties/traits/properties/x/latchkey/claim"
        ),
        (
            trait(#"{"type": "string", "latchkey": {"claims": "name"}}"#),
            "/properties/traits/properties/x/latchkey/claims"
        ),
        (
            trait(#"{"type": "string", "latchkey": "name"}"#),
            "/properties/traits/properties/x/latchkey"
        ),
        (
            trait(#"{"type": "integer", "latchkey": {"claim": "birthdate"}}"#),
            "/properties/traits/properties/x/latchkey/claim"
        ),
        (
            trait(#"{"type": "object", "latchkey": {"claim": "name"}}"#),
            "/properties/traits/properties/x/latchkey/claim"
        ),
        (
            trait(#"{"type": "string", "latchkey": {"claim": "email"}}"#),
            "/properties/traits/properties/x/latchkey/claim"
        ),
        (
            trait(#"{"type": "string", "format": "email", "latchkey": {"claim": "phone_number"}}"#),
            "/properties/traits/properties/x/latchkey/claim"
        ),
        (
            trait(#"{"type": "string", "format": "email", "latchkey": {"claim": "nickname"}}"#),
            "/properties/traits/properties/x/latchkey/claim"
        ),
        (
            trait(#"{"type": "string", "format": "tel", "latchkey": {"claim": "birthdate"}}"#),
            "/properties/traits/properties/x/latchkey/claim"
        ),
        (
            trait(
                """
                {"type": "object", "properties": {"a": {"type": "string", "latchkey": {"claim": "name"}},
                  "b/c": {"type": "string", "latchkey": {"claim": "name"}}}}
                """
            ),
            "/properties/traits/properties/x/properties/b~1c/latchkey/claim"
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

    @Test(arguments: [
        (#""pattern": "a""#, "check the value in your own service"),
        (#""enum": ["a"]"#, "check the value in your own service"),
        (#""const": "a""#, "check the value in your own service"),
        (##""$ref": "#/definitions/a""##, "insert the schema that it refers to"),
        (#""oneOf": []"#, "use one identity schema for each variant"),
        (#""allOf": []"#, "combine the schemas into one"),
        (#""contentEncoding": "base64""#, "remove it"),
    ]) func `The error for a keyword that restricts values says what to do`(keyword: String, remedy: String)
        throws
    {
        let error = try #require(throws: SchemaError.self) {
            try read(Self.trait(#"{"type": "string", \#(keyword)}"#))
        }

        #expect(error.message.hasPrefix("is not supported by this server; remove it"))
        #expect(error.message.hasSuffix(remedy))
    }

    @Test func `Annotations that do not restrict values are accepted`() throws {
        let annotations = #"""
            "$comment": "a", "description": "b", "title": "c", "default": "x", "examples": ["x", 1],
            "readOnly": true, "writeOnly": false, "deprecated": true
            """#
        let schema = try read(
            Self.schema(
                """
                {"type": "object", \(annotations), "properties": {
                  "id": {"type": "string", \(annotations),
                    "ory.sh/kratos": {"credentials": {"password": {"identifier": true}}}}}}
                """,
                root: annotations + ","
            )
        )

        #expect(schema.fields.map(\.name) == ["traits.id"])
        #expect(schema.warnings.isEmpty)
    }

    @Test func `Formats that are not checked are accepted with a warning`() throws {
        let place = "own#/properties/traits/properties/x/format"
        for (trait, format) in [
            (#""string", "format": "uri""#, "uri"), (#""integer", "format": "int32""#, "int32"),
        ] {
            let text = Self.trait(#"{"type": \#(trait)}"#)
            let catalog = try SchemaCatalog(["own": Array(text.utf8)], standard: "own")

            #expect(catalog.warnings == ["\(place): “\(format)” is ignored; values are not checked"])
            #expect(catalog.standard.fields.last?.format == nil)
        }
        #expect(try read(Self.trait(#"{"type": "string", "format": "date"}"#)).warnings.isEmpty)
    }

    @Test func `The preset of Ory Network is accepted with warnings about its other credentials`() throws {
        let preset = """
            {
              "$id": "https://schemas.ory.sh/presets/kratos/identity.email.schema.json",
              "$schema": "http://json-schema.org/draft-07/schema#",
              "title": "Person",
              "type": "object",
              "properties": {
                "traits": {
                  "type": "object",
                  "properties": {
                    "email": {
                      "type": "string",
                      "format": "email",
                      "title": "E-Mail",
                      "ory.sh/kratos": {
                        "credentials": {
                          "password": {"identifier": true},
                          "webauthn": {"identifier": true},
                          "totp": {"account_name": true},
                          "code": {"identifier": true, "via": "email"},
                          "passkey": {"display_name": true}
                        },
                        "recovery": {"via": "email"},
                        "verification": {"via": "email"}
                      },
                      "maxLength": 320
                    }
                  },
                  "required": ["email"],
                  "additionalProperties": false
                }
              }
            }
            """
        let catalog = try SchemaCatalog(["preset": Array(preset.utf8)], standard: "preset")
        let email = try #require(catalog.standard.fields.first?.schema)

        #expect(email.isIdentifier && email.codeChannel == .email)
        #expect(email.verification == .email && email.recovery == .email)
        let place = "preset#/properties/traits/properties/email/ory.sh~1kratos/credentials/"
        #expect(
            catalog.warnings
                == ["webauthn", "totp", "passkey"].map {
                    "\(place)\($0): is ignored; this server does not have this method"
                }
        )
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
