import LatchkeyModel
import LatchkeyWire
import Testing

@testable import LatchkeyAccounts

/// These tests only use the `Identity` type and no database.
@Suite struct `Identity values` {
    private let schema: IdentitySchema
    private let start = Timestamp(seconds: 1_800_000_000)
    private var later: Timestamp { start + .seconds(60) }

    init() throws {
        schema = try SchemaCatalog(standard: "person").standard
    }

    private func traits(_ email: String, _ phone: String) throws -> Traits {
        try .valid(.object(["email": .string(email), "phone": .string(phone)]), for: schema)
    }

    private func make(verified: Set<String> = []) throws -> Identity {
        Identity(
            schema: schema,
            traits: try traits("a@example.org", "+46701000001"),
            verified: verified,
            at: start,
            random: SystemRandom()
        )
    }

    private func values(_ identity: Identity) -> [String] { identity.verifiable.map(\.address.value) }

    @Test func `Addresses that remain when the traits change keep their state`() throws {
        let old = try make(verified: ["+46701000001"])
        let new = old.with(
            traits: try traits("b@example.org", "+46701000001"),
            schema: schema,
            at: later,
            random: SystemRandom()
        )

        #expect(values(new) == ["b@example.org", "+46701000001"])
        #expect(new.verifiable[0].status == .pending)
        #expect(new.verifiable[0].createdAt == later)
        #expect(new.verifiable[1] == old.verifiable[1])
        #expect(new.identifiers == ["+46701000001", "b@example.org"])
        #expect((new.createdAt, new.updatedAt) == (start, later))
    }

    @Test func `An address that is removed from the traits loses its verification`() throws {
        let old = try make(verified: ["+46701000001"])
        let without = old.with(
            traits: try traits("a@example.org", "+46701000002"),
            schema: schema,
            at: later,
            random: SystemRandom()
        )
        let again = without.with(
            traits: try traits("a@example.org", "+46701000001"),
            schema: schema,
            at: later,
            random: SystemRandom()
        )

        #expect(values(without) == ["a@example.org", "+46701000002"])
        #expect(!again.verifiable[1].isVerified)
        #expect(again.verifiable[1].id != old.verifiable[1].id)
    }

    @Test func `Each address has its own verification status`() throws {
        let sent = try make().marking(address: "a@example.org", as: .sent, at: later)
        #expect(sent.verifiable.map(\.status) == [.sent, .pending])

        let verified = sent.verifying(address: "a@example.org", at: later)
        #expect(verified.verifiable.map(\.status) == [.completed, .pending])
        #expect(verified.verifiable.map(\.verifiedAt) == [later, nil])

        // If the address is verified again, or the message is only marked as sent afterwards, the identity
        // doesn't change.
        let again = verified.verifying(address: "a@example.org", at: later + .seconds(1))
            .marking(address: "a@example.org", as: .sent, at: later + .seconds(1))
        #expect(again == verified)
    }

    @Test func `Setting an identity to the state that it already has changes nothing`() throws {
        let closed = try make().with(state: .inactive, at: later)
        #expect(closed.stateChangedAt == later)
        #expect(closed.record.isActive == false)
        #expect(closed.with(state: .inactive, at: later + .seconds(1)) == closed)
    }

    @Test func `Public metadata and the external id are shown, but metadata_admin isn't`() throws {
        let identity = try make()
            .with(
                publicMetadata: Array(#"{"plan":"gold"}"#.utf8),
                adminMetadata: Array(#""risky""#.utf8),
                at: later
            )
            .with(externalID: "crm-7", at: later)
        let body = String(decoding: identity.record.body, as: UTF8.self)

        #expect(body.contains(#""metadata_public":{"plan":"gold"}"#))
        #expect(body.contains(#""external_id":"crm-7""#))
        #expect(!body.contains("risky"))
    }
}
