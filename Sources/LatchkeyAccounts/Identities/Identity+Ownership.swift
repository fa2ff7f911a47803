package import LatchkeyModel

extension Identity {
    /// All addresses of the identity, whether they are used for login, verification or recovery.
    package var addresses: Set<ContactAddress> {
        Set(
            identifiers.compactMap { ContactAddress($0) } + verifiable.map(\.address)
                + recovery.map(\.address)
        )
    }

    /// The addresses whose ownership is proven.
    package var provenAddresses: Set<ContactAddress> {
        Set(addressStates.filter { $0.value == .proven }.keys)
    }

    /// Returns whether the ownership of an address is proven.
    package func isProven(_ address: ContactAddress) -> Bool {
        addressStates[address] == .proven
    }

    /// Returns the identity after a user has entered a code that was sent to an address.
    ///
    /// The address becomes proven and verified; if it was already verified, the time of verification does not
    /// change. If the identity does not have the address, it is returned unchanged.
    ///
    /// A released address also leaves the identity unchanged, because it is no longer used for login,
    /// verification or recovery.
    package func proving(_ address: ContactAddress, at now: Timestamp) -> Identity {
        guard addresses.contains(address) else { return self }
        return verifying(address: address.value, at: now).with(states: [address: .proven])
    }

    /// Returns the confirmed identity; an earlier time of confirmation does not change.
    package func confirming(at now: Timestamp) -> Identity {
        with(confirmedAt: confirmedAt ?? now)
    }

    /// Returns the identity after an address is proven from inside the account
    /// (``AddressOwnership/Proof/inside``).
    ///
    /// On first confirmation, addresses that were proven from outside the account become claimed again,
    /// although the API still shows them as verified. Otherwise, the creator of the account could delay the
    /// confirmation until another user has verified an address.
    package func confirmed(by address: ContactAddress, at now: Timestamp) -> Identity {
        let base = confirmedAt == nil ? withoutProofs() : self
        return base.proving(address, at: now).confirming(at: now)
    }

    /// Returns the identity after the operator has vouched for its addresses.
    ///
    /// The verification status that the API shows does not change.
    ///
    /// Released addresses have no role and remain released.
    ///
    /// - Parameters:
    ///   - now: The time of confirmation, if the identity was not confirmed before.
    ///   - withdrawn: Addresses whose verification the operator has withdrawn; they do not become proven.
    /// - Returns: The confirmed identity, with all other addresses proven.
    package func vouched(at now: Timestamp, except withdrawn: Set<ContactAddress> = []) -> Identity {
        let vouched = addresses.subtracting(withdrawn)
        return with(states: Dictionary(uniqueKeysWithValues: vouched.map { ($0, .proven) })).confirming(
            at: now
        )
    }

    /// Returns the identity with an address that is no longer used for login, verification or recovery.
    ///
    /// The address remains in the traits as plain data.
    ///
    /// The address becomes released, so a later change of traits does not restore these roles. If the
    /// identity does not have the address, it is returned unchanged.
    package func releasing(_ address: ContactAddress, at now: Timestamp) -> Identity {
        guard addresses.contains(address) else { return self }
        return keepingRoles(at: now) { $0 != address }
    }

    /// Returns the identity after the owner of one of its addresses has taken it over.
    ///
    /// All other addresses are released, so they can no longer be used for login, verification or recovery.
    ///
    /// The identity is confirmed, and its public metadata contains `reclaimed_at`. The caller must revoke the
    /// sessions and remove the password.
    package func reclaimed(by address: ContactAddress, at now: Timestamp) -> Identity {
        keepingRoles(at: now) { $0 == address }
            .proving(address, at: now)
            .confirming(at: now)
            .with(reclaimedAt: now)
    }

    /// Releases all addresses that do not meet a condition.
    ///
    /// Released addresses lose their roles, which are login, verification and recovery.
    private func keepingRoles(
        at now: Timestamp,
        of isKept: (ContactAddress) -> Bool
    ) -> Identity {
        let released = addresses.filter { !isKept($0) }
        return withoutRoles(of: released, at: now)
            .with(states: Dictionary(uniqueKeysWithValues: released.map { ($0, .released) }))
    }
}
