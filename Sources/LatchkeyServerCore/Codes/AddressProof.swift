import LatchkeyModel

/// Writes down that somebody has shown control of an address of their account.
enum AddressProof {
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
        try IdentityRepository.change(id, in: transaction) { $0.verifying(address: address.value, at: now) }
    }
}
