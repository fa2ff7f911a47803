import LatchkeyAccounts
import Testing

@testable import LatchkeySelfService

@Suite struct `Decision about a login with a password` {
    struct Row: Sendable {
        let verdict: PasswordVerdict
        var isActive = true
        var lacksVerifiedAddress = false
        var rule = VerifiedAddressRule.optional
        let decision: PasswordLoginDecision
    }

    @Test(arguments: [
        Row(verdict: .right(outdated: false), decision: .open(rehashing: false)),
        Row(verdict: .right(outdated: true), decision: .open(rehashing: true)),
        Row(verdict: .wrong, decision: .refuse),
        // A wrong password reveals neither the state of the account nor its addresses.
        Row(verdict: .wrong, isActive: false, decision: .refuse),
        Row(verdict: .wrong, lacksVerifiedAddress: true, rule: .required, decision: .refuse),
        Row(verdict: .wrong, lacksVerifiedAddress: true, rule: .requiredInForm, decision: .refuse),
        Row(verdict: .right(outdated: true), isActive: false, decision: .disabled),
        Row(
            verdict: .right(outdated: false),
            isActive: false,
            lacksVerifiedAddress: true,
            rule: .required,
            decision: .disabled
        ),
        Row(
            verdict: .right(outdated: false),
            lacksVerifiedAddress: true,
            rule: .optional,
            decision: .open(rehashing: false)
        ),
        Row(
            verdict: .right(outdated: true),
            lacksVerifiedAddress: true,
            rule: .required,
            decision: .verify
        ),
        Row(
            verdict: .right(outdated: false),
            lacksVerifiedAddress: true,
            rule: .requiredInForm,
            decision: .refuseUnverified
        ),
        Row(
            verdict: .right(outdated: false),
            rule: .required,
            decision: .open(rehashing: false)
        ),
        Row(
            verdict: .right(outdated: true),
            rule: .requiredInForm,
            decision: .open(rehashing: true)
        ),
    ])
    func `depends on the password, the account and the rule for addresses`(row: Row) {
        let facts = PasswordLoginDecision.Facts(
            verdict: row.verdict,
            isActive: row.isActive,
            lacksVerifiedAddress: row.lacksVerifiedAddress
        )
        #expect(PasswordLoginDecision(facts, rule: row.rule) == row.decision)
    }
}
