import LatchkeyAccounts
import LatchkeyModel

extension Identity {
    /// Returns a copy of the identity with a draft's metadata, external id and address verification.
    ///
    /// - Parameters:
    ///   - draft: The draft, whose traits have already been applied to the identity.
    ///   - now: The time of the change.
    ///   - withdraws: Whether to withdraw the verification of all addresses that are unverified in the draft.
    /// - Returns: The changed identity.
    func applying(
        _ draft: IdentityDraft,
        at now: Timestamp,
        withdraws: Bool = false
    ) -> Identity {
        var settled = with(
            publicMetadata: draft.publicMetadata,
            adminMetadata: draft.adminMetadata,
            at: now
        ).with(externalID: draft.externalID, at: now)
        for address in draft.addresses {
            if address.isVerified {
                settled = settled.verifying(address: address.value, at: now)
            } else {
                if withdraws { settled = settled.withdrawing(verificationOf: address.value, at: now) }
                settled = settled.marking(address: address.value, as: address.status, at: now)
            }
        }
        guard draft.vouches else { return settled }
        return settled.verifiable.reduce(settled) { $0.verifying(address: $1.address.value, at: now) }
    }
}

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
