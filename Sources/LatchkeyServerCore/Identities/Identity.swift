package import LatchkeyModel

/// An identity with all that belongs to it but its credentials: the whole value, changed by making another one.
///
/// ``IdentityRepository/save(_:replacing:in:)`` takes a change in, unless somebody else was faster.
package struct Identity: Hashable, Sendable {
    /// Whether an identity may be used.
    package enum State: String, Sendable, CaseIterable {
        case active, inactive
    }

    package let id: Identifier
    package private(set) var schemaID: String
    package private(set) var state: State
    package private(set) var stateChangedAt: Timestamp

    /// The traits as JSON, in the order of the schema.
    package private(set) var traits: [UInt8]

    /// What it logs in with, normalized, each once, in their own order.
    package private(set) var identifiers: [String]

    /// The addresses that can be verified, in the order of the schema.
    package private(set) var verifiable: [VerifiableAddress]

    /// The addresses that help in recovery, in the order of the schema.
    package private(set) var recovery: [RecoveryAddress]

    /// What an operator tells everybody who sees the identity; JSON.
    package private(set) var publicMetadata: [UInt8]?

    /// What an operator keeps to themselves; JSON.
    package private(set) var adminMetadata: [UInt8]?

    /// What another system calls the identity.
    package private(set) var externalID: String?

    /// The states of the addresses in the traits; an address without a state is only claimed.
    package private(set) var addressStates: [Traits.Address: AddressState]

    /// When one of the addresses was first proven from inside the account; `nil` for an unconfirmed account.
    package private(set) var confirmedAt: Timestamp?

    /// When the account last went over to the owner of one of its addresses.
    package private(set) var reclaimedAt: Timestamp?

    package let createdAt: Timestamp
    package private(set) var updatedAt: Timestamp

    /// How often it was saved: what a change was based on.
    let version: Int64

    /// Creates an identity; it is confirmed if one of its addresses was verified by the sign-up.
    ///
    /// - Parameters:
    ///   - schema: The schema.
    ///   - traits: The traits.
    ///   - verified: The addresses that the sign-up verified.
    ///   - now: The time of creation.
    ///   - random: The source of randomness.
    package init(
        _ schema: IdentitySchema,
        _ traits: Traits,
        verified: Set<String>,
        at now: Timestamp,
        random: some RandomSource
    ) {
        id = Identifier(random: random)
        schemaID = schema.id
        state = .active
        stateChangedAt = now
        self.traits = traits.json
        identifiers = traits.identifiers.sorted()
        verifiable = traits.verifiable.map { address in
            let new = VerifiableAddress(address, at: now, random: random)
            return verified.contains(address.value) ? new.verified(at: now) : new
        }
        recovery = traits.recovery.map { RecoveryAddress($0, at: now, random: random) }
        let proven = traits.addresses.filter { verified.contains($0.value) }
        addressStates = Dictionary(uniqueKeysWithValues: proven.map { ($0, .proven) })
        confirmedAt = proven.isEmpty ? nil : now
        reclaimedAt = nil
        createdAt = now
        updatedAt = now
        version = 0
    }

    /// Puts together an identity that is kept already.
    init(
        id: Identifier,
        _ columns: IdentityColumns,
        identifiers: [String],
        verifiable: [VerifiableAddress],
        recovery: [RecoveryAddress],
        addressStates: [Traits.Address: AddressState]
    ) {
        self.id = id
        schemaID = columns.schemaID
        state = columns.state
        stateChangedAt = columns.stateChangedAt
        traits = columns.traits
        self.identifiers = identifiers.sorted()
        self.verifiable = verifiable
        self.recovery = recovery
        publicMetadata = columns.publicMetadata
        adminMetadata = columns.adminMetadata
        externalID = columns.externalID
        self.addressStates = addressStates
        confirmedAt = columns.confirmedAt
        reclaimedAt = columns.reclaimedAt
        createdAt = columns.createdAt
        updatedAt = columns.updatedAt
        version = columns.version
    }
}

extension Identity {
    /// The identity with other traits.
    ///
    /// Addresses that stay keep their ids and what is known about them, also that they have no roles any more; new ones
    /// are claimed and wait to be verified.
    package func with(
        traits: Traits,
        schema: IdentitySchema,
        at now: Timestamp,
        random: some RandomSource
    ) -> Identity {
        var changed = self
        changed.schemaID = schema.id
        changed.traits = traits.json
        let kept = traits.addresses
        changed.addressStates = addressStates.filter { kept.contains($0.key) }
        changed.identifiers = traits.identifiers.filter { !isReleased($0) }.sorted()
        changed.verifiable = traits.verifiable.filter { !isReleased($0.value) }.map { address in
            verifiable.first { $0.address == address } ?? VerifiableAddress(address, at: now, random: random)
        }
        changed.recovery = traits.recovery.filter { !isReleased($0.value) }.map { address in
            recovery.first { $0.address == address } ?? RecoveryAddress(address, at: now, random: random)
        }
        changed.updatedAt = now
        return changed
    }

    /// The identity after control of an address was proved; one that was verified before keeps its time.
    package func verifying(address: String, at now: Timestamp) -> Identity {
        changing(address) { $0.isVerified ? $0 : $0.verified(at: now) }
    }

    /// The identity after the verification of an address has come somewhere, short of its end.
    package func marking(address: String, as status: VerifiableAddress.Status, at now: Timestamp) -> Identity
    {
        changing(address) { $0.isVerified || $0.status == status ? $0 : $0.marked(status, at: now) }
    }

    /// The identity without the proof that an address is under control.
    package func withdrawing(verificationOf address: String, at now: Timestamp) -> Identity {
        guard verifiable.contains(where: { $0.address.value == address && $0.isVerified }) else {
            return self
        }
        var changed = changing(address) { $0.unverified(at: now) }
        if let known = Traits.Address(address), addressStates[known] == .proven {
            changed.addressStates[known] = nil
        }
        return changed
    }

    /// The identity opened or closed; one that is so already stays as it is.
    package func with(state: State, at now: Timestamp) -> Identity {
        guard state != self.state else { return self }
        var changed = self
        changed.state = state
        changed.stateChangedAt = now
        changed.updatedAt = now
        return changed
    }

    /// The identity with other metadata.
    ///
    /// - Parameters:
    ///   - publicMetadata: JSON, or nothing.
    ///   - adminMetadata: JSON, or nothing.
    ///   - now: The time.
    /// - Returns: The identity.
    package func with(publicMetadata: [UInt8]?, adminMetadata: [UInt8]?, at now: Timestamp) -> Identity {
        var changed = self
        changed.publicMetadata = publicMetadata
        changed.adminMetadata = adminMetadata
        changed.updatedAt = now
        return changed
    }

    /// The identity with another name in another system.
    package func with(externalID: String?, at now: Timestamp) -> Identity {
        var changed = self
        changed.externalID = externalID
        changed.updatedAt = now
        return changed
    }

    func with(states: [Traits.Address: AddressState]) -> Identity {
        var changed = self
        changed.addressStates.merge(states) { _, new in new }
        return changed
    }

    /// The identity with its proven addresses as mere claims.
    func withoutProofs() -> Identity {
        var changed = self
        changed.addressStates = addressStates.filter { $0.value != .proven }
        return changed
    }

    func with(confirmedAt: Timestamp) -> Identity {
        var changed = self
        changed.confirmedAt = confirmedAt
        return changed
    }

    func with(reclaimedAt: Timestamp) -> Identity {
        var changed = self
        changed.reclaimedAt = reclaimedAt
        return changed
    }

    /// The identity without identifiers, verifiable and recovery addresses of these values; the traits stay.
    func withoutRoles(of addresses: Set<Traits.Address>, at now: Timestamp) -> Identity {
        let values = Set(addresses.map(\.value))
        var changed = self
        changed.identifiers.removeAll { values.contains($0) }
        changed.verifiable.removeAll { values.contains($0.address.value) }
        changed.recovery.removeAll { values.contains($0.address.value) }
        changed.updatedAt = now
        return changed
    }

    private func isReleased(_ value: String) -> Bool {
        Traits.Address(value).map { addressStates[$0] == .released } ?? false
    }

    private func changing(_ address: String, _ change: (VerifiableAddress) -> VerifiableAddress) -> Identity {
        var changed = self
        changed.verifiable = verifiable.map { $0.address.value == address ? change($0) : $0 }
        return changed
    }
}
