import LatchkeyModel
import LatchkeyWire
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeySelfService
@testable import LatchkeyServerKit

@Suite struct `Parsing a settings submission` {
    private static func decision(
        _ submission: Submission,
        schema: IdentitySchema,
        settings: FormSettings,
        waived: Set<String> = []
    ) -> Decision {
        var context = FormContext(.sample(.settings), schema: schema)
        context.waived = waived
        return Decision(submission, in: context, settings: settings) {
            switch $0 {
            case ProfileChangeForm.Input.change(let traits?, _, let form):
                Decision(name: "profile", values: [traits.text], form: form)
            case let password as Secret: Decision(name: "password", values: [password.exposed])
            default: nil
            }
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let body: String
        var schema = "person"
        var settings = FormSettings.methods()
        var waived: Set<String> = []
        let decision: Decision

        var testDescription: String { "\(schema) \(body.prefix(100))" }
    }

    private static let person = #"{"email":"ann@example.org","phone":"+46701000001"}"#
    private static let personValues: [String: JSONValue] = [
        "traits.email": "ann@example.org", "traits.phone": "+46701000001",
    ]

    @Test(arguments: [
        Row(body: "{}", decision: .refused(with: .noStrategy(.settings))),
        Row(body: #"{"method": "totp"}"#, decision: .refused(with: .noStrategy(.settings))),
        Row(body: #"{"method": "code"}"#, decision: .disabled),
        Row(body: #"{"method": "oidc"}"#, decision: .disabled),
        Row(
            body: #"{"method": "password", "password": "a"}"#,
            settings: .methods(password: false),
            decision: .disabled
        ),
        // The password policy isn't checked until the account's identifiers are known.
        Row(
            body: #"{"method": "password", "password": "a"}"#,
            decision: Decision(name: "password", values: ["a"])
        ),
        Row(
            body: #"{"method": "password"}"#,
            decision: .refused("password", with: .missing("password"))
        ),
        Row(
            body: #"{"method": "password", "password": 5}"#,
            decision: .refused("password", with: .wrongType(.integer(5), expected: "string"))
        ),
        Row(
            body: #"{"method": "profile", "traits": \#(person)}"#,
            decision: Decision(name: "profile", values: [person], form: Form(values: personValues))
        ),
        Row(
            body: #"{"method": "profile", "traits": {"phone": "+46701000001"}}"#,
            decision: .refused(
                "traits.email",
                with: .missing("email"),
                showing: ["traits.phone": "+46701000001"]
            )
        ),
        // The schema requires the address, but the account has lost the field.
        Row(
            body: #"{"method": "profile", "traits": {"phone": "+46701000001"}}"#,
            waived: ["traits.email"],
            decision: Decision(
                name: "profile",
                values: [#"{"phone":"+46701000001"}"#],
                form: Form(values: ["traits.phone": "+46701000001"])
            )
        ),
        // Missing required traits are reported first, even if the request contains no traits at all.
        Row(
            body: #"{"method": "profile"}"#,
            schema: "customer",
            decision: .refused("traits.phone", with: .missing("phone"))
        ),
        Row(
            body: #"{"method": "profile"}"#,
            schema: "reader",
            decision: .refused(with: .nothingToChange)
        ),
        Row(
            body: #"{"method": "profile", "traits": null}"#,
            schema: "reader",
            decision: .refused(with: .nothingToChange)
        ),
        Row(
            body: #"{"method": "profile", "traits": {}}"#,
            schema: "reader",
            decision: Decision(name: "profile", values: ["{}"], form: Form())
        ),
    ]) func `A submission is parsed according to its method and schema`(row: Row) throws {
        let decision = Self.decision(
            try Submission(json: row.body),
            schema: try .sample(row.schema),
            settings: row.settings,
            waived: row.waived
        )
        #expect(decision == row.decision)
    }
}
