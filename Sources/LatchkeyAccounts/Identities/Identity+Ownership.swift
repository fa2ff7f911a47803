package import LatchkeyModel

extension Identity {
    /// All addresses that the identity uses for login, verification or recovery.
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

    /// Returns a copy of the identity, updated after a user has entered a code that was sent to the given
    /// address.
    ///
    /// The address becomes proven and verified. If the address was already verified, its verification date
    /// doesn't change.
    ///
    /// If the address was released or doesn't belong to the identity, the identity is returned unchanged.
    package func proving(_ address: ContactAddress, at now: Timestamp) -> Identity {
        guard addresses.contains(address) else { return self }
        return verifying(address: address.value, at: now).with(states: [address: .proven])
    }

    /// Returns a confirmed copy of the identity.
    ///
    /// If the identity was already confirmed, the confirmation date doesn't change.
    package func confirming(at now: Timestamp) -> Identity {
        with(confirmedAt: confirmedAt ?? now)
    }

    /// Returns a copy of the identity, updated after an address has been proven from inside the account
    /// (``AddressOwnership/Proof/inside``).
    ///
    /// The first confirmation of an account turns addresses that were proven from outside the account back
    /// into claimed addresses, although the API still returns them as verified. Otherwise, the account's
    /// creator could wait until another user has verified an address before confirming the account.
    package func confirmed(by address: ContactAddress, at now: Timestamp) -> Identity {
        let base = confirmedAt == nil ? withoutProofs() : self
        return base.proving(address, at: now).confirming(at: now)
    }

    /// Returns a copy of the identity, updated after an operator has vouched for its addresses.
    ///
    /// The verification status that the API returns doesn't change. Released addresses stay released.
    ///
    /// - Parameters:
    ///   - now: The date to store as the confirmation date, unless the identity was already confirmed.
    ///   - withdrawn: Addresses that aren't marked as proven, because the operator has withdrawn their
    ///     verification.
    /// - Returns: The confirmed identity, in which all other addresses are proven.
    package func vouched(at now: Timestamp, except withdrawn: Set<ContactAddress> = []) -> Identity {
        let vouched = addresses.subtracting(withdrawn)
        return with(states: Dictionary(uniqueKeysWithValues: vouched.map { ($0, .proven) })).confirming(
            at: now
        )
    }

    /// Returns a copy of the identity in which the given address is released.
    ///
    /// A released address can no longer be used for login, verification or recovery. The address stays in the
    /// traits, but changing the traits later doesn't undo the release. If the identity doesn't have the
    /// address, the identity is returned unchanged.
    ///
    /// - Parameters:
    ///   - address: The address to release.
    ///   - schema: The identity's schema. Its required fields that contain the address may be missing from
    ///     now on.
    ///   - now: The time of the change.
    /// - Returns: The changed identity.
    package func releasing(
        _ address: ContactAddress,
        by schema: IdentitySchema?,
        at now: Timestamp
    ) -> Identity {
        guard addresses.contains(address) else { return self }
        return withoutRoles(of: [address], at: now)
            .with(states: [address: .released])
            .waiving(requiredFields(with: address, by: schema))
    }

    /// Returns a copy of the identity without the roles of an address that the reader of its mail has disowned.
    ///
    /// Unlike a released address, the user can claim it again by saving the profile, because the button may have
    /// been pressed by mistake.
    package func disowning(
        _ address: ContactAddress,
        by schema: IdentitySchema?,
        at now: Timestamp
    ) -> Identity {
        withoutRoles(of: [address], at: now).waiving(requiredFields(with: address, by: schema))
    }

    /// Returns a copy of the identity, updated after the owner of one of its addresses has taken it over.
    ///
    /// The owner only gets the address and, if it is a phone number, its region: all other traits and the
    /// public metadata belong to another user and are erased. Required fields among them may be missing from
    /// now on. The identity is confirmed, and its public metadata contains `reclaimed_at`.
    ///
    /// The caller must revoke the sessions and remove the password.
    package func reclaimed(
        by address: ContactAddress,
        schema: IdentitySchema?,
        at now: Timestamp
    ) -> Identity {
        let new = withoutPerson(except: address, schema: schema, at: now)
        return new.waiving(requiredFields(missingIn: new, by: schema))
            .proving(address, at: now)
            .confirming(at: now)
            .with(reclaimedAt: now)
    }
}
