import LatchkeyModel
import LatchkeyWire
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeyCourier
@testable import LatchkeySelfService
@testable import LatchkeyServerKit

@Suite struct `Parsing a registration submission` {
    private static func decision(
        _ submission: Submission,
        in flow: Flow,
        schema: IdentitySchema,
        settings: FormSettings
    ) -> Decision {
        let goesBack = settings.registrationStyle == .profileFirst && submission.goesBack
        return Decision(
            submission,
            method: goesBack ? "profile" : submission.method,
            in: FormContext(flow, schema: schema),
            settings: settings
        ) {
            switch $0 {
            case let input as PasswordRegistrationForm.Input:
                Decision(
                    name: "password",
                    values: [input.traits.text, input.password.exposed]
                        + (input.guess.map { [$0.code?.exposed ?? "-"] } ?? []),
                    form: input.form
                )
            case CodeRegistrationForm.Input.send(let traits, let address, let form):
                Decision(
                    name: "sendCode",
                    values: [traits.text, address.via.rawValue, address.value],
                    form: form
                )
            case CodeRegistrationForm.Input.check(let code, let traits, _, let form):
                Decision(name: "checkCode", values: [code?.exposed ?? "-", traits.text], form: form)
            case CodeRegistrationForm.Input.complete(let traits, _, let form):
                Decision(name: "complete", values: [traits.text], form: form)
            case ProfileRegistrationForm.Input.next(let traits, let form):
                Decision(name: "profile", values: [traits.text], form: form)
            case ProfileRegistrationForm.Input.back(let form): Decision(name: "back", form: form)
            default: nil
            }
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let body: String
        var schema = "person"
        var state = FlowState.chooseMethod
        var traits: String?
        var verifiedPhone: String?
        var settings = FormSettings.methods()
        let decision: Decision

        var testDescription: String { "\(schema) \(state.rawValue) \(body.prefix(100))" }
    }

    private static let person = #"{"email":"ann@example.org","phone":"+46701000001"}"#
    private static let personValues: [String: JSONValue] = [
        "traits.email": "ann@example.org", "traits.phone": "+46701000001",
    ]
    private static let phone = #"{"phone":"+46701000001"}"#
    private static let phoneValues: [String: JSONValue] = ["traits.phone": "+46701000001"]
    private static let password = "correct-Horse-7-battery"

    /// The properties of a schema with an e-mail address for codes, a phone number to verify, and free text.
    private static let openProperties = """
        "email": {"type": "string", "format": "email", "ory.sh/kratos": {"credentials": \
        {"password": {"identifier": true}, "code": {"identifier": true, "via": "email"}}}}, \
        "phone": {"type": "string", "format": "tel", "ory.sh/kratos": {"verification": {"via": "sms"}}}, \
        "note": {"type": "string"}
        """

    /// The properties of a schema whose only login identifier is nested inside its second trait.
    private static let nestedProperties = """
        "note": {"type": "string"}, "contact": {"type": "object", "properties": {"email": {"type": "string", \
        "format": "email", "ory.sh/kratos": {"credentials": {"password": {"identifier": true}}}}}}
        """

    private static func schema(_ id: String) throws -> IdentitySchema {
        switch id {
        case "open": try .sample(id, properties: openProperties)
        case "open with phone":
            try .sample(
                "open",
                properties: openProperties,
                required: #"["phone"]"#,
                policy: #"{"verifiedPhone": "phone"}"#
            )
        case "nested": try .sample(id, properties: nestedProperties)
        default: try .sample(id)
        }
    }

    /// Returns traits for the open schema whose JSON has the given number of bytes.
    private static func traits(bytes: Int) -> (json: String, values: [String: JSONValue]) {
        let start = #"{"email":"ann@example.org","note":""#
        let note = String(repeating: "x", count: bytes - start.utf8.count - 2)
        return (start + note + "\"}", ["traits.email": "ann@example.org", "traits.note": .string(note)])
    }

    static let methods = [
        Row(body: "{}", decision: .refused(with: .noStrategy(.registration))),
        Row(body: #"{"method": "totp"}"#, decision: .refused(with: .noStrategy(.registration))),
        Row(body: #"{"method": "oidc"}"#, decision: .disabled),
        Row(body: #"{"method": "profile", "traits": \#(person)}"#, decision: .disabled),
        Row(body: #"{"method": "code", "traits": \#(phone)}"#, schema: "customer", decision: .disabled),
        Row(body: #"{"method": "code"}"#, settings: .methods(code: false), decision: .disabled),
        Row(body: #"{"method": "password"}"#, settings: .methods(password: false), decision: .disabled),
    ]

    static let passwords = [
        Row(
            body: #"{"method": "password", "password": "\#(password)", "traits": \#(person)}"#,
            decision: Decision(
                name: "password",
                values: [person, password],
                form: Form(values: personValues)
            )
        ),
        Row(
            body: #"{"method": "password", "password": "\#(password)", "traits": null}"#,
            traits: person,
            decision: Decision(
                name: "password",
                values: [person, password],
                form: Form(values: personValues)
            )
        ),
        // Submitted traits take precedence over those from the first step.
        Row(
            body: #"{"method": "password", "password": "\#(password)", "traits": \#(person)}"#,
            traits: #"{"email":"bob@example.org","phone":"+46701000002"}"#,
            decision: Decision(
                name: "password",
                values: [person, password],
                form: Form(values: personValues)
            )
        ),
        Row(
            body: #"{"method": "password", "traits": \#(person)}"#,
            decision: .refused("password", with: .missing("password"), showing: personValues)
        ),
        Row(
            body: #"{"method": "password", "password": "\#(password)", "traits": \#(phone)}"#,
            decision: .refused("traits.email", with: .missing("email"), showing: phoneValues)
        ),
        Row(
            body: #"{"method": "password", "password": "short", "traits": \#(person)}"#,
            decision: .refused(
                "password",
                with: .passwordTooShort(5, minimum: 8),
                showing: personValues
            )
        ),
        Row(
            body: #"{"method": "password", "password": "xann@example.orgx", "traits": \#(person)}"#,
            decision: .refused("password", with: .passwordSimilar, showing: personValues)
        ),
        Row(
            body: #"{"method": "password", "password": "\#(password)", "traits": {}}"#,
            schema: "reader",
            decision: .refused("traits.email", with: .missing("email"))
        ),
        Row(
            body: #"{"method": "password", "password": "\#(password)", "traits": {"note": "a"}}"#,
            schema: "nested",
            decision: .refused(
                "traits.contact.email",
                with: .missing("email"),
                showing: ["traits.note": "a"]
            )
        ),
    ]

    static let verifiedPhones = [
        Row(
            body: #"{"method": "password", "password": "730281", "traits": \#(phone)}"#,
            schema: "customer",
            verifiedPhone: "+46701000001",
            decision: Decision(name: "password", values: [phone, "730281"], form: Form(values: phoneValues))
        ),
        Row(
            body: #"{"method": "password", "password": "730281", "traits": \#(phone)}"#,
            schema: "customer",
            decision: .refused("traits.phone", with: .phoneNotVerified, showing: phoneValues)
        ),
        Row(
            body: #"{"method": "password", "password": "730281", "traits": \#(phone)}"#,
            schema: "customer",
            verifiedPhone: "+46701000002",
            decision: .refused("traits.phone", with: .otherPhoneVerified, showing: phoneValues)
        ),
        // The code itself verifies the phone number that it is sent to.
        Row(
            body: #"{"method": "code", "traits": \#(phone)}"#,
            schema: "shopper",
            decision: Decision(
                name: "sendCode",
                values: [phone, "sms", "+46701000001"],
                form: Form(values: phoneValues)
            )
        ),
        Row(
            body: #"{"method": "code", "traits": \#(phone)}"#,
            schema: "shopper",
            verifiedPhone: "+46701000002",
            decision: Decision(
                name: "sendCode",
                values: [phone, "sms", "+46701000001"],
                form: Form(values: phoneValues)
            )
        ),
        // A code that was sent by e-mail doesn't verify the phone number.
        Row(
            body: #"{"method": "code", "traits": \#(person)}"#,
            schema: "open with phone",
            decision: .refused("traits.phone", with: .phoneNotVerified, showing: personValues)
        ),
        Row(
            body: #"{"method": "code", "traits": \#(person)}"#,
            schema: "open with phone",
            verifiedPhone: "+46701000001",
            decision: Decision(
                name: "sendCode",
                values: [person, "email", "ann@example.org"],
                form: Form(values: personValues)
            )
        ),
    ]

    static let requestsForCodes = [
        // The code is sent to the first address in the schema.
        Row(
            body: #"{"method": "code", "traits": \#(person)}"#,
            decision: Decision(
                name: "sendCode",
                values: [person, "email", "ann@example.org"],
                form: Form(values: personValues)
            )
        ),
        // No code has been sent in this flow yet.
        Row(
            body: #"{"method": "code", "code": "123456"}"#,
            traits: person,
            decision: Decision(
                name: "sendCode",
                values: [person, "email", "ann@example.org"],
                form: Form(values: personValues)
            )
        ),
        Row(
            body: #"{"method": "code", "resend": "code", "code": "123456"}"#,
            state: .sentEmail,
            traits: person,
            decision: Decision(
                name: "sendCode",
                values: [person, "email", "ann@example.org"],
                form: Form(values: personValues)
            )
        ),
        Row(
            body: #"{"method": "code", "traits": \#(phone)}"#,
            decision: .refused("traits.email", with: .missing("email"), showing: phoneValues)
        ),
        Row(
            body: #"{"method": "code"}"#,
            schema: "reader",
            decision: .refused(with: .noCodeAddress)
        ),
        Row(
            body: #"{"method": "code", "traits": {"display_name": "Ann"}}"#,
            schema: "reader",
            decision: .refused(with: .noCodeAddress, showing: ["traits.display_name": "Ann"])
        ),
    ]

    static let codes = [
        Row(
            body: #"{"method": "code", "code": "123456"}"#,
            state: .sentEmail,
            traits: person,
            decision: Decision(
                name: "checkCode",
                values: ["123456", person],
                form: Form(values: personValues)
            )
        ),
        Row(
            body: #"{"method": "code", "code": 42, "traits": \#(person)}"#,
            state: .sentEmail,
            traits: person,
            decision: Decision(
                name: "checkCode",
                values: ["000042", person],
                form: Form(values: personValues)
            )
        ),
        Row(
            body: #"{"method": "code", "code": "12345"}"#,
            state: .sentEmail,
            traits: person,
            decision: Decision(name: "checkCode", values: ["-", person], form: Form(values: personValues))
        ),
        Row(
            body: #"{"method": "code"}"#,
            state: .sentEmail,
            traits: person,
            decision: .refused("code", with: .missing("code"), showing: personValues)
        ),
        // The code was sent for different traits.
        Row(
            body: #"{"method": "code", "code": "123456", "traits": \#(person)}"#,
            state: .sentEmail,
            traits: #"{"email":"ann@example.org","phone":"+46701000002"}"#,
            decision: .refused(with: .traitsChanged, showing: personValues)
        ),
        // Invalid traits are reported before a missing code.
        Row(
            body: #"{"method": "code", "traits": \#(person)}"#,
            state: .sentEmail,
            traits: #"{"email":"ann@example.org","phone":"+46701000002"}"#,
            decision: .refused(with: .traitsChanged, showing: personValues)
        ),
        Row(
            body: #"{"method": "code", "code": "123456", "traits": \#(person)}"#,
            state: .sentEmail,
            decision: .refused(with: .traitsChanged, showing: personValues)
        ),
    ]

    static let profiles = [
        Row(
            body: #"{"method": "profile", "traits": \#(person)}"#,
            settings: .methods(style: .profileFirst),
            decision: Decision(name: "profile", values: [person], form: Form(values: personValues))
        ),
        Row(
            body: #"{"method": "profile", "traits": \#(phone)}"#,
            settings: .methods(style: .profileFirst),
            decision: .refused("traits.email", with: .missing("email"), showing: phoneValues)
        ),
        // The first step doesn't fall back to the traits from an earlier submission.
        Row(
            body: #"{"method": "profile"}"#,
            schema: "customer",
            traits: phone,
            settings: .methods(style: .profileFirst),
            decision: .refused("traits.phone", with: .missing("phone"))
        ),
        Row(
            body: #"{"screen": "previous", "traits": \#(person)}"#,
            settings: .methods(style: .profileFirst),
            decision: Decision(name: "back", form: Form(values: personValues))
        ),
        Row(
            body: #"{"screen": "previous", "method": "password"}"#,
            traits: person,
            settings: .methods(style: .profileFirst),
            decision: Decision(name: "back", form: Form(values: personValues))
        ),
        // The first step shows invalid traits again, but without error messages.
        Row(
            body: #"{"screen": "previous", "traits": {"email": "ann"}}"#,
            settings: .methods(style: .profileFirst),
            decision: Decision(name: "back", form: Form(values: ["traits.email": "ann"]))
        ),
        Row(
            body: #"{"screen": "next"}"#,
            settings: .methods(style: .profileFirst),
            decision: .refused(with: .noStrategy(.registration))
        ),
        Row(
            body: #"{"screen": "previous", "traits": \#(person)}"#,
            decision: .refused(with: .noStrategy(.registration))
        ),
    ]

    @Test(arguments: methods + passwords + verifiedPhones + requestsForCodes + codes + profiles)
    func `A submission is parsed according to its method, the schema and the state of the flow`(row: Row)
        throws
    {
        let flow = Flow.sample(
            .registration,
            state: row.state,
            traits: row.traits,
            verifiedPhone: row.verifiedPhone
        )
        let decision = Self.decision(
            try Submission(json: row.body),
            in: flow,
            schema: try Self.schema(row.schema),
            settings: row.settings
        )
        #expect(decision == row.decision)
    }

    @Test func `All invalid fields are reported together`() throws {
        var form = Form(values: ["traits.email": "ann", "traits.phone": "+12"])
        form.refuse("traits.email", with: .invalidEmail("ann"))
        form.refuse("traits.phone", with: .invalidPhone("+12"))
        form.refuse("password", with: .missing("password"))
        let decision = Self.decision(
            try Submission(json: #"{"method": "password", "traits": {"email": "ann", "phone": "+12"}}"#),
            in: .sample(.registration),
            schema: try Self.schema("person"),
            settings: .methods()
        )
        #expect(decision == .refused(form))
    }

    @Test func `An unverified phone number and a weak password are reported together`() throws {
        var form = Form(values: Self.phoneValues)
        form.refuse("traits.phone", with: .phoneNotVerified)
        form.refuse("password", with: .passwordTooShort(1, minimum: 6))
        let decision = Self.decision(
            try Submission(json: #"{"method": "password", "password": "7", "traits": \#(Self.phone)}"#),
            in: .sample(.registration),
            schema: try Self.schema("customer"),
            settings: .methods()
        )
        #expect(decision == .refused(form))
    }

    @Test(arguments: [(0, true), (1, false)])
    func `The operator's maximum password length is enforced`(excess: Int, isAccepted: Bool) throws {
        var settings = FormSettings.methods()
        settings.maximumPasswordLength = Self.password.utf8.count - excess
        let body = #"{"method": "password", "password": "\#(Self.password)", "traits": \#(Self.person)}"#
        let decision = Self.decision(
            try Submission(json: body),
            in: .sample(.registration),
            schema: try Self.schema("person"),
            settings: settings
        )
        if isAccepted {
            #expect(decision.name == "password")
        } else {
            let refusal = UIMessage.passwordTooLong(
                Self.password.utf8.count,
                maximum: settings.maximumPasswordLength
            )
            #expect(decision == .refused("password", with: refusal, showing: Self.personValues))
        }
    }

    @Test(arguments: [("code", 0, true), ("code", 1, false), ("profile", 0, true), ("profile", 1, false)])
    func `The size of the traits is limited if they have to be stored in the flow`(
        method: String,
        excess: Int,
        isAccepted: Bool
    ) throws {
        let traits = Self.traits(bytes: FlowBounds.traits + excess)
        let decision = Self.decision(
            try Submission(json: #"{"method": "\#(method)", "traits": \#(traits.json)}"#),
            in: .sample(.registration),
            schema: try Self.schema("open"),
            settings: .methods(style: .profileFirst)
        )
        if isAccepted {
            #expect(decision.name == (method == "code" ? "sendCode" : "profile"))
            #expect(decision.form == Form(values: traits.values))
        } else {
            let refusal = UIMessage.traitsTooLarge(maximum: FlowBounds.traits)
            #expect(decision == .refused(with: refusal, showing: traits.values))
        }
    }

    @Test func `The size of the traits isn't limited if a password is set`() throws {
        let traits = Self.traits(bytes: FlowBounds.traits + 1)
        let body = #"{"method": "password", "password": "\#(Self.password)", "traits": \#(traits.json)}"#
        let decision = Self.decision(
            try Submission(json: body),
            in: .sample(.registration),
            schema: try Self.schema("open"),
            settings: .methods()
        )
        #expect(decision.name == "password")
    }
}
