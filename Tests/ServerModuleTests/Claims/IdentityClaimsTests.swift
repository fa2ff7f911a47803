import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire
import Testing

@Suite struct `Claims of an identity` {
    private static let schema = """
        {"type": "object", "properties": {"traits": {"type": "object", "properties": {
          "mail": {"type": "string", "format": "email", "latchkey": {"claim": "email"}, "ory.sh/kratos": {
            "credentials": {"password": {"identifier": true}}, "verification": {"via": "email"}}},
          "phone": {"type": "string", "format": "tel", "latchkey": {"claim": "phone_number"}},
          "name": {"type": "object", "properties": {
            "full": {"type": "string", "latchkey": {"claim": "name"}},
            "first": {"type": "string", "latchkey": {"claim": "given_name"}},
            "last": {"type": "string", "latchkey": {"claim": "family_name"}}}},
          "nick": {"type": "string", "latchkey": {"claim": "nickname"}},
          "born": {"type": "string", "latchkey": {"claim": "birthdate"}},
          "language": {"type": "string", "latchkey": {"claim": "locale"}},
          "secret": {"type": "string"}}}}}
        """
    private static let mail = ContactAddress(via: .email, value: "ann@example.org")
    private static let phone = ContactAddress(via: .sms, value: "+46701234567")

    private func claims(
        _ traits: String,
        _ scopes: Set<String> = ["openid", "profile", "email", "phone", "offline_access"],
        states: [ContactAddress: AddressState] = [:],
        isConfirmed: Bool = true
    ) throws -> String {
        let catalog = try SchemaCatalog(["own": Array(Self.schema.utf8)], standard: "own")
        let claims = IdentityClaims(
            schema: catalog.standard,
            traits: try JSONParser.parse(Array(traits.utf8)),
            addressStates: states,
            isConfirmed: isConfirmed,
            updatedAt: Timestamp(microseconds: 1_700_000_000_999_999)
        )
        return Self.text(claims, for: scopes)
    }

    private static func text(_ claims: IdentityClaims, for scopes: Set<String>) -> String {
        var writer = JSONWriter()
        writer.object { claims.write(for: scopes, to: &$0) }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static let updated = #""updated_at":1700000000"#

    @Test(
        arguments: [
            ([], "{}"), (["openid", "offline_access", "address", "shop"], "{}"),
            (["email"], #"{"email":"ann@example.org","email_verified":false}"#),
            (["phone"], #"{"phone_number":"+46701234567","phone_number_verified":false}"#),
            (
                ["profile"],
                #"{"name":"Ann Bo","given_name":"Ann","family_name":"Bo","nickname":"a\"b","birthdate":"1990-02-28","locale":"sv-FI",\#(updated)}"#
            ),
        ] as [(Set<String>, String)]
    )
    func `A client gets the claims of its scopes`(scopes: Set<String>, expected: String) throws {
        let traits = #"""
            {"mail": "ann@example.org", "phone": "+46701234567", "name": {"first": "Ann", "last": "Bo"},
             "nick": "a\"b", "born": "1990-02-28", "language": "sv-FI", "secret": "hidden", "stranger": 1}
            """#
        #expect(try claims(traits, scopes) == expected)
    }

    @Test(arguments: [
        "{}", "[]", "null", #"{"mail": "", "phone": "", "name": {"full": ""}, "nick": "", "language": " "}"#,
        #"{"mail": 1, "phone": null, "name": "Ann", "nick": ["a"], "born": true}"#,
    ])
    func `Empty and missing traits are left out`(traits: String) throws {
        #expect(try claims(traits) == "{\(Self.updated)}")
    }

    @Test(
        arguments: [
            (#"{"full": "Ann of Bo", "first": "Ann", "last": "Bo"}"#, "Ann of Bo"),
            (#"{"first": "Ann", "last": "Bo"}"#, "Ann Bo"), (#"{"first": "Ann"}"#, "Ann"),
            (#"{"last": "Bo"}"#, "Bo"), (#"{"full": "", "last": "Bo"}"#, "Bo"),
            (#"{"full": "\t", "last": "\u3000"}"#, nil),
        ] as [(String, String?)]
    )
    func `The name is composed if the user hasn't entered one`(name: String, expected: String?) throws {
        let text = try claims(#"{"name": \#(name)}"#)
        let value = try JSONCoding.decode(JSONValue.self, from: Array(text.utf8))
        #expect(value["name"]?.text == expected)
    }

    @Test(arguments: [
        ("1990-02-28", true), ("1990", true), ("0000-02-29", true), ("2000-02-29", true),
        ("1900-02-29", false), ("1990-13-01", false), ("1990-2-28", false), ("199", false), ("19900", false),
        ("28.02.1990", false), ("1990-02-28 ", false), ("1990-02-28T00:00:00Z", false),
        ("١٩٩٠", false), ("199\u{661}", false),
    ])
    func `A birthdate is a date or a year`(text: String, isWritten: Bool) throws {
        #expect(try claims(#"{"born": "\#(text)"}"#).contains("birthdate") == isWritten)
    }

    @Test(
        arguments: [
            (nil, false, false), (nil, true, false), (.proven, false, false), (.proven, true, true),
        ] as [(AddressState?, Bool, Bool)]
    )
    func `An address is verified if it is proven and the account is confirmed`(
        state: AddressState?,
        isConfirmed: Bool,
        isVerified: Bool
    ) throws {
        var states: [ContactAddress: AddressState] = [:]
        states[Self.mail] = state
        states[Self.phone] = state
        let text = try claims(
            #"{"mail": "Ann@EXAMPLE.org", "phone": "+46 70-123 45 67"}"#,
            ["email", "phone"],
            states: states,
            isConfirmed: isConfirmed
        )
        #expect(
            text == """
                {"email":"ann@example.org","email_verified":\(isVerified),\
                "phone_number":"+46701234567","phone_number_verified":\(isVerified)}
                """
        )
    }

    @Test func `One proven address doesn't verify the others`() throws {
        let text = try claims(
            #"{"mail": "ann@example.org", "phone": "+46701234567"}"#,
            ["email", "phone"],
            states: [Self.phone: .proven, ContactAddress(via: .email, value: "old@example.org"): .proven]
        )
        #expect(text.contains(#""email_verified":false"#) && text.contains(#""phone_number_verified":true"#))
    }

    @Test func `A released address is left out`() throws {
        let text = try claims(
            #"{"mail": "ann@example.org", "phone": "+46701234567"}"#,
            ["email", "phone"],
            states: [Self.mail: .released, Self.phone: .released]
        )
        #expect(text == "{}")
    }

    @Test(arguments: [
        #"{"mail": "+46701234567"}"#, #"{"mail": "ann"}"#, #"{"phone": "ann@example.org"}"#,
        #"{"phone": "12"}"#,
        #"{"mail": "\#(String(repeating: "a", count: 400))@example.org"}"#,
    ])
    func `A text that isn't an address of the right kind is left out`(traits: String) throws {
        #expect(try claims(traits, ["email", "phone"]) == "{}")
    }

    @Test func `Without its schema, an identity has no claims`() {
        let claims = IdentityClaims(
            schema: nil,
            traits: .object([OrderedJSON.Member(name: "mail", value: .string("ann@example.org"))]),
            addressStates: [Self.mail: .proven],
            isConfirmed: true,
            updatedAt: Timestamp(seconds: -1)
        )
        #expect(Self.text(claims, for: ["profile", "email", "phone"]) == #"{"updated_at":-1}"#)
    }

    @Test(
        arguments: [
            ("customer", ["name.first", "name.last", "phone", "email"], []),
            ("business", ["email", "name.first", "name.last"], []),
            ("person", ["email", "phone", "name"], []), ("shopper", ["phone", "name"], ["region"]),
            ("reader", ["email", "phone", "name.given", "name.family", "display_name", "birthday"], []),
        ]
    )
    func `The built-in schemas have claims`(id: String, claimed: [String], others: [String]) throws {
        let fields = try #require(try SchemaCatalog(standard: "person")[id]).fields
        let names = { (fields: [TraitField]) in Set(fields.map { String($0.name.dropFirst("traits.".count)) })
        }
        #expect(names(fields.filter { $0.schema.claim != nil }) == Set(claimed))
        #expect(names(fields.filter { $0.schema.claim == nil }) == Set(others))
    }
}
