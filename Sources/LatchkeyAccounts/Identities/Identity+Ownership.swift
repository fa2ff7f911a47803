package import LatchkeyModel

extension Identity {
    /// The addresses with a role: identifiers in the form of an address, verifiable addresses and recovery
    /// addresses.
    package var addresses: Set<Traits.Address> {
        Set(
            identifiers.compactMap { Traits.Address($0) } + verifiable.map(\.address)
                + recovery.map(\.address)
        )
    }

    /// The addresses whose ownership is proven.
    package var provenAddresses: Set<Traits.Address> {
        Set(addressStates.filter { $0.value == .proven }.keys)
    }

    /// Returns whether the ownership of an address is proven.
    package func isProven(_ address: Traits.Address) -> Bool {
        addressStates[address] == .proven
    }

    /// Returns the identity after a code sent to an address was entered.
    ///
    /// The address becomes proven and verified; if it was verified before, the time of verification does not
    /// change. Without such an address, the identity is returned unchanged.
    ///
    /// A released address counts as missing, because it has no role any more.
    package func proving(_ address: Traits.Address, at now: Timestamp) -> Identity {
        guard addresses.contains(address) else { return self }
        return verifying(address: address.value, at: now).with(states: [address: .proven])
    }

    /// Returns the identity after one of its addresses was proven from inside the account; a previous time of
    /// confirmation does not change.
    package func confirming(at now: Timestamp) -> Identity {
        with(confirmedAt: confirmedAt ?? now)
    }

    /// Returns the identity after an address was proven from inside the account.
    ///
    /// On the first confirmation, addresses that were proven from outside become claims again, although the
    /// API still shows them as verified. Otherwise the creator of the account could delay the confirmation
    /// until another user has verified an address.
    package func confirmed(by address: Traits.Address, at now: Timestamp) -> Identity {
        let base = confirmedAt == nil ? withoutProofs() : self
        return base.proving(address, at: now).confirming(at: now)
    }

    /// Returns the identity after the operator vouched for its addresses; the verification status in the API
    /// does not change.
    ///
    /// Addresses that were released before have no role and remain released.
    ///
    /// - Parameters:
    ///   - now: The time of confirmation, if the identity was not confirmed before.
    ///   - withdrawn: Addresses whose verification the operator has withdrawn; they are not marked as proven.
    /// - Returns: The confirmed identity, with all other addresses proven.
    package func vouched(at now: Timestamp, except withdrawn: Set<Traits.Address> = []) -> Identity {
        let vouched = addresses.subtracting(withdrawn)
        return with(states: Dictionary(uniqueKeysWithValues: vouched.map { ($0, .proven) })).confirming(
            at: now
        )
    }

    /// Returns the identity with an address removed from every role; it remains in the traits as plain data.
    ///
    /// Its state becomes released, so that a later change of traits does not restore the roles. Without such
    /// an address, the identity is returned unchanged.
    package func releasing(_ address: Traits.Address, at now: Timestamp) -> Identity {
        guard addresses.contains(address) else { return self }
        return keepingRoles(at: now) { $0 != address }
    }

    /// Returns the identity after the owner of an address has taken it over: the roles of all other addresses
    /// are removed.
    ///
    /// The identity is confirmed, and `reclaimed_at` appears in its public metadata. Revoking sessions and
    /// removing the password are the responsibility of the caller.
    package func reclaimed(by address: Traits.Address, at now: Timestamp) -> Identity {
        keepingRoles(at: now) { $0 == address }
            .proving(address, at: now)
            .confirming(at: now)
            .with(reclaimedAt: now)
    }

    /// Removes the roles of the addresses that do not fulfil a condition, and marks them as released.
    private func keepingRoles(
        at now: Timestamp,
        of isKept: (Traits.Address) -> Bool
    ) -> Identity {
        let released = addresses.filter { !isKept($0) }
        return withoutRoles(of: released, at: now)
            .with(states: Dictionary(uniqueKeysWithValues: released.map { ($0, .released) }))
    }
}
