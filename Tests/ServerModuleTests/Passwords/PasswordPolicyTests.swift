import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyWire
import Testing

@Suite struct `Password policy` {
    private let identifiers = ["person1@example.org", "+46701000001"]

    private func refusal(_ password: String, _ schema: String) throws -> MessageID? {
        let catalog = try SchemaCatalog(standard: schema)
        let policy = PasswordPolicy(catalog.standard.policy, maximumLength: PasswordSettings().maximumLength)
        return policy.refusal(of: Secret(password), identifiers: identifiers).map { UIMessage($0).id }
    }

    @Test(
        arguments: [
            ("abcdefg", "person", .passwordTooShort), ("zbcdefgh", "person", nil),
            ("ééééééé", "person", .passwordTooShort),
            // The minimum length is measured in NFC.
            (String(repeating: "e\u{301}", count: 7), "person", .passwordTooShort),
            ("00000", "customer", .passwordTooShort), ("000000", "customer", nil),
            ("111111", "customer", nil),
            (String(repeating: "ab", count: 512), "person", nil),
            (String(repeating: "ab", count: 512) + "c", "person", .passwordTooLong),
            // The maximum length is measured in bytes.
            (String(repeating: "éb", count: 341), "person", nil),
            (String(repeating: "éb", count: 342), "person", .passwordTooLong),
            (String(repeating: "e\u{301}b", count: 341), "person", nil),
            ("person1@example.org", "person", .passwordSimilar),
            ("PERSON1@EXAMPLE.ORG", "person", .passwordSimilar),
            ("person1@example.net", "person", .passwordSimilar), ("xxperson1@ex", "person", .passwordSimilar),
            ("+46701000001x", "person", .passwordSimilar), ("xxxxxx701000", "person", nil),
            ("+46701000001", "customer", nil),
        ] as [(String, String, MessageID?)]
    ) func `The schema's password rules are enforced`(
        _ password: String,
        _ schema: String,
        _ message: MessageID?
    )
        throws
    {
        #expect(try refusal(password, schema) == message)
    }

    @Test
    func `Every built-in schema except customer requires eight characters and rejects common passwords`()
        throws
    {
        let schemas = try SchemaCatalog(standard: "person").all.map(\.id)
        let exceptions = try schemas.filter { schema in
            let refusals = [try refusal("zbcdefg", schema), try refusal("password", schema)]
            return refusals != [.passwordTooShort, .passwordPolicy]
        }
        #expect(exceptions == ["customer"])
    }

    @Test(arguments: [
        " a b  c d e f ", "\t\u{1}\u{7F}\u{1B}[31mx", "\"'`\\%&<>;--", "пароль123", "パスワード日本語",
        "👩‍👩‍👧‍👦🗝️👍🏽x",
        "e\u{301}a\u{301}o\u{301}u\u{301}y\u{301}c\u{327}n\u{303}u\u{308}", "\u{202E}abcdefgh", "١٢٣٤٥٦٧٨",
    ])
    func `Passwords can consist of any characters`(password: String) throws {
        #expect(try refusal(password, "person") == nil)
    }

    @Test(arguments: [(320, .passwordSimilar), (321, nil), (60_000, nil)] as [(Int, MessageID?)])
    func `Passwords are compared with identifiers of up to 320 bytes`(_ length: Int, _ message: MessageID?)
        throws
    {
        let catalog = try SchemaCatalog(standard: "person")
        let policy = PasswordPolicy(catalog.standard.policy, maximumLength: PasswordSettings().maximumLength)
        let identifier = String(String(repeating: "qz7", count: length).prefix(length))
        let password = Secret(String(identifier.prefix(600)))
        #expect(policy.refusal(of: password, identifiers: [identifier]).map { UIMessage($0).id } == message)
    }

    @Test func `The cost of checking a long password is limited`() throws {
        let long = String(repeating: "person1@example.org", count: 40)
        #expect(try refusal(long, "person") == nil)
    }
}
