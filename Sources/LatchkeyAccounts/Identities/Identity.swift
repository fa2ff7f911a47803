package import LatchkeyModel

/// An identity with its addresses and metadata, but without its credentials.
///
/// The value is immutable: a change returns a new value, and ``IdentityRepository/save(_:replacing:in:)``
/// stores it unless another transaction has changed the identity (optimistic locking with ``version``).
package struct Identity: Hashable, Sendable {
    /// Whether an identity is active; the user of an inactive identity cannot log in.
    ///
    /// A stored state that this version does not know is read as `inactive`.
    package enum State: String, Sendable, CaseIterable {
        case active, inactive
    }

    /// The random id, which never changes and is never reused.
    package let id: Identifier
    /// The id of the schema against which the traits were validated.
    package private(set) var schemaID: String
    /// Whether the identity is active.
    package private(set) var state: State
    /// The time of the last change of ``state``; initially the time of creation.
    package private(set) var stateChangedAt: Timestamp

    /// The traits as JSON, in the order of the schema.
    package private(set) var traits: [UInt8]

    /// The normalized login identifiers, without duplicates, in alphabetical order.
    package private(set) var identifiers: [String]

    /// The addresses that can be verified, in the order of the schema.
    package private(set) var verifiable: [VerifiableAddress]

    /// The addresses to which recovery codes can be sent, in the order of the schema.
    package private(set) var recovery: [RecoveryAddress]

    /// The metadata that the operator set and the user can read, as JSON; `nil` if there is none.
    package private(set) var publicMetadata: [UInt8]?

    /// The metadata that the operator set and that only the admin API returns, as JSON; `nil` if there is
    /// none.
    package private(set) var adminMetadata: [UInt8]?

    /// The id of the identity in another system, which no other identity may have; `nil` if there is none.
    package private(set) var externalID: String?

    /// The states of the addresses in the traits; an address that is not listed is claimed but not proven.
    package private(set) var addressStates: [ContactAddress: AddressState]

    /// The time at which an address was first proven from inside the account
    /// (``AddressOwnership/Proof/inside``); `nil` for an unconfirmed account.
    package private(set) var confirmedAt: Timestamp?

    /// The time of the last takeover of the account by the owner of one of its addresses; `nil` if there was
    /// none.
    package private(set) var reclaimedAt: Timestamp?

    /// The time from which the account is erased because its owner has deleted it; `nil` if it was not deleted.
    ///
    /// A login before the erasure cancels the deletion. The deletion does not affect ``state``, which belongs to
    /// the operator.
    package private(set) var deletionAt: Timestamp?

    /// The time at which the identity was registered, imported or created by the operator.
    package let createdAt: Timestamp
    /// The time of the last change of traits, state, metadata or address roles.
    package private(set) var updatedAt: Timestamp

    /// The number of times that the identity has been saved.
    ///
    /// Each save compares the number with the stored one to detect concurrent changes.
    let version: Int64

    /// Creates an identity with a random id.
    ///
    /// The identity is confirmed if the sign-up verified one of its addresses.
    ///
    /// - Parameters:
    ///   - schema: The schema that the traits were validated against.
    ///   - traits: The validated traits, from which identifiers and addresses are derived.
    ///   - verified: The values of the addresses that the sign-up verified, which are proven from the start.
    ///   - now: The time of creation.
    ///   - random: The random source for the ids of the identity and its addresses.
    package init(
        schema: IdentitySchema,
        traits: Traits,
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
        deletionAt = nil
        createdAt = now
        updatedAt = now
        version = 0
    }

    /// Restores an identity from its stored properties.
    init(
        id: Identifier,
        _ columns: IdentityColumns,
        identifiers: [String],
        verifiable: [VerifiableAddress],
        recovery: [RecoveryAddress],
        addressStates: [ContactAddress: AddressState]
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
        deletionAt = columns.deletionAt
        createdAt = columns.createdAt
        updatedAt = columns.updatedAt
        version = columns.version
    }
}

extension Identity {
    /// Returns the identity with new traits.
    ///
    /// Addresses that are in both the old and the new traits retain their ids, verification and state; a
    /// released address does not regain its roles. New addresses are claimed and unverified.
    ///
    /// - Parameters:
    ///   - traits: The validated traits.
    ///   - schema: The schema that the traits were validated against, which becomes the schema of the
    ///     identity.
    ///   - now: The time of the change.
    ///   - random: The random source for the ids of new addresses.
    /// - Returns: The changed identity.
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

    /// Returns the identity with an address marked as verified.
    ///
    /// An address that was already verified keeps its time of verification.
    ///
    /// - Parameters:
    ///   - address: The normalized value; a value that is not a verifiable address has no effect.
    ///   - now: The time of the verification.
    /// - Returns: The changed identity; verification alone does not make the address proven.
    package func verifying(address: String, at now: Timestamp) -> Identity {
        changing(address) { $0.isVerified ? $0 : $0.verified(at: now) }
    }

    /// Returns the identity with a new verification status for an unverified address.
    ///
    /// The status of a verified address does not change.
    ///
    /// - Parameters:
    ///   - address: The normalized value; a value that is not a verifiable address has no effect.
    ///   - status: The new status, such as `sent` after a code was sent.
    ///   - now: The time of the change.
    /// - Returns: The changed identity.
    package func marking(address: String, as status: VerifiableAddress.Status, at now: Timestamp) -> Identity
    {
        changing(address) { $0.isVerified || $0.status == status ? $0 : $0.marked(status, at: now) }
    }

    /// Returns the identity with the verification of an address withdrawn.
    ///
    /// An address that was proven is then only claimed.
    ///
    /// The address remains an identifier and a recovery address. A value that is not a verified address has
    /// no effect.
    package func withdrawing(verificationOf address: String, at now: Timestamp) -> Identity {
        guard verifiable.contains(where: { $0.address.value == address && $0.isVerified }) else {
            return self
        }
        var changed = changing(address) { $0.unverified(at: now) }
        if let known = ContactAddress(address), addressStates[known] == .proven {
            changed.addressStates[known] = nil
        }
        return changed
    }

    /// Returns the identity in a new state, or unchanged if it is already in that state.
    ///
    /// The caller must revoke the sessions of a deactivated identity.
    package func with(state: State, at now: Timestamp) -> Identity {
        guard state != self.state else { return self }
        var changed = self
        changed.state = state
        changed.stateChangedAt = now
        changed.updatedAt = now
        return changed
    }

    /// Returns the identity with new metadata.
    ///
    /// - Parameters:
    ///   - publicMetadata: The new public metadata as JSON; `nil` removes it.
    ///   - adminMetadata: The new admin metadata as JSON; `nil` removes it.
    ///   - now: The time of the change.
    /// - Returns: The changed identity.
    package func with(publicMetadata: [UInt8]?, adminMetadata: [UInt8]?, at now: Timestamp) -> Identity {
        var changed = self
        changed.publicMetadata = publicMetadata
        changed.adminMetadata = adminMetadata
        changed.updatedAt = now
        return changed
    }

    /// Returns the identity with a new external id; `nil` removes it.
    ///
    /// Saving the result throws ``IdentityRepository/Duplicate`` if another identity has the same external
    /// id.
    package func with(externalID: String?, at now: Timestamp) -> Identity {
        var changed = self
        changed.externalID = externalID
        changed.updatedAt = now
        return changed
    }

    /// Returns the identity with the states of some addresses replaced; other addresses retain their states.
    ///
    /// ``updatedAt`` does not change.
    func with(states: [ContactAddress: AddressState]) -> Identity {
        var changed = self
        changed.addressStates.merge(states) { _, new in new }
        return changed
    }

    /// Returns the identity with its proven addresses changed to claimed ones; released addresses remain
    /// released.
    func withoutProofs() -> Identity {
        var changed = self
        changed.addressStates = addressStates.filter { $0.value != .proven }
        return changed
    }

    /// Returns the identity with a different time of confirmation; ``updatedAt`` does not change.
    func with(confirmedAt: Timestamp) -> Identity {
        var changed = self
        changed.confirmedAt = confirmedAt
        return changed
    }

    /// Returns the identity with a different time of its last takeover; ``updatedAt`` does not change.
    func with(reclaimedAt: Timestamp) -> Identity {
        var changed = self
        changed.reclaimedAt = reclaimedAt
        return changed
    }

    /// Returns the identity with the time of its erasure; ``updatedAt`` does not change.
    func with(deletionAt: Timestamp) -> Identity {
        var changed = self
        changed.deletionAt = deletionAt
        return changed
    }

    /// Returns the identity with the given addresses removed from its identifiers, verifiable addresses and
    /// recovery addresses.
    ///
    /// The addresses remain in the traits.
    func withoutRoles(of addresses: Set<ContactAddress>, at now: Timestamp) -> Identity {
        let values = Set(addresses.map(\.value))
        var changed = self
        changed.identifiers.removeAll { values.contains($0) }
        changed.verifiable.removeAll { values.contains($0.address.value) }
        changed.recovery.removeAll { values.contains($0.address.value) }
        changed.updatedAt = now
        return changed
    }

    /// Returns whether a value is a released address; `false` for an identifier that is not an address.
    private func isReleased(_ value: String) -> Bool {
        ContactAddress(value).map { addressStates[$0] == .released } ?? false
    }

    /// Returns the identity with a change applied to the verifiable address with a given value.
    ///
    /// If there is no such address, the identity is returned unchanged.
    private func changing(_ address: String, by change: (VerifiableAddress) -> VerifiableAddress) -> Identity
    {
        var changed = self
        changed.verifiable = verifiable.map { $0.address.value == address ? change($0) : $0 }
        return changed
    }
}
