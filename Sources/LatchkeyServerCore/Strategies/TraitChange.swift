import LatchkeyModel
import LatchkeyWire

/// Keeps other traits in the place of an identity's, and tells those whom it concerns.
struct TraitChange: Sendable {
    private let context: ServerContext
    private let courier: Courier

    init(_ context: ServerContext, courier: Courier) {
        self.context = context
        self.courier = courier
    }

    /// Keeps a changed identity, with a note in the audit log; verified addresses that go are written to.
    ///
    /// - Returns: How many messages there are to send; ``wake()`` follows the transaction.
    /// - Throws: What ``IdentityRepository/save(_:replacing:in:)`` throws.
    func save(
        _ new: Identity,
        replacing old: Identity,
        for exchange: Exchange,
        in transaction: borrowing Transaction
    ) throws -> Int {
        try IdentityRepository.save(new, replacing: old, in: transaction)
        guard new.traits != old.traits else { return 0 }
        let event = AuditEvent(
            .traitsChanged,
            of: new.id,
            by: .person,
            in: exchange,
            at: exchange.now,
            random: context.random
        )
        try AuditLog.append(event, in: transaction)
        return try tellOldAddresses(of: old, new, exchange, in: transaction)
    }

    /// Makes a change whose new address has just been verified.
    ///
    /// - Returns: How many messages there are to send; nothing when the change has lost its ground: its session is over, or
    ///   the account is another by now.
    /// - Throws: What ``IdentityRepository/save(_:replacing:in:)`` throws.
    func make(
        _ change: PendingChange,
        of identity: Identifier,
        for exchange: Exchange,
        in transaction: borrowing Transaction
    ) throws -> Int? {
        let now = exchange.now
        guard
            try SessionRepository.hold(change.session, of: identity, at: now, in: transaction),
            let old = try IdentityRepository.load(identity, in: transaction), old.state == .active,
            let schema = context.schemas[old.schemaID],
            let traits = change.traits(of: old, schema)
        else { return nil }
        let new = old.with(traits: traits, schema: schema, at: now, random: context.random)
            .verifying(address: change.address.value, at: now)
        return try save(new, replacing: old, for: exchange, in: transaction)
    }

    /// Has the messages sent.
    func wake() {
        courier.wake()
    }

    private func tellOldAddresses(
        of old: Identity,
        _ new: Identity,
        _ exchange: Exchange,
        in transaction: borrowing Transaction
    ) throws -> Int {
        let gone = old.verifiable.filter { address in
            address.isVerified && !new.verifiable.contains { $0.address == address.address }
        }
        for address in gone {
            let message = context.messages.message(
                .addressChanged,
                to: address.address,
                language: context.settings.language(for: exchange.request.headers["Accept-Language"]),
                at: exchange.now,
                random: context.random
            )
            try courier.enqueue(message, in: transaction)
        }
        return gone.count
    }
}
