import LatchkeyModel

/// Voids the codes and ends the flows of an account when they lose their reason.
enum OpenCodes {
    private static let codeLength = 32

    /// Voids all codes for an account, and ends its login, recovery and verification flows.
    ///
    /// A voided code is answered like a wrong one and its guesses are counted, so that nothing shows from outside.
    ///
    /// - Parameters:
    ///   - identity: The account.
    ///   - exception: The flow that the change is made in.
    ///   - endsSettings: Whether its settings flows end, too.
    ///   - now: The time.
    ///   - random: The source of randomness.
    ///   - transaction: The transaction of the change; flows that the change starts are inserted afterwards.
    /// - Throws: ``DatabaseError``.
    static func void(
        of identity: Identifier,
        except exception: Identifier? = nil,
        endsSettings: Bool = false,
        at now: Timestamp,
        random: some RandomSource,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let exception = exception ?? Identifier()
        // No code has a random value as its keyed hash.
        try transaction.execute(
            """
            UPDATE codes SET code_mac = $1 \
            WHERE identity_id = $2 AND flow_id <> $3 AND used_at IS NULL
            """,
            .blob(random.bytes(codeLength)),
            .identifier(identity),
            .identifier(exception)
        )
        try transaction.execute(
            endsSettings ? endingAll : endingEntrances,
            .time(now),
            .identifier(identity),
            .identifier(exception)
        )
    }

    private static let endingEntrances: StaticString = """
        UPDATE flows SET completed_at = $1, updated_at = $1, traits = NULL \
        WHERE identity_id = $2 AND id <> $3 AND completed_at IS NULL \
        AND kind IN ('login', 'recovery', 'verification')
        """

    private static let endingAll: StaticString = """
        UPDATE flows SET completed_at = $1, updated_at = $1, traits = NULL \
        WHERE identity_id = $2 AND id <> $3 AND completed_at IS NULL
        """
}
