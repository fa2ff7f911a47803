package import LatchkeyModel

/// An identity with its addresses and metadata, but without its credentials.
///
/// Identities are immutable: methods that change an identity return a new value.
/// ``IdentityRepository/save(_:replacing:in:)`` stores that value unless another transaction has changed the
/// identity in the meantime (optimistic locking with ``version``).
package struct Identity: Hashable, Sendable {
    /// Whether an identity is active.
    ///
    /// Users can't log in to inactive identities.
    ///
    /// A stored state that this version of the server doesn't know is read as `inactive`.
    package enum State: String, Sendable, CaseIterable {
        case active, inactive
    }

    /// The identity's random id, which never changes and is never reused.
    package let id: Identifier
    /// The id of the schema that the traits were validated against.
    package private(set) var schemaID: String
    /// Whether the identity is active.
    package private(set) var state: State
    /// When ``state`` last changed.
    ///
    /// The initial value is the creation date.
    package private(set) var stateChangedAt: Timestamp

    /// The traits as JSON, with members in the order of the schema.
    package private(set) var traits: [UInt8]

    /// The normalized login identifiers in alphabetical order, without duplicates.
    package private(set) var identifiers: [String]

    /// The addresses that can be verified, in the order of the schema.
    package private(set) var verifiable: [VerifiableAddress]

    /// The addresses to which recovery codes can be sent, in the order of the schema.
    package private(set) var recovery: [RecoveryAddress]

    /// The metadata set by the operator that the user can read, as JSON, or `nil` if there is none.
    package private(set) var publicMetadata: [UInt8]?

    /// The metadata set by the operator that only the admin API returns, as JSON, or `nil` if there is none.
    package private(set) var adminMetadata: [UInt8]?

    /// The identity's id in another system, or `nil` if it has none.
    ///
    /// No two identities can have the same external id.
    package private(set) var externalID: String?

    /// The ownership state of each address in the traits.
    ///
    /// An address that isn't in the dictionary is claimed, but not proven.
    package private(set) var addressStates: [ContactAddress: AddressState]

    /// When an address was first proven from inside the account (``AddressOwnership/Proof/inside``), or `nil`
    /// if the account isn't confirmed.
    package private(set) var confirmedAt: Timestamp?

    /// When the account was last taken over by the owner of one of its addresses, or `nil` if it never was.
    package private(set) var reclaimedAt: Timestamp?

    /// The names of the form fields that may be missing even if the schema requires them.
    ///
    /// The rules of address ownership have removed their values, and the user hasn't entered new ones yet.
    package private(set) var waivedFields: Set<String>

    /// When the account will be erased because its owner has deleted it, or `nil` if it wasn't deleted.
    ///
    /// Logging in before this time cancels the deletion. Deleting an account doesn't affect ``state``, which
    /// only operators can change.
    package private(set) var deletionAt: Timestamp?

    /// When the identity was registered, imported or created by an operator.
    package let createdAt: Timestamp
    /// When the traits, state, metadata or address roles last changed.
    package private(set) var updatedAt: Timestamp

    /// The number of times that the identity has been saved.
    ///
    /// Each save compares this number with the stored one to detect concurrent changes.
    let version: Int64

    /// Creates an identity with a random id.
    ///
    /// If one of the addresses was verified during sign-up, the identity is confirmed.
    ///
    /// - Parameters:
    ///   - schema: The schema that the traits were validated against.
    ///   - traits: The validated traits, which contain the identifiers and addresses.
    ///   - verified: The values of the addresses that were verified during sign-up. These addresses are
    ///     stored as proven.
    ///   - now: The creation date.
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
        waivedFields = []
        deletionAt = nil
        createdAt = now
        updatedAt = now
        version = 0
    }

    /// Recreates an identity from its stored properties.
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
        waivedFields = columns.waivedFields
        deletionAt = columns.deletionAt
        createdAt = columns.createdAt
        updatedAt = columns.updatedAt
        version = columns.version
    }
}

extension Identity {
    /// Returns the identity with new traits.
    ///
    /// Addresses that are in both the old and the new traits keep their ids, verification and ownership
    /// state. Released addresses still can't be used for login, verification or recovery. New addresses are
    /// claimed and unverified.
    ///
    /// - Parameters:
    ///   - traits: The validated traits.
    ///   - schema: The schema that the traits were validated against. This schema becomes the identity's
    ///     schema.
    ///   - now: The time of the change.
    ///   - random: The source of randomness for the ids of new addresses.
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
        changed.waivedFields = waivedFields(after: traits, by: schema)
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
    /// If the address was already verified, its verification date only changes if `date` is given.
    ///
    /// - Parameters:
    ///   - address: The normalized value of the address. If the identity doesn't have this verifiable
    ///     address, the identity is returned unchanged.
    ///   - date: The verification date, or `nil` if it is the time of the change.
    ///   - now: The time of the change.
    /// - Returns: The changed identity. Verifying an address doesn't make it proven.
    package func verifying(
        address: String,
        since date: Timestamp? = nil,
        at now: Timestamp
    ) -> Identity {
        changing(address) { address in
            let isUnchanged = date.map { $0 == address.verifiedAt } ?? address.isVerified
            return isUnchanged ? address : address.verified(since: date, at: now)
        }
    }

    /// Returns the identity with a new verification status for an unverified address.
    ///
    /// The status of a verified address doesn't change.
    ///
    /// - Parameters:
    ///   - address: The normalized value of the address. If the identity doesn't have this verifiable
    ///     address, the identity is returned unchanged.
    ///   - status: The new status, such as `sent` after a code was sent.
    ///   - now: The time of the change.
    /// - Returns: The changed identity.
    package func marking(address: String, as status: VerifiableAddress.Status, at now: Timestamp) -> Identity
    {
        changing(address) { $0.isVerified || $0.status == status ? $0 : $0.marked(status, at: now) }
    }

    /// Returns a copy of the identity in which the given address is not verified.
    ///
    /// If the address was proven, it is now only claimed. The address can still be used as an identifier and
    /// as a recovery address. If the value isn't a verified address, the identity is returned unchanged.
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

    /// Returns the identity with a new state, or unchanged if it already has that state.
    ///
    /// When deactivating an identity, the caller must also revoke its sessions.
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
    ///   - publicMetadata: The new public metadata as JSON, or `nil` to remove it.
    ///   - adminMetadata: The new admin metadata as JSON, or `nil` to remove it.
    ///   - now: The time of the change.
    /// - Returns: The changed identity.
    package func with(publicMetadata: [UInt8]?, adminMetadata: [UInt8]?, at now: Timestamp) -> Identity {
        var changed = self
        changed.publicMetadata = publicMetadata
        changed.adminMetadata = adminMetadata
        changed.updatedAt = now
        return changed
    }

    /// Returns the identity with a new external id, or without one if `externalID` is `nil`.
    ///
    /// Saving the identity throws ``IdentityRepository/Duplicate`` if another identity has the same external
    /// id.
    package func with(externalID: String?, at now: Timestamp) -> Identity {
        var changed = self
        changed.externalID = externalID
        changed.updatedAt = now
        return changed
    }

    /// Returns a copy of the identity in which the given addresses have new ownership states.
    ///
    /// Other addresses keep their state.
    ///
    /// ``updatedAt`` doesn't change.
    func with(states: [ContactAddress: AddressState]) -> Identity {
        var changed = self
        changed.addressStates.merge(states) { _, new in new }
        return changed
    }

    /// Returns a copy of the identity in which all proven addresses are only claimed.
    ///
    /// Released addresses remain released.
    func withoutProofs() -> Identity {
        var changed = self
        changed.addressStates = addressStates.filter { $0.value != .proven }
        return changed
    }

    /// Returns a copy of the identity with the given confirmation date.
    ///
    /// ``updatedAt`` doesn't change.
    func with(confirmedAt: Timestamp) -> Identity {
        var changed = self
        changed.confirmedAt = confirmedAt
        return changed
    }

    /// Returns a copy of the identity in which additional fields may be missing.
    ///
    /// ``updatedAt`` doesn't change.
    func waiving(_ fields: Set<String>) -> Identity {
        var changed = self
        changed.waivedFields.formUnion(fields)
        return changed
    }

    /// Returns a copy of the identity without anything that its earlier user has entered, except for one
    /// address and the region that follows from it.
    ///
    /// The public metadata is removed too. The operator's own data, which are the admin metadata and the
    /// external id, are kept.
    func withoutPerson(
        except address: ContactAddress,
        schema: IdentitySchema?,
        at now: Timestamp
    ) -> Identity {
        var changed = self
        changed.traits = traits(keeping: address, by: schema)
        changed.identifiers = identifiers.filter { $0 == address.value }
        changed.verifiable = verifiable.filter { $0.address == address }
        changed.recovery = recovery.filter { $0.address == address }
        changed.addressStates = addressStates.filter { $0.key == address }
        changed.publicMetadata = nil
        changed.updatedAt = now
        return changed
    }

    /// Returns the identity with a new date for its last takeover.
    ///
    /// ``updatedAt`` doesn't change.
    func with(reclaimedAt: Timestamp) -> Identity {
        var changed = self
        changed.reclaimedAt = reclaimedAt
        return changed
    }

    /// Returns the identity with the date when it will be erased.
    ///
    /// ``updatedAt`` doesn't change.
    func with(deletionAt: Timestamp) -> Identity {
        var changed = self
        changed.deletionAt = deletionAt
        return changed
    }

    /// Removes the given addresses from the identifiers, verifiable addresses and recovery addresses, and
    /// returns the changed identity.
    ///
    /// The addresses stay in the traits.
    func withoutRoles(of addresses: Set<ContactAddress>, at now: Timestamp) -> Identity {
        let values = Set(addresses.map(\.value))
        var changed = self
        changed.identifiers.removeAll { values.contains($0) }
        changed.verifiable.removeAll { values.contains($0.address.value) }
        changed.recovery.removeAll { values.contains($0.address.value) }
        changed.updatedAt = now
        return changed
    }

    /// Returns whether a value is a released address.
    ///
    /// Returns `false` if the value isn't an address.
    func isReleased(_ value: String) -> Bool {
        ContactAddress(value).map { addressStates[$0] == .released } ?? false
    }

    /// Returns a copy of the identity in which a closure has changed one of the verifiable addresses.
    ///
    /// If there is no verifiable address with the given value, the identity is returned unchanged.
    private func changing(_ address: String, by change: (VerifiableAddress) -> VerifiableAddress) -> Identity
    {
        var changed = self
        changed.verifiable = verifiable.map { $0.address.value == address ? change($0) : $0 }
        return changed
    }
}
