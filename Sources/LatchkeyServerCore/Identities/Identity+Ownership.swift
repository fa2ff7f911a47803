package import LatchkeyModel

extension Identity {
    /// The addresses that have a role: login, code, verification or recovery.
    package var addresses: Set<Traits.Address> {
        Set(
            identifiers.compactMap { Traits.Address($0) } + verifiable.map(\.address)
                + recovery.map(\.address)
        )
    }

    /// The addresses that are proven.
    package var provenAddresses: Set<Traits.Address> {
        Set(addressStates.filter { $0.value == .proven }.keys)
    }

    /// Whether an address is proven.
    package func isProven(_ address: Traits.Address) -> Bool {
        addressStates[address] == .proven
    }

    /// The identity after a code that was sent to an address came back; verified addresses keep their time.
    package func proving(_ address: Traits.Address, at now: Timestamp) -> Identity {
        guard addresses.contains(address) else { return self }
        return verifying(address: address.value, at: now).with(states: [address: .proven])
    }

    /// The identity after one of its addresses was proven from inside; a confirmed one keeps its time.
    package func confirming(at now: Timestamp) -> Identity {
        with(confirmedAt: confirmedAt ?? now)
    }

    /// The identity after an address was proven from inside.
    ///
    /// At the first confirmation, addresses that were proven from outside become claims again, and are only shown as
    /// verified. Otherwise, the account's creator could wait with the confirmation until another user has verified an
    /// address.
    package func confirmed(by address: Traits.Address, at now: Timestamp) -> Identity {
        let base = confirmedAt == nil ? withoutProofs() : self
        return base.proving(address, at: now).confirming(at: now)
    }

    /// The identity after the operator vouched for its addresses; the API shows them as verified or not, as before.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - withdrawn: Addresses whose verification the operator has withdrawn.
    /// - Returns: The identity, confirmed.
    package func vouched(at now: Timestamp, except withdrawn: Set<Traits.Address> = []) -> Identity {
        let vouched = addresses.subtracting(withdrawn)
        return with(states: Dictionary(uniqueKeysWithValues: vouched.map { ($0, .proven) })).confirming(
            at: now
        )
    }

    /// The identity without any role of an address, which stays in the traits as plain data.
    package func releasing(_ address: Traits.Address, at now: Timestamp) -> Identity {
        guard addresses.contains(address) else { return self }
        return keepingRoles(at: now) { $0 != address }
    }

    /// The identity after the owner of an address took it over: every other address loses its roles.
    package func reclaimed(by address: Traits.Address, at now: Timestamp) -> Identity {
        keepingRoles(at: now) { $0 == address }
            .proving(address, at: now)
            .confirming(at: now)
            .with(reclaimedAt: now)
    }

    private func keepingRoles(
        at now: Timestamp,
        of isKept: (Traits.Address) -> Bool
    ) -> Identity {
        let released = addresses.filter { !isKept($0) }
        return withoutRoles(of: released, at: now)
            .with(states: Dictionary(uniqueKeysWithValues: released.map { ($0, .released) }))
    }
}
