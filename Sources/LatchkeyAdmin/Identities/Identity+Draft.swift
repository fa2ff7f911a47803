import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

extension Identity {
    /// Returns a copy of the identity with a draft's metadata, external id and address verification.
    ///
    /// - Parameters:
    ///   - draft: The draft, whose traits have already been applied to the identity.
    ///   - isNew: Whether the identity is being created. The draft's addresses may then have the ids and times
    ///     of another identity server, which are ignored.
    ///   - now: The time of the change.
    /// - Returns: The changed identity.
    /// - Throws: ``ServerError`` with status 400 if a member of an address can't be applied.
    func applying(
        _ draft: IdentityDraft,
        isNew: Bool = false,
        at now: Timestamp
    ) throws(ServerError) -> Identity {
        var settled = with(
            publicMetadata: draft.publicMetadata,
            adminMetadata: draft.adminMetadata,
            at: now
        ).with(externalID: draft.externalID, at: now)
        for address in draft.verifiable {
            let stored = try address.stored(in: verifiable, kind: "verifiable", isNew: isNew)
            settled = try settled.applying(address, to: stored, at: now)
        }
        for address in draft.recovery {
            _ = try address.stored(in: recovery, kind: "recovery", isNew: isNew)
        }
        guard draft.vouches else { return settled }
        return settled.verifiable.reduce(settled) { $0.verifying(address: $1.address.value, at: now) }
    }

    private func applying(
        _ address: DraftedAddress,
        to stored: VerifiableAddress,
        at now: Timestamp
    ) throws(ServerError) -> Identity {
        var changed = self
        switch try address.verification(of: stored) {
        case true?: changed = changed.verifying(address: address.value, since: address.verifiedAt, at: now)
        case false?: changed = changed.withdrawing(verificationOf: address.value, at: now)
        case nil:
            if address.verifiedAt != nil {
                changed = changed.verifying(address: address.value, since: address.verifiedAt, at: now)
            }
        }
        guard let status = address.status else { return changed }
        return changed.marking(address: address.value, as: status, at: now)
    }

    /// Returns the addresses that the identity had verified before a change and that are no longer verified.
    func withdrawnAddresses(since old: Identity) -> Set<ContactAddress> {
        let verified = Set(verifiable.filter(\.isVerified).map(\.address))
        return Set(old.verifiable.filter(\.isVerified).map(\.address)).subtracting(verified)
    }
}

/// The members that all addresses of an identity have.
protocol StoredAddress {
    var id: Identifier { get }
    var address: ContactAddress { get }
    var createdAt: Timestamp { get }
    var updatedAt: Timestamp { get }
}

extension Identity.VerifiableAddress: StoredAddress {}
extension Identity.RecoveryAddress: StoredAddress {}

extension AuditAction {
    /// Returns the audit log actions for a change.
    ///
    /// If an operator vouches for an address that the identity already had, the address is recorded as
    /// verified. Vouching for a new address is part of changing the traits, so only that change is recorded.
    /// If a change only updates the status of addresses or withdraws a verification, the result is empty.
    static func changes(from old: Identity, to new: Identity) -> [AuditAction] {
        var actions: [AuditAction] = []
        if old.traits != new.traits || old.schemaID != new.schemaID { actions.append(.traitsChanged) }
        if old.region != new.region { actions.append(.regionChanged) }
        if old.publicMetadata != new.publicMetadata || old.adminMetadata != new.adminMetadata
            || old.externalID != new.externalID
        {
            actions.append(.metadataChanged)
        }
        let verified = Set(old.verifiable.filter(\.isVerified).map(\.id))
        let claimed = old.addresses.subtracting(old.provenAddresses)
        if new.verifiable.contains(where: { $0.isVerified && !verified.contains($0.id) })
            || !claimed.isDisjoint(with: new.provenAddresses)
        {
            actions.append(.addressVerified)
        }
        if old.state != new.state { actions.append(new.state == .active ? .enabled : .disabled) }
        return actions
    }
}
