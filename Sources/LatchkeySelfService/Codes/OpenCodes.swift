package import LatchkeyModel
package import LatchkeyServerKit

/// Invalidates the codes and ends the flows of an account when they must no longer be used.
package enum OpenCodes {
    /// The length of a code's MAC in bytes.
    private static let codeLength = 32

    /// Invalidates all unused codes of an account and completes its login, recovery and verification flows.
    ///
    /// An invalidated code is treated like a wrong one, and guesses at it are counted, so a client cannot
    /// detect the invalidation.
    ///
    /// Codes that flows of other accounts sent to the same addresses are not affected.
    ///
    /// - Parameters:
    ///   - identity: The id of the account.
    ///   - exception: The flow in which the change is made, which remains open; `nil` if there is none.
    ///   - endsSettings: Whether the account's flows of other kinds, such as settings, end as well.
    ///   - now: The time at which the flows are completed.
    ///   - random: The random source for the values that replace the MACs of codes.
    ///   - transaction: The transaction of the change; flows that the change starts must be inserted after
    ///     this call.
    /// - Throws: ``DatabaseError``.
    package static func void(
        of identity: Identifier,
        except exception: Identifier? = nil,
        endsSettings: Bool = false,
        at now: Timestamp,
        random: some RandomSource,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let exception = exception ?? Identifier()
        // A random value does not match the MAC of any code.
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

    private static let endingEntrances: SQL = """
        UPDATE flows SET completed_at = $1, updated_at = $1, traits = NULL \
        WHERE identity_id = $2 AND id <> $3 AND completed_at IS NULL \
        AND kind IN ('login', 'recovery', 'verification')
        """

    private static let endingAll: SQL = """
        UPDATE flows SET completed_at = $1, updated_at = $1, traits = NULL \
        WHERE identity_id = $2 AND id <> $3 AND completed_at IS NULL
        """
}
