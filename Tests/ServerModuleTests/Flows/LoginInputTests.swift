import LatchkeyModel
import LatchkeyWire
import TestSpellings
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeySelfService
@testable import LatchkeyServerKit

@Suite struct `Parsing a login submission` {
    private static func decision(
        _ submission: Submission,
        in flow: Flow,
        settings: FormSettings,
        identifiersAreAddresses: Bool = true
    ) throws -> Decision {
        var settings = settings
        settings.identifiersAreAddresses = identifiersAreAddresses
        return Decision(submission, in: FormContext(flow, schema: try .sample("person")), settings: settings)
        {
            switch $0 {
            case let input as PasswordLoginForm.Input:
                Decision(
                    name: "password",
                    values: [input.identifier, input.password.exposed],
                    form: input.form
                )
            case CodeLoginForm.Input.send(let identifier, let form):
                Decision(name: "sendCode", values: [identifier], form: form)
            case CodeLoginForm.Input.check(let code, let identifier, let form):
                Decision(name: "checkCode", values: [code?.exposed ?? "-", identifier ?? "-"], form: form)
            default: nil
            }
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let body: String
        var state = FlowState.chooseMethod
        var address: String?
        var settings = FormSettings.methods()
        let decision: Decision

        var testDescription: String { "\(state.rawValue) \(address ?? "-") \(body.prefix(100))" }
    }

    private static let long = String(repeating: "a", count: LoginIdentifier.byteLimit)

    /// A string that is within the maximum length in characters but not in bytes.
    private static let accented = String(repeating: "é", count: LoginIdentifier.byteLimit / 2 + 1)

    private static func shows(_ identifier: String) -> Form {
        Form(values: ["identifier": .string(identifier)])
    }

    private static var emptyFields: Form {
        var form = Form()
        form.refuse("identifier", with: .missing("identifier"))
        form.refuse("password", with: .missing("password"))
        return form
    }

    static let methods = [
        Row(body: "{}", decision: .refused(with: .noStrategy(.login))),
        Row(body: #"{"method": "totp"}"#, decision: .refused(with: .noStrategy(.login))),
        Row(body: #"{"method": 5}"#, decision: .refused(with: .noStrategy(.login))),
        Row(body: #"{"method": "oidc"}"#, decision: .disabled),
        Row(body: #"{"method": "profile"}"#, decision: .disabled),
        Row(
            body: #"{"method": "password", "identifier": "a", "password": "b"}"#,
            settings: .methods(password: false),
            decision: .disabled
        ),
        Row(
            body: #"{"method": "code", "identifier": "a"}"#,
            settings: .methods(code: false),
            decision: .disabled
        ),
    ]

    static let passwords = [
        Row(
            body: #"{"method": "password", "identifier": "a", "password": "b"}"#,
            decision: Decision(name: "password", values: ["a", "b"], form: shows("a"))
        ),
        Row(
            body: #"{"method": "password", "identifier": "a", "password": "b"}"#,
            state: .sentEmail,
            address: "c",
            decision: Decision(name: "password", values: ["a", "b"], form: shows("a"))
        ),
        Row(
            body: #"{"method": "password", "identifier": "\#(long)", "password": "b"}"#,
            decision: Decision(name: "password", values: [long, "b"], form: shows(long))
        ),
        Row(
            body: #"{"method": "password", "identifier": "\#(long)a", "password": "b"}"#,
            decision: .refused("identifier", with: .tooLong(long.utf8.count + 1, maximum: long.utf8.count))
        ),
        Row(
            body: #"{"method": "password", "identifier": "\#(accented)", "password": "b"}"#,
            decision: .refused(
                "identifier",
                with: .tooLong(accented.utf8.count, maximum: LoginIdentifier.byteLimit)
            )
        ),
        Row(body: #"{"method": "password"}"#, decision: .refused(emptyFields)),
        Row(
            body: #"{"method": "password", "identifier": "", "password": null}"#,
            decision: .refused(emptyFields)
        ),
        Row(
            body: #"{"method": "password", "password": "b"}"#,
            decision: .refused("identifier", with: .missing("identifier"))
        ),
        Row(
            body: #"{"method": "password", "identifier": "a"}"#,
            decision: .refused("password", with: .missing("password"), showing: ["identifier": "a"])
        ),
        Row(
            body: #"{"method": "password", "identifier": "a", "password": 5}"#,
            decision: .refused(
                "password",
                with: .wrongType(.integer(5), expected: "string"),
                showing: ["identifier": "a"]
            )
        ),
    ]

    static let requestsForCodes = [
        Row(
            body: #"{"method": "code", "identifier": "a"}"#,
            decision: Decision(name: "sendCode", values: ["a"], form: shows("a"))
        ),
        // No code has been sent in this flow yet.
        Row(
            body: #"{"method": "code", "identifier": "a", "code": "123456"}"#,
            decision: Decision(name: "sendCode", values: ["a"], form: shows("a"))
        ),
        Row(
            body: #"{"method": "code"}"#,
            address: "b",
            decision: Decision(name: "sendCode", values: ["b"], form: shows("b"))
        ),
        Row(
            body: #"{"method": "code", "identifier": "a"}"#,
            address: "b",
            decision: Decision(name: "sendCode", values: ["a"], form: shows("a"))
        ),
        Row(
            body: #"{"method": "code"}"#,
            decision: .refused("identifier", with: .missing("identifier"))
        ),
        Row(
            body: #"{"method": "code", "identifier": 5}"#,
            decision: .refused("identifier", with: .wrongType(.integer(5), expected: "string"))
        ),
        Row(
            body: #"{"method": "code", "identifier": "\#(long)a"}"#,
            decision: .refused("identifier", with: .tooLong(long.utf8.count + 1, maximum: long.utf8.count))
        ),
        Row(
            body: #"{"method": "code", "resend": "code"}"#,
            state: .sentEmail,
            address: "b",
            decision: Decision(name: "sendCode", values: ["b"], form: shows("b"))
        ),
        Row(
            body: #"{"method": "code", "resend": "code", "identifier": "a", "code": "123456"}"#,
            state: .sentEmail,
            address: "b",
            decision: Decision(name: "sendCode", values: ["a"], form: shows("a"))
        ),
    ]

    static let codes = [
        Row(
            body: #"{"method": "code", "code": "123456"}"#,
            state: .sentEmail,
            address: "b",
            decision: Decision(name: "checkCode", values: ["123456", "-"], form: Form())
        ),
        Row(
            body: #"{"method": "code", "code": 42, "identifier": "a", "resend": ""}"#,
            state: .sentEmail,
            address: "b",
            decision: Decision(name: "checkCode", values: ["000042", "a"], form: Form())
        ),
        Row(
            body: #"{"method": "code", "code": "12345"}"#,
            state: .sentEmail,
            address: "b",
            decision: Decision(name: "checkCode", values: ["-", "-"], form: Form())
        ),
        Row(
            body: #"{"method": "code"}"#,
            state: .sentEmail,
            address: "b",
            decision: .refused("code", with: .missing("code"))
        ),
        Row(
            body: #"{"method": "code", "code": true}"#,
            state: .sentEmail,
            address: "b",
            decision: .refused("code", with: .wrongType(.bool(true), expected: "string"))
        ),
        Row(
            body: #"{"method": "code", "code": "123456", "identifier": "\#(long)a"}"#,
            state: .sentEmail,
            address: "b",
            decision: .refused("identifier", with: .tooLong(long.utf8.count + 1, maximum: long.utf8.count))
        ),
    ]

    /// Texts that were meant as phone numbers but aren't valid.
    static let malformedPhones = TypedSpellings.phones.filter { $0.value == nil }.map(\.typed)

    @Test(arguments: malformedPhones)
    func `A malformed phone number is rejected before an attempt is counted`(typed: String) throws {
        for method in ["password", "code"] {
            let body = JSONValue.object([
                "method": .string(method), "identifier": .string(typed), "password": "b",
            ])
            let text = try String(decoding: JSONCoding.encode(body), as: UTF8.self)
            let flow = Flow.sample(.login)
            let decision = try Self.decision(Submission(json: text), in: flow, settings: .methods())
            #expect(
                decision
                    == .refused(
                        "identifier",
                        with: .invalidPhone(typed),
                        showing: ["identifier": .string(typed)]
                    )
            )
        }
    }

    @Test func `A user name may consist of digits if a schema allows user names`() throws {
        let decision = try Self.decision(
            Submission(json: #"{"method": "password", "identifier": "0043 7", "password": "b"}"#),
            in: .sample(.login),
            settings: .methods(),
            identifiersAreAddresses: false
        )
        #expect(decision == Decision(name: "password", values: ["0043 7", "b"], form: Self.shows("0043 7")))
    }

    @Test(arguments: methods + passwords + requestsForCodes + codes)
    func `A submission is parsed according to its method and the state of the flow`(row: Row) throws {
        let flow = Flow.sample(.login, state: row.state, address: row.address)
        let decision = try Self.decision(Submission(json: row.body), in: flow, settings: row.settings)
        #expect(decision == row.decision)
    }
}
