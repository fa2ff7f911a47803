import LatchkeyModel

/// Writes down that somebody has shown control of an address of their account.
enum AddressProof {
    /// How often to begin again when others change the same identity at the same moment.
    private static let attempts = 8

    /// Marks an address as verified, if the account has it and can verify it.
    ///
    /// The identity's row is written in every case: that is where this meets whoever closes the account.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - id: The account.
    ///   - now: The time.
    ///   - transaction: The transaction of what the proof opens.
    /// - Returns: The identity as it is now; nothing when there is none.
    /// - Throws: ``DatabaseError``.
    static func keep(
        _ address: Traits.Address,
        of id: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Identity? {
        for _ in 0..<attempts {
            guard let identity = try IdentityRepository.load(id, in: transaction) else { return nil }
            let verified = identity.verifying(address: address.value, at: now)
            if try IdentityRepository.save(verified, replacing: identity, in: transaction) { return verified }
        }
        throw DatabaseError(.unavailable, "Others change the same identity at the same moment.")
    }
}
