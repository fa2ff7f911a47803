import LatchkeyModel
import LatchkeySelfService
import LatchkeyWire
import Testing

@testable import LatchkeyAccounts

@Suite struct `Common passwords` {
    @Test(arguments: [
        ("password", true), ("PassWord", true), (" password ", true), ("12345678", true), ("trustno1", true),
        ("1qaz2wsx", true), ("        ", true), ("zzzzzzzzzzzz", true), ("ööööööööö", true), ("123456", true),
        ("passwords are long", false), ("correct-Horse-7-battery", false), ("pässword", false),
        (String(repeating: "password", count: 100), false),
    ])
    func `Only the passwords that attackers try first are treated as common`(
        _ password: String,
        _ isCommon: Bool
    ) {
        #expect(CommonPasswords.contains(password) == isCommon)
    }

    @Test
    func `The list contains 3,000 passwords of at least eight characters, all of which are rejected`() throws
    {
        let text = CommonPasswords.longer.description
        let passwords = text.split(whereSeparator: \.isWhitespace).map { String($0) }
        #expect(passwords.count == 3000)
        #expect(Set(passwords).count == 3000)
        #expect(passwords.filter { $0.utf8.count < 8 } == [])

        let schema = try SchemaCatalog(standard: "person").standard
        let policy = PasswordPolicy(schema.policy, maximumLength: PasswordSettings().maximumLength)
        let accepted = passwords.flatMap { [$0, $0.uppercased()] }.filter { password in
            let refusal = policy.refusal(of: Secret(password), identifiers: [])
            return refusal.map { UIMessage($0).id } != .passwordPolicy
        }
        #expect(accepted == [])
    }

    static let policies: [(policy: String, password: String, refusal: MessageID?)] = [
        ("{}", "password", .passwordPolicy),
        ("{}", "passw0rd", .passwordPolicy),
        (#"{"minLength": 8}"#, "12345678", .passwordPolicy),
        (#"{"minLength": 8}"#, "        ", .passwordPolicy),
        (#"{"minLength": 9}"#, "password", .passwordTooShort),
        (#"{"minLength": 8, "refuseCommon": false}"#, "12345678", nil),
        (#"{"minLength": 6}"#, "123456", nil),
        (#"{"minLength": 6}"#, "000000", nil),
        (#"{"minLength": 6, "refuseCommon": true}"#, "123456", .passwordPolicy),
        (#"{"minLength": 6, "refuseCommon": true}"#, "000000", .passwordPolicy),
        (#"{"minLength": 6, "refuseCommon": true}"#, "730281", nil),
    ]

    @Test(arguments: policies)
    func `Common passwords are rejected by default if the minimum length is at least eight`(
        policy: String,
        password: String,
        refusal: MessageID?
    ) throws {
        let schema = """
            {"$id": "x", "type": "object", "latchkey": {"password": \(policy)}, "properties": {"traits": \
            {"type": "object", "properties": {"email": {"type": "string", "format": "email", "ory.sh/kratos": \
            {"credentials": {"password": {"identifier": true}}}}}}}}
            """
        let catalog = try SchemaCatalog(["x": Array(schema.utf8)], standard: "x")
        let rules = PasswordPolicy(catalog.standard.policy, maximumLength: PasswordSettings().maximumLength)
        #expect(rules.refusal(of: Secret(password), identifiers: []).map { UIMessage($0).id } == refusal)
    }

    @Test func `The built-in customer schema accepts common passcodes`() throws {
        #expect(try SchemaCatalog(standard: "customer").standard.policy.refusesCommonPassword == false)
        #expect(try SchemaCatalog(standard: "person").standard.policy.refusesCommonPassword)
    }
}
