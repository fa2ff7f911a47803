import LatchkeyAccounts
import LatchkeyModel
import Testing

@Suite struct `Evidence required to delete an account` {
    private static let mail = ContactAddress(via: .email, value: "a@example.org")
    private static let phone = ContactAddress(via: .sms, value: "+4670000001")
    private static let other = ContactAddress(via: .email, value: "b@example.org")

    private static func codes(_ addresses: ContactAddress...) -> SessionEvidence {
        addresses.reduce(SessionEvidence()) { $0.adding(.code($1)) }
    }

    @Test(
        arguments: [
            // A password is always enough to delete the account.
            (.password, [], true, true), (.password, [mail, phone], true, true),
            (SessionEvidence.recovery(mail).adding(.password), [mail], true, true),
            // A code that was sent to one address is only enough if the account has no other credential.
            (codes(mail), [mail], false, true), (codes(mail), [mail], true, false),
            (codes(mail), [mail, phone], false, false), (codes(mail), [mail, phone], true, false),
            // Codes that were sent to two verified addresses are enough.
            (codes(mail, phone), [mail, phone], true, true),
            (codes(mail, phone), [mail, phone, other], false, true),
            (codes(mail, other), [mail, phone], false, false),
            // A recovery isn't enough on its own, not even with a login code that was sent to the same
            // address.
            (.recovery(mail), [mail], false, false), (.recovery(nil), [], false, false),
            (SessionEvidence.recovery(mail).adding(.code(mail)), [mail], false, false),
            (SessionEvidence.recovery(mail).adding(.code(phone)), [mail, phone], true, true),
            // Without any evidence, an account can't be deleted.
            (SessionEvidence(), [], false, false), (codes(mail), [], false, false),
            (SessionEvidence(), [mail], false, false),
        ] as [(SessionEvidence, Set<ContactAddress>, Bool, Bool)]
    )
    func `Deleting an account requires evidence of more than one credential, unless the account has only one`(
        evidence: SessionEvidence,
        proven: Set<ContactAddress>,
        hasPassword: Bool,
        isSufficient: Bool
    ) {
        #expect(evidence.allowsDeletion(proven: proven, hasPassword: hasPassword) == isSufficient)
    }
}
