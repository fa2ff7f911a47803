import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeySelfService

@Suite struct `Decisions about submitted codes` {
    private static let address = ContactAddress(via: .email, value: "ann@example.org")

    private static func name(_ decision: CodeDecision<ProvenAddress>) -> String {
        switch decision {
        case .accept(let proven): "accept \(proven.address.value)"
        case .retry(let message, let isCounted):
            "retry \(message.id.rawValue) \(message.text) \(isCounted)"
        case .refuse(let message, let isCounted):
            "refuse \(message.id.rawValue) \(message.text) \(isCounted)"
        case .replace: "replace"
        }
    }

    private static func identity() throws -> Identity {
        let schema = try SchemaCatalog(standard: "person").standard
        let traits = Traits(
            json: Array("{}".utf8),
            identifiers: [],
            verifiable: [address],
            recovery: [],
            contacts: [address],
            phoneToVerify: nil
        )
        let now = Timestamp(seconds: 1_800_000_000)
        return Identity(schema: schema, traits: traits, verified: [], at: now, random: SystemRandom())
    }

    @Test(
        arguments: [
            (.wrong, .login, .refuse(.wrongCode(.login))),
            (.unusable, .login, .refuse(.wrongCode(.login), isCounted: false)),
            (.used, .login, .refuse(.codeUsed, isCounted: false)),
            (.exhausted, .login, .refuse(.codeExhausted, isCounted: false)),
            (.wrong, .registration, .refuse(.wrongCode(.registration))),
            (.unusable, .registration, .refuse(.wrongCode(.registration), isCounted: false)),
            (.used, .registration, .refuse(.codeUsed, isCounted: false)),
            (.exhausted, .registration, .refuse(.codeExhausted, isCounted: false)),
            (.wrong, .recovery, .retry(.wrongCode(.recovery))),
            (.unusable, .recovery, .retry(.wrongCode(.recovery), isCounted: false)),
            (.used, .recovery, .replace),
            (.exhausted, .recovery, .replace),
            (.wrong, .verification, .retry(.wrongCode(.verification))),
            (.unusable, .verification, .retry(.wrongCode(.verification), isCounted: false)),
            (.used, .verification, .replace),
            (.exhausted, .verification, .replace),
        ] as [(CodeRefusal, FlowKind, CodeDecision<ProvenAddress>)]
    )
    func `Running out of guesses ends the flow unless the flow supports other methods`(
        refusal: CodeRefusal,
        kind: FlowKind,
        decision: CodeDecision<ProvenAddress>
    ) {
        #expect(Self.name(CodeDecision(refusal, in: kind)) == Self.name(decision))
    }

    @Test(
        arguments: [
            (.refused, .login, .refuse(.addressNotProven)),
            (.disabled, .login, .refuse(.identityDisabled)),
            (.stale, .login, .refuse(.wrongCode(.login))),
            (.refused, .registration, .refuse(.addressNotProven)),
            (.disabled, .registration, .refuse(.wrongCode(.registration))),
            (.stale, .registration, .refuse(.wrongCode(.registration))),
            (.refused, .recovery, .refuse(.addressNotProven)),
            (.disabled, .recovery, .retry(.wrongCode(.recovery))),
            (.stale, .recovery, .retry(.wrongCode(.recovery))),
            (.refused, .verification, .retry(.wrongCode(.verification))),
            (.disabled, .verification, .retry(.wrongCode(.verification))),
            (.stale, .verification, .retry(.wrongCode(.verification))),
        ] as [(AddressProver.Verdict, FlowKind, CodeDecision<ProvenAddress>)]
    )
    func `Only users who are allowed to log in learn why a correct code is rejected`(
        verdict: AddressProver.Verdict,
        kind: FlowKind,
        decision: CodeDecision<ProvenAddress>
    ) {
        #expect(Self.name(CodeDecision(verdict, on: Self.address, in: kind)) == Self.name(decision))
    }

    @Test(arguments: [FlowKind.login, .registration, .recovery, .verification])
    func `A correct code is accepted if the account may use it`(kind: FlowKind) throws {
        let verdict = AddressProver.Verdict.granted(try Self.identity())
        #expect(Self.name(CodeDecision(verdict, on: Self.address, in: kind)) == "accept ann@example.org")
    }

    @Test(
        arguments: [
            (.wrong, .wrong), (.notJudged(nil), .unusable), (.notJudged(.open), .unusable),
            (.notJudged(.expired), .unusable), (.notJudged(.used), .used),
            (.notJudged(.exhausted), .exhausted),
        ] as [(CodeVerifier.Verdict, CodeRefusal)]
    )
    func `An expired code is treated like a wrong code`(verdict: CodeVerifier.Verdict, refusal: CodeRefusal) {
        #expect(throws: refusal) { try verdict.accepted() }
    }

    @Test func `The result for a correct code contains the address that it was sent to`() throws {
        let guessed = CodeRepository.Guessed(
            sealed: [],
            address: Self.address,
            identityID: nil,
            validUntil: Timestamp(microseconds: 0),
            isFirst: true
        )
        #expect(try CodeVerifier.Verdict.right(guessed).accepted().address == Self.address)
    }

    @Test(arguments: [.retry(.codeUsed), .refuse(.codeUsed), .replace] as [CodeDecision<ProvenAddress>])
    func `Mapping a decision that isn't an acceptance leaves the decision unchanged`(
        decision: CodeDecision<ProvenAddress>
    ) {
        #expect(Self.name(decision.map { $0 }) == Self.name(decision))
    }

    @Test(arguments: [true, false], [true, false])
    func `Only the account's flows and sessions prove an address from inside`(isBound: Bool, isCaller: Bool) {
        let caller = VerificationCaller(isBound: isBound, isCaller: isCaller)
        #expect(caller.proof == (isBound || isCaller ? .inside : .outside))
    }
}
