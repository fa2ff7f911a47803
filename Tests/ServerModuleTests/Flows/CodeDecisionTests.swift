import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeySelfService

@Suite struct `Decision about a code` {
    private static let address = ContactAddress(via: .email, value: "ann@example.org")

    private static func name(_ decision: CodeDecision<ProvenAddress>) -> String {
        switch decision {
        case .accept(let proven): "accept \(proven.address.value)"
        case .retry(let message): "retry \(message.id.rawValue) \(message.text)"
        case .refuse(let message): "refuse \(message.id.rawValue) \(message.text)"
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
            phoneToVerify: nil
        )
        let now = Timestamp(seconds: 1_800_000_000)
        return Identity(schema: schema, traits: traits, verified: [], at: now, random: SystemRandom())
    }

    @Test(
        arguments: [
            (.wrong, .login, .refuse(.wrongCode(.login))),
            (.used, .login, .refuse(.codeUsed)),
            (.exhausted, .login, .refuse(.codeExhausted)),
            (.wrong, .registration, .refuse(.wrongCode(.registration))),
            (.used, .registration, .refuse(.codeUsed)),
            (.exhausted, .registration, .refuse(.codeExhausted)),
            (.wrong, .recovery, .retry(.wrongCode(.recovery))),
            (.used, .recovery, .replace),
            (.exhausted, .recovery, .replace),
            (.wrong, .verification, .retry(.wrongCode(.verification))),
            (.used, .verification, .replace),
            (.exhausted, .verification, .replace),
        ] as [(CodeRefusal, FlowKind, CodeDecision<ProvenAddress>)]
    )
    func `lets a flow with other methods continue when guesses are used up, and replaces any other flow`(
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
    func `explains a rejected correct code only to users who may log in`(
        verdict: AddressProver.Verdict,
        kind: FlowKind,
        decision: CodeDecision<ProvenAddress>
    ) {
        #expect(Self.name(CodeDecision(verdict, on: Self.address, in: kind)) == Self.name(decision))
    }

    @Test(arguments: [FlowKind.login, .registration, .recovery, .verification])
    func `accepts a correct code of an account that may use it`(kind: FlowKind) throws {
        let verdict = AddressProver.Verdict.granted(try Self.identity())
        #expect(Self.name(CodeDecision(verdict, on: Self.address, in: kind)) == "accept ann@example.org")
    }

    @Test(
        arguments: [
            (.wrong, .wrong), (.notJudged(nil), .wrong), (.notJudged(.open), .wrong),
            (.notJudged(.expired), .wrong), (.notJudged(.used), .used), (.notJudged(.exhausted), .exhausted),
        ] as [(CodeVerifier.Verdict, CodeRefusal)]
    )
    func `treats an expired code as a wrong one`(verdict: CodeVerifier.Verdict, refusal: CodeRefusal) {
        #expect(throws: refusal) { try verdict.accepted() }
    }

    @Test func `contains the address to which a correct code was sent`() throws {
        let guessed = CodeRepository.Guessed(
            sealed: [],
            address: Self.address,
            identityID: nil,
            isFirst: true
        )
        #expect(try CodeVerifier.Verdict.right(guessed).accepted().address == Self.address)
    }

    @Test(arguments: [.retry(.codeUsed), .refuse(.codeUsed), .replace] as [CodeDecision<ProvenAddress>])
    func `is not changed by mapping the result of an accepted code`(
        decision: CodeDecision<ProvenAddress>
    ) {
        #expect(Self.name(decision.map { $0 }) == Self.name(decision))
    }

    @Test(arguments: [true, false], [true, false])
    func `trusts a verification with a session more than one from a known network`(
        isBound: Bool,
        isCaller: Bool
    ) {
        for isNearby in [true, false] {
            let caller = VerificationCaller(isBound: isBound, isCaller: isCaller, isNearby: isNearby)
            let expected: AddressOwnership.Proof =
                switch (isBound, isCaller, isNearby) {
                case (true, _, _), (_, true, _): .inside
                case (false, false, true): .nearby
                case (false, false, false): .outside
                }
            #expect(caller.proof == expected)
        }
    }
}
