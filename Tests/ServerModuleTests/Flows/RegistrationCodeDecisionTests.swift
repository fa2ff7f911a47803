import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyWire
import Testing

@testable import LatchkeySelfService

@Suite struct `Decisions about registration codes` {
    private static let email = ContactAddress(via: .email, value: "ann@example.org")
    private static let phone = ContactAddress(via: .sms, value: "+46701000001")

    private static func right(_ address: ContactAddress) -> CodeVerifier.Verdict {
        .right(
            CodeRepository.Guessed(
                sealed: [],
                address: address,
                identityID: nil,
                validUntil: Timestamp(microseconds: 0),
                isFirst: true
            )
        )
    }

    private static func name(_ decision: RegistrationCodeDecision) -> String {
        switch decision {
        case .prove(let address): "prove \(address.value)"
        case .refuse(let message, let isCounted):
            "refuse \(message.id.rawValue) \(message.text) \(isCounted)"
        }
    }

    @Test(
        arguments: [
            (right(email), email.value, .prove(email)),
            (right(phone), phone.value, .prove(phone)),
            // The code for the phone number was sent in the same flow, but it doesn't verify the e-mail
            // address.
            (right(phone), email.value, .refuse(.wrongCode(.registration))),
            (right(email), nil, .refuse(.wrongCode(.registration))),
            (.wrong, email.value, .refuse(.wrongCode(.registration))),
            (.notJudged(nil), email.value, .refuse(.wrongCode(.registration), isCounted: false)),
            (.notJudged(.expired), email.value, .refuse(.wrongCode(.registration), isCounted: false)),
            (.notJudged(.used), email.value, .refuse(.codeUsed, isCounted: false)),
            (.notJudged(.exhausted), email.value, .refuse(.codeExhausted, isCounted: false)),
        ] as [(CodeVerifier.Verdict, String?, RegistrationCodeDecision)]
    )
    func `A code only registers the address that the flow sent it to`(
        verdict: CodeVerifier.Verdict,
        address: String?,
        decision: RegistrationCodeDecision
    ) {
        var flow = Self.flow
        flow.address = address
        #expect(Self.name(RegistrationCodeDecision(verdict, in: flow)) == Self.name(decision))
    }

    @Test(arguments: [FlowState.chooseMethod, .sentEmail])
    func `A later code proves the address that it was sent to`(_ state: FlowState) {
        var flow = Self.flow
        flow.state = state
        flow.address = Self.email.value
        flow.provenAddresses = [Self.email]
        let decision = RegistrationCodeDecision(Self.right(Self.phone), in: flow)
        #expect(Self.name(decision) == Self.name(.prove(Self.phone)))
    }

    /// A flow that has sent a code.
    private static var flow: Flow {
        var flow = Flow(
            id: Identifier(high: 1, low: 2),
            kind: .registration,
            parameters: FlowParameters(schemaID: "person", requestURL: "http://a.example/"),
            issuedAt: Timestamp(seconds: 1_800_000_000),
            lifespan: .seconds(600)
        )
        flow.state = .sentEmail
        return flow
    }
}
