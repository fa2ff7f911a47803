import LatchkeyAccounts
import LatchkeyModel
import Testing

@Suite struct `Evidence for the deletion of an account` {
    private static let mail = ContactAddress(via: .email, value: "a@example.org")
    private static let phone = ContactAddress(via: .sms, value: "+4670000001")
    private static let other = ContactAddress(via: .email, value: "b@example.org")

    private static func codes(_ addresses: ContactAddress...) -> SessionEvidence {
        addresses.reduce(SessionEvidence()) { $0.adding(.code($1)) }
    }

    @Test(
        arguments: [
            // The password is always sufficient.
            (.password, [], true, true), (.password, [mail, phone], true, true),
            (SessionEvidence.recovery(mail).adding(.password), [mail], true, true),
            // A code to one address is sufficient only if it is the only credential.
            (codes(mail), [mail], false, true), (codes(mail), [mail], true, false),
            (codes(mail), [mail, phone], false, false), (codes(mail), [mail, phone], true, false),
            // Codes to two proven addresses are sufficient.
            (codes(mail, phone), [mail, phone], true, true),
            (codes(mail, phone), [mail, phone, other], false, true),
            (codes(mail, other), [mail, phone], false, false),
            // A recovery is not sufficient, even with another code to the same address.
            (.recovery(mail), [mail], false, false), (.recovery(nil), [], false, false),
            (SessionEvidence.recovery(mail).adding(.code(mail)), [mail], false, false),
            (SessionEvidence.recovery(mail).adding(.code(phone)), [mail, phone], true, true),
            // No evidence is not sufficient.
            (SessionEvidence(), [], false, false), (codes(mail), [], false, false),
            (SessionEvidence(), [mail], false, false),
        ] as [(SessionEvidence, Set<ContactAddress>, Bool, Bool)]
    )
    func `is sufficient if it covers more than one credential, or the only one`(
        evidence: SessionEvidence,
        proven: Set<ContactAddress>,
        hasPassword: Bool,
        isSufficient: Bool
    ) {
        #expect(evidence.allowsDeletion(proven: proven, hasPassword: hasPassword) == isSufficient)
    }
}
