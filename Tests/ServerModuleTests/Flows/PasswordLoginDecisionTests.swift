import Testing

@testable import LatchkeySelfService

@Suite struct `Decisions about logins with the correct password` {
    struct Row: Sendable {
        let isOutdated: Bool
        var isActive = true
        var lacksVerifiedAddress = false
        var rule = VerifiedAddressRule.optional
        let decision: PasswordLoginDecision
    }

    @Test(arguments: [
        Row(isOutdated: false, decision: .open(rehashing: false)),
        Row(isOutdated: true, decision: .open(rehashing: true)),
        Row(isOutdated: true, isActive: false, decision: .disabled),
        Row(
            isOutdated: false,
            isActive: false,
            lacksVerifiedAddress: true,
            rule: .required,
            decision: .disabled
        ),
        Row(
            isOutdated: false,
            lacksVerifiedAddress: true,
            rule: .optional,
            decision: .open(rehashing: false)
        ),
        Row(
            isOutdated: true,
            lacksVerifiedAddress: true,
            rule: .required,
            decision: .verify
        ),
        Row(
            isOutdated: false,
            lacksVerifiedAddress: true,
            rule: .requiredInForm,
            decision: .refuseUnverified
        ),
        Row(
            isOutdated: false,
            rule: .required,
            decision: .open(rehashing: false)
        ),
        Row(
            isOutdated: true,
            rule: .requiredInForm,
            decision: .open(rehashing: true)
        ),
    ])
    func `Whether a password login succeeds depends on the account and the rule for verified addresses`(
        row: Row
    ) {
        let facts = PasswordLoginDecision.Facts(
            isOutdated: row.isOutdated,
            isActive: row.isActive,
            lacksVerifiedAddress: row.lacksVerifiedAddress
        )
        #expect(PasswordLoginDecision(facts, rule: row.rule) == row.decision)
    }
}
