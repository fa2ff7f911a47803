import LatchkeyModel
import LatchkeyServerCore
import LatchkeyWire
import Testing

@Suite struct `Password policy` {
    private let identifiers = ["person1@example.org", "+46701000001"]

    private func refusal(_ password: String, _ schema: String) throws -> Int? {
        let catalog = try SchemaCatalog(standard: schema)
        let policy = PasswordPolicy(catalog.standard.policy, maximumLength: PasswordSettings().maximumLength)
        return policy.refusal(of: Secret(password), identifiers: identifiers)?.id.rawValue
    }

    @Test(
        arguments: [
            ("abcdefg", "person", 4_000_032), ("zbcdefgh", "person", nil), ("ééééééé", "person", 4_000_032),
            ("00000", "customer", 4_000_032), ("000000", "customer", nil), ("111111", "customer", nil),
            (String(repeating: "ab", count: 512), "person", nil),
            (String(repeating: "ab", count: 512) + "c", "person", 4_000_033),
            // The bound is in bytes.
            (String(repeating: "éb", count: 341), "person", nil),
            (String(repeating: "éb", count: 342), "person", 4_000_033),
            ("person1@example.org", "person", 4_000_031), ("PERSON1@EXAMPLE.ORG", "person", 4_000_031),
            ("person1@example.net", "person", 4_000_031), ("xxperson1@ex", "person", 4_000_031),
            ("+46701000001x", "person", 4_000_031), ("xxxxxx701000", "person", nil),
            ("+46701000001", "customer", nil),
        ] as [(String, String, Int?)]
    ) func `is the schema's`(_ password: String, _ schema: String, _ number: Int?)
        throws
    {
        #expect(try refusal(password, schema) == number)
    }

    @Test(arguments: [(320, 4_000_031), (321, nil), (60_000, nil)] as [(Int, Int?)])
    func `compares passwords with identifiers of up to 320 bytes`(_ length: Int, _ number: Int?) throws {
        let catalog = try SchemaCatalog(standard: "person")
        let policy = PasswordPolicy(catalog.standard.policy, maximumLength: PasswordSettings().maximumLength)
        let identifier = String(String(repeating: "qz7", count: length).prefix(length))
        let password = Secret(String(identifier.prefix(600)))
        #expect(policy.refusal(of: password, identifiers: [identifier])?.id.rawValue == number)
    }

    @Test func `does little work on long passwords`() throws {
        let long = String(repeating: "person1@example.org", count: 40)
        #expect(try refusal(long, "person") == nil)
    }
}
