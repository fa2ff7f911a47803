import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import Testing

@Suite("Rules for address ownership")
struct AddressOwnershipTests {
    private typealias Standing = AddressOwnership.Standing

    /// The possible states of an account and its address, each with the expected outcome of a login.
    ///
    /// The first three values say whether the account is confirmed, whether the address is verified, and
    /// whether any other address is verified.
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

    @Test(
        "The outcome of a login or recovery depends on which addresses have been verified",
        arguments: entries
    )
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

    @Test("Verifying an address never removes other addresses", arguments: entries)
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
        // A verification without a session must not grant more access than a login does.
        #expect(
            AddressOwnership.outcome(of: .outside, for: standing)
                == (isConfirmed || hasOtherProven ? .show : .verify)
        )
    }
}

@Suite("Changes allowed by a session's evidence")
struct SessionEvidenceTests {
    private let mail = ContactAddress(via: .email, value: "user@example.org")
    private let phone = ContactAddress(via: .sms, value: "+46701000001")

    @Test func `Users who logged in with their password can make any change`() {
        #expect(SessionEvidence.password.allowsRemoval(of: [mail, phone]))
        #expect(SessionEvidence.password.allowsNewPassword(proven: [mail, phone]))
    }

    @Test func `Users who logged in with a code sent to one address can only remove that address`() {
        let evidence = SessionEvidence.code(mail)
        #expect(evidence.allowsRemoval(of: []))
        #expect(evidence.allowsRemoval(of: [mail]))
        #expect(!evidence.allowsRemoval(of: [phone]))
        #expect(!evidence.allowsNewPassword(proven: [mail, phone]))
    }

    @Test func `Entering the codes for both verified addresses is enough to set a new password`() {
        let evidence = SessionEvidence.code(mail).adding(.code(phone))
        #expect(evidence.allowsNewPassword(proven: [mail, phone]))
        #expect(!evidence.allowsNewPassword(proven: [mail]))
    }

    @Test func `After a recovery, users can set a new password but not remove other addresses`() {
        let evidence = SessionEvidence.recovery(mail)
        #expect(evidence.allowsNewPassword(proven: [mail, phone]))
        #expect(!evidence.allowsRemoval(of: [phone]))
        #expect(SessionEvidence.recovery(nil).allowsNewPassword(proven: []))
    }

    @Test func `A session's evidence can be stored and loaded`() {
        let all = SessionEvidence.password.adding(.code(mail)).adding(.recovery(phone))
        for evidence in [SessionEvidence(), .password, .code(mail), .recovery(nil), all] {
            #expect(SessionEvidence(text: evidence.text) == evidence)
        }
        // A later version may have methods that this one doesn't have.
        let later = SessionEvidence(text: "later\npassword")
        #expect(later.hasPassword && !later.isRecovery && later.addresses.isEmpty)
        #expect(SessionEvidence(text: later.text) == later)
    }
}
