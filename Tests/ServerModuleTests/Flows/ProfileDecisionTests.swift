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

    private static let entrance = Form.FieldMessage(field: "traits.email", message: .lastEntrance)

    /// All rules, and `nil` if users can't verify addresses.
    private static let all: [VerifiedFirstRule?] = [.never, .nonIdentifiers, .always, nil]

    private static func added(
        _ address: ContactAddress,
        identifier: Bool = true,
        claimed: Bool = false,
        needsProof: Bool = false
    ) -> ProfileDecision.AddedAddress {
        ProfileDecision.AddedAddress(
            address: address,
            isIdentifier: identifier,
            isClaimed: claimed,
            needsProof: needsProof
        )
    }

    @Test(
        arguments: [
            (Facts(), all, .save),
            // If a change doesn't affect who can log in, all other facts are ignored.
            (
                Facts(
                    isPrivileged: false,
                    allowsRemoval: false,
                    added: [added(first)],
                    entranceRefusal: entrance,
                    phoneRefusal: phone
                ),
                all, .save
            ),
            (Facts(changesAccess: true), all, .save),
            (
                Facts(
                    changesAccess: true,
                    isPrivileged: false,
                    allowsRemoval: false,
                    added: [added(first), added(second)],
                    entranceRefusal: entrance,
                    phoneRefusal: phone
                ),
                all, .refresh
            ),
            (
                Facts(
                    changesAccess: true,
                    allowsRemoval: false,
                    added: [added(first), added(second)],
                    entranceRefusal: entrance,
                    phoneRefusal: phone
                ),
                all, .refuse(.removalNeedsProof)
            ),
            (
                Facts(
                    changesAccess: true,
                    added: [added(first), added(second)],
                    entranceRefusal: entrance,
                    phoneRefusal: phone
                ),
                all, .refuseField(entrance)
            ),
            (
                Facts(changesAccess: true, added: [added(first), added(second)], phoneRefusal: phone),
                [.always], .refuse(.severalAddresses)
            ),
            (
                Facts(changesAccess: true, added: [added(second)], phoneRefusal: phone),
                [.always], .verify(second)
            ),
            (
                Facts(changesAccess: true, added: [added(second)], canWait: false),
                [.always], .refuse(.traitsTooLarge(maximum: FlowBounds.pendingTraits))
            ),
            (
                Facts(changesAccess: true, added: [added(first), added(second)], canWait: false),
                [.never, .nonIdentifiers, nil], .save
            ),
            (
                Facts(changesAccess: true, added: [added(first), added(second, identifier: false)]),
                [.nonIdentifiers], .verify(second)
            ),
            (
                Facts(changesAccess: true, added: [added(first), added(second, identifier: false)]),
                [.never, nil], .save
            ),
            (
                Facts(changesAccess: true, added: [added(first, claimed: true), added(second)]),
                [.never, .nonIdentifiers], .verify(first)
            ),
            (
                Facts(changesAccess: true, added: [added(first, needsProof: true), added(second)]),
                [.never, .nonIdentifiers], .verify(first)
            ),
            (
                Facts(
                    changesAccess: true,
                    added: [added(first, claimed: true), added(second, claimed: true)]
                ),
                [.never, .nonIdentifiers, .always], .refuse(.severalAddresses)
            ),
            // Without verification, the unique index decides about claimed addresses.
            (Facts(changesAccess: true, added: [added(first, claimed: true)]), [nil], .save),
            (
                Facts(changesAccess: true, added: [added(first)], phoneRefusal: phone),
                [.never, .nonIdentifiers], .refuseField(phone)
            ),
            (Facts(changesAccess: true, phoneRefusal: phone), all, .refuseField(phone)),
        ] as [(Facts, [VerifiedFirstRule?], ProfileDecision)]
    )
    func `Whether a profile can be changed depends on the session and the changed addresses`(
        facts: Facts,
        rules: [VerifiedFirstRule?],
        decision: ProfileDecision
    ) {
        for rule in rules {
            #expect(ProfileDecision(facts, verifiedFirst: rule) == decision, "\(String(describing: rule))")
        }
    }
}
