import LatchkeyWire
import Testing

@testable import LatchkeySelfService

@Suite struct `Decisions about new passwords` {
    typealias Facts = PasswordChangeDecision.Facts
    typealias LateFacts = PasswordChangeDecision.LateFacts

    @Test(
        arguments: [
            (Facts(), .proceed),
            (Facts(hasPassword: true), .proceed),
            // Any privileged session can set the first password.
            (Facts(allowsReplacement: false), .proceed),
            (Facts(hasPassword: true, allowsReplacement: false), .refuse(.passwordNeedsProof)),
            (Facts(isActive: false, hasPassword: true), .end),
            (Facts(isActive: false, hasPassword: true, allowsReplacement: false), .end),
            (Facts(isPrivileged: false, hasPassword: true), .refresh),
            (
                Facts(isPrivileged: false, isActive: false, hasPassword: true, allowsReplacement: false),
                .refresh
            ),
        ] as [(Facts, PasswordChangeDecision)]
    )
    func `Whether a password can be changed depends on the session and the account`(
        facts: Facts,
        decision: PasswordChangeDecision
    ) {
        #expect(PasswordChangeDecision(facts) == decision)
    }

    @Test(
        arguments: [
            (LateFacts(), .proceed),
            (LateFacts(hasSamePassword: false), .refuse(.changedMeanwhile)),
            (LateFacts(isPrivileged: false), .refresh),
            (LateFacts(isPrivileged: false, hasSamePassword: false), .refresh),
            (LateFacts(isOpen: false), .end),
            (LateFacts(isOpen: false, isPrivileged: false, hasSamePassword: false), .end),
        ] as [(LateFacts, PasswordChangeDecision)]
    )
    func `The conditions are checked again after the password has been hashed`(
        facts: LateFacts,
        decision: PasswordChangeDecision
    ) {
        #expect(PasswordChangeDecision(late: facts) == decision)
    }
}
