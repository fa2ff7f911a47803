import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyWire
import Testing

@testable import LatchkeySelfService

@Suite struct `Decisions about new traits` {
    typealias Facts = ProfileDecision.Facts

    private static let first = ContactAddress(via: .email, value: "ann@example.org")
    private static let second = ContactAddress(via: .sms, value: "+46701000001")
    private static let phone = Form.FieldMessage(field: "traits.phone", message: .phoneNotVerified)

    @Test(
        arguments: [
            (Facts(), [true, false], .save),
            // If a change doesn't affect who can log in, all other facts are ignored.
            (
                Facts(isPrivileged: false, allowsRemoval: false, added: [first], phoneRefusal: phone),
                [true, false], .save
            ),
            (Facts(changesAccess: true), [true, false], .save),
            (
                Facts(
                    changesAccess: true,
                    isPrivileged: false,
                    allowsRemoval: false,
                    added: [first, second],
                    phoneRefusal: phone
                ),
                [true, false], .refresh
            ),
            (
                Facts(
                    changesAccess: true,
                    allowsRemoval: false,
                    added: [first, second],
                    phoneRefusal: phone
                ),
                [true, false], .refuse(.removalNeedsProof)
            ),
            (
                Facts(changesAccess: true, added: [first, second], phoneRefusal: phone), [true],
                .refuse(.severalAddresses)
            ),
            (Facts(changesAccess: true, added: [second], phoneRefusal: phone), [true], .verify(second)),
            (Facts(changesAccess: true, added: [first, second]), [false], .save),
            (Facts(changesAccess: true, added: [first], phoneRefusal: phone), [false], .refuseField(phone)),
            (Facts(changesAccess: true, phoneRefusal: phone), [true, false], .refuseField(phone)),
        ] as [(Facts, [Bool], ProfileDecision)]
    )
    func `Whether a profile can be changed depends on the session and the changed addresses`(
        facts: Facts,
        verifiesFirst: [Bool],
        decision: ProfileDecision
    ) {
        for verifiesFirst in verifiesFirst {
            #expect(ProfileDecision(facts, verifiesFirst: verifiesFirst) == decision)
        }
    }
}
