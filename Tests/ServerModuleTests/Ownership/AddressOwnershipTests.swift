import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import Testing

@Suite("Rules of address ownership")
struct AddressOwnershipTests {
    private typealias Standing = AddressOwnership.Standing

    /// The columns state whether the account is confirmed, whether the address is proven, and whether another
    /// address is proven, followed by the rule's result for a login.
    private static let entries: [(Bool, Bool, Bool, AddressOwnership.Outcome)] = [
        (true, true, true, .enter),
        (true, true, false, .enter),
        (true, false, true, .refuse),
        (true, false, false, .refuse),
        (false, false, true, .refuse),
        (false, true, true, .reclaim),
        (false, true, false, .reclaim),
        (false, false, false, .reclaim),
    ]

    @Test("decides about a login or a recovery by the proofs of the address", arguments: entries)
    func entry(
        isConfirmed: Bool,
        isProven: Bool,
        hasOtherProven: Bool,
        outcome: AddressOwnership.Outcome
    ) {
        let standing = Standing(
            isConfirmed: isConfirmed,
            isProven: isProven,
            hasOtherProven: hasOtherProven
        )
        #expect(AddressOwnership.outcome(of: .entry, for: standing) == outcome)
    }

    @Test("removes no address when one is verified, whatever the state of the account", arguments: entries)
    func verification(
        isConfirmed: Bool,
        isProven: Bool,
        hasOtherProven: Bool,
        _: AddressOwnership.Outcome
    ) {
        let standing = Standing(
            isConfirmed: isConfirmed,
            isProven: isProven,
            hasOtherProven: hasOtherProven
        )
        #expect(AddressOwnership.outcome(of: .inside, for: standing) == .confirm)
        #expect(AddressOwnership.outcome(of: .nearby, for: standing) == .verify)
        // A verification from outside must not grant more than a login.
        #expect(
            AddressOwnership.outcome(of: .outside, for: standing)
                == (isConfirmed || hasOtherProven ? .show : .verify)
        )
    }
}

@Suite("Allowed changes by proof")
struct SessionEvidenceTests {
    private let mail = ContactAddress(via: .email, value: "user@example.org")
    private let phone = ContactAddress(via: .sms, value: "+46701000001")

    @Test func `a password allows every change`() {
        #expect(SessionEvidence.password.allowsRemoval(of: [mail, phone]))
        #expect(SessionEvidence.password.allowsNewPassword(proven: [mail, phone]))
    }

    @Test func `a code to one address allows only the removal of that address`() {
        let evidence = SessionEvidence.code(mail)
        #expect(evidence.allowsRemoval(of: []))
        #expect(evidence.allowsRemoval(of: [mail]))
        #expect(!evidence.allowsRemoval(of: [phone]))
        #expect(!evidence.allowsNewPassword(proven: [mail, phone]))
    }

    @Test func `codes to two proven addresses allow a new password`() {
        let evidence = SessionEvidence.code(mail).adding(.code(phone))
        #expect(evidence.allowsNewPassword(proven: [mail, phone]))
        #expect(!evidence.allowsNewPassword(proven: [mail]))
    }

    @Test func `a recovery allows a new password, but no removal of another address`() {
        let evidence = SessionEvidence.recovery(mail)
        #expect(evidence.allowsNewPassword(proven: [mail, phone]))
        #expect(!evidence.allowsRemoval(of: [phone]))
        #expect(SessionEvidence.recovery(nil).allowsNewPassword(proven: []))
    }

    @Test func `the proofs of a session survive storage`() {
        let all = SessionEvidence.password.adding(.code(mail)).adding(.recovery(phone))
        for evidence in [SessionEvidence(), .password, .code(mail), .recovery(nil), all] {
            #expect(SessionEvidence(text: evidence.text) == evidence)
        }
        #expect(SessionEvidence(text: "later\npassword") == .password)
    }
}
