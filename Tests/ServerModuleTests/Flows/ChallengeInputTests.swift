import LatchkeyModel
import LatchkeyWire
import TestSpellings
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeyCourier
@testable import LatchkeySelfService
@testable import LatchkeyServerKit

@Suite struct `Parsing a recovery or verification submission` {
    private static func decision(_ submission: Submission, in flow: Flow) throws -> Decision {
        Decision(
            submission,
            method: submission.challengeMethod,
            in: FormContext(flow, schema: try .sample("person")),
            settings: .methods()
        ) {
            switch $0 {
            case ChallengeForm.Input.send(let address):
                Decision(name: "sendCode", values: [address.via.rawValue, address.value])
            case ChallengeForm.Input.check(let code):
                Decision(name: "checkCode", values: [code?.exposed ?? "-"])
            default: nil
            }
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let body: String
        var kinds: [FlowKind] = [.recovery, .verification]
        var states: [FlowState] = [.chooseMethod, .sentEmail]
        var decision: Decision?

        var testDescription: String { "\(kinds) \(states) \(body.prefix(100))" }
    }

    private static let long = String(repeating: "a", count: LoginIdentifier.byteLimit - 12) + "@example.org"

    /// A string that is within the maximum length in characters but not in bytes.
    private static let accented = String(repeating: "é", count: LoginIdentifier.byteLimit / 2 + 1)

    static let methods = [
        // The error message depends on the kind of flow.
        Row(body: "{}"),
        Row(body: #"{"method": "totp", "email": "ann@example.org"}"#),
        Row(body: #"{"method": "password"}"#, decision: .disabled),
        Row(body: #"{"method": "profile"}"#, decision: .disabled),
        Row(body: #"{"method": "oidc", "code": "123456"}"#, decision: .disabled),
    ]

    static let addresses = [
        Row(
            body: #"{"method": "code", "email": "ann@example.org"}"#,
            decision: Decision(name: "sendCode", values: ["email", "ann@example.org"])
        ),
        // The method can be omitted if there is only one.
        Row(
            body: #"{"email": " Ann@Example.ORG "}"#,
            decision: Decision(name: "sendCode", values: ["email", "ann@example.org"])
        ),
        Row(
            body: #"{"method": "code", "email": "+46 70 100 00 01"}"#,
            decision: Decision(name: "sendCode", values: ["sms", "+46701000001"])
        ),
        Row(
            body: #"{"method": "code", "email": "ann"}"#,
            decision: .refused("email", with: .invalidEmail("ann"), showing: ["email": "ann"])
        ),
        Row(
            body: #"{"method": "code", "email": " Ann"}"#,
            decision: .refused("email", with: .invalidEmail(" Ann"), showing: ["email": " Ann"])
        ),
        Row(
            body: #"{"method": "code", "email": "+12"}"#,
            decision: .refused("email", with: .invalidPhone("+12"), showing: ["email": "+12"])
        ),
        Row(
            body: #"{"method": "code", "email": " +12"}"#,
            decision: .refused("email", with: .invalidPhone(" +12"), showing: ["email": " +12"])
        ),
        // The format of an address is only checked if the address isn't too long.
        Row(
            body: #"{"method": "code", "email": "\#(long)"}"#,
            decision: .refused("email", with: .invalidEmail(long), showing: ["email": .string(long)])
        ),
        Row(
            body: #"{"method": "code", "email": "a\#(long)"}"#,
            decision: .refused(
                "email",
                with: .tooLong(LoginIdentifier.byteLimit + 1, maximum: LoginIdentifier.byteLimit)
            )
        ),
        Row(
            body: #"{"method": "code", "email": "\#(accented)"}"#,
            decision: .refused(
                "email",
                with: .tooLong(accented.utf8.count, maximum: LoginIdentifier.byteLimit)
            )
        ),
    ]

    static let malformedPhones = TypedSpellings.phones.filter { $0.value == nil }.map { spelling in
        Row(
            body: #"{"method": "code", "email": "\#(spelling.typed)"}"#,
            decision: .refused(
                "email",
                with: .invalidPhone(spelling.typed),
                showing: ["email": .string(spelling.typed)]
            )
        )
    }

    static let codes = [
        Row(
            body: #"{"method": "code", "code": "123456"}"#,
            kinds: [.verification],
            decision: Decision(name: "checkCode", values: ["123456"])
        ),
        Row(
            body: #"{"code": 42}"#,
            states: [.sentEmail],
            decision: Decision(name: "checkCode", values: ["000042"])
        ),
        Row(
            body: #"{"code": "000042"}"#,
            states: [.sentEmail],
            decision: Decision(name: "checkCode", values: ["000042"])
        ),
        Row(
            body: #"{"code": "12345"}"#,
            states: [.sentEmail],
            decision: Decision(name: "checkCode", values: ["-"])
        ),
        Row(
            body: #"{"method": "code", "code": "123456"}"#,
            kinds: [.recovery],
            states: [.chooseMethod],
            decision: .refused("email", with: .missing("email"))
        ),
        // If a submission contains both an address and a code, a recovery uses the address and a verification
        // uses the code.
        Row(
            body: #"{"email": "ann@example.org", "code": "123456"}"#,
            kinds: [.recovery],
            decision: Decision(name: "sendCode", values: ["email", "ann@example.org"])
        ),
        Row(
            body: #"{"email": "ann@example.org", "code": "123456"}"#,
            kinds: [.verification],
            decision: Decision(name: "checkCode", values: ["123456"])
        ),
    ]

    static let empty = [
        Row(
            body: #"{"method": "code"}"#,
            states: [.chooseMethod],
            decision: .refused("email", with: .missing("email"))
        ),
        Row(
            body: #"{"method": "code", "email": 5}"#,
            states: [.chooseMethod],
            decision: .refused("email", with: .wrongType(.integer(5), expected: "string"))
        ),
        Row(
            body: #"{"method": "code"}"#,
            states: [.sentEmail],
            decision: .refused("code", with: .missing("code"))
        ),
        Row(
            body: #"{"method": "code", "code": true}"#,
            states: [.sentEmail],
            decision: .refused("code", with: .wrongType(.bool(true), expected: "string"))
        ),
    ]

    @Test(arguments: methods + addresses + malformedPhones + codes + empty)
    func `A submission is parsed according to the kind and state of the flow`(row: Row) throws {
        for kind in row.kinds {
            for state in row.states {
                let decision = try Self.decision(
                    Submission(json: row.body),
                    in: .sample(kind, state: state)
                )
                #expect(decision == row.decision ?? .refused(with: .noStrategy(kind)), "\(kind) \(state)")
            }
        }
    }
}
