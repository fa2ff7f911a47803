import LatchkeyModel
import LatchkeyTesting
import LatchkeyWire
import Testing

@testable import LatchkeyCore

/// A value with personal data or secrets.
struct PrintedValue: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let value: any Sendable

    init(_ value: any Sendable) {
        self.value = value
        testDescription = "\(type(of: value))"
    }

    /// The value in all forms in which an app can print it.
    var texts: [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return ["\(value)", "\([value])", String(describing: value), String(reflecting: value), dumped]
    }
}

private let phone = "+439999999999"
private let email = "ada@example.org"
private let name = PersonName(first: "Ada", last: "Lovelace")

private let identity = Identity(
    id: "1",
    schema: "customer",
    traits: [
        "phone": .string(phone), "email": .string(email),
        "name": ["first": .string(name.first), "last": .string(name.last)],
    ],
    addresses: [
        Identity.Address(value: email, isVerified: true, isForRecovery: true),
        Identity.Address(value: phone, isVerified: true, isForRecovery: false),
    ],
    publicMetadata: ["note": "hidden"]
)

private let session = UserSession(id: "s", identity: identity)

private let flow = Flow(
    id: "f",
    kind: .settings,
    nodes: [
        FlowNode(
            group: .profile,
            attributes: .input(FlowInput(name: "traits.email", kind: .email, value: .string(email)))
        ),
        FlowNode(group: .profile, attributes: .unknown(["value": .string(phone)])),
        FlowNode(
            group: .profile,
            attributes: .text(id: "key", FlowMessage(id: 1, text: "hidden", severity: .info))
        ),
        FlowNode(
            group: .profile,
            attributes: .image(id: "qr", address: "data:hidden", width: nil, height: nil)
        ),
    ],
    messages: [
        FlowMessage(
            id: 1,
            text: "A code was sent to \(email) and \(phone).",
            severity: .info,
            context: ["address": .string(phone)]
        )
    ],
    identity: identity
)

@Suite struct `Printed values` {
    static let values: [PrintedValue] = [
        PrintedValue(PhoneNumber(phone)), PrintedValue(EmailAddress(email)), PrintedValue(name),
        PrintedValue(ContactAddress(email)), PrintedValue(identity), PrintedValue(session),
        PrintedValue(identity.traits),
        PrintedValue(identity.addresses), PrintedValue(SessionState.signedIn(session)),
        PrintedValue(
            DeviceSession(id: "d", userAgent: "App/1", networkAddress: "203.0.113.7", location: "Vienna")
        ),
        PrintedValue(flow), PrintedValue(FlowOutcome.continues(flow, next: [])),
        PrintedValue(
            FlowOutcome.signedIn(
                session,
                next: [.verification(flow: "f", address: email), .settings(flow: "f")]
            )
        ),
        PrintedValue(
            FlowSubmission(method: "password", ["identifier": .string(phone), "password": "hidden"])
        ),
        PrintedValue(Duty.verifyAddress(email)),
        PrintedValue(OpenDuty(duty: .verifyAddress(phone), flow: nil)),
        PrintedValue(LoginPresentation.Screen.duty(.verifyAddress(email), flow)),
        PrintedValue(SessionExplanation(state: .signedIn(session), entries: [])),
        PrintedValue(
            Diagnosis(
                storage: MemoryStore().report,
                session: .signedIn(session),
                certificate: nil,
                server: .failure(.notSignedIn),
                watchProblem: nil,
                at: Timestamp(microseconds: 0)
            )
        ),
        PrintedValue(
            HTTP.Request(
                .post,
                "/login",
                query: "email=\(email)",
                headers: ["Authorization": "Bearer hidden"],
                body: Array("hidden".utf8)
            )
        ),
        PrintedValue(HTTP.Response(200, headers: ["Set-Cookie": "hidden"], body: Array("hidden".utf8))),
        PrintedValue(ProxyChoice.url("http://user:hidden@proxy.example.com:3128")),
    ]

    @Test(arguments: values)
    func `Printed values contain no personal data and no secrets`(_ value: PrintedValue) {
        for text in value.texts {
            for part in ["99999", "ada@", "Ada", "Lovelace", "203.0.113", "Vienna", "hidden"] {
                #expect(!text.contains(part), "\(text)")
            }
        }
    }

    @Test func `Personal data is masked in such a way that a user can recognize it`() {
        let text = "\(SessionState.signedIn(session))"

        for part in ["+…99", "…@example.org", "customer", "name: …"] {
            #expect(text.contains(part), "\(text)")
        }
        #expect("\(name)" == "PersonName(first: …, last: …)")
        #expect("\(FlowContinuation.settings(flow: "f"))" == #"settings("f")"#)
    }

    @Test(arguments: [
        (LoginReason.explicit, "explicit"), (.sessionEnded, "sessionEnded"), (.action("buy"), "action(buy)"),
    ])
    func `The reason for a login is printed as a readable name`(_ reason: LoginReason, _ name: String) {
        #expect(
            PrintedValue(reason).texts.allSatisfy { $0.contains(name) && !$0.contains("unknown context") }
        )
    }
}
