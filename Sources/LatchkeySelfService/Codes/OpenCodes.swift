package import LatchkeyModel
package import LatchkeyServerKit

/// Invalidates an account's codes and flows when they must no longer be used.
package enum OpenCodes {
    /// The length of a code's MAC in bytes.
    private static let codeLength = 32

    /// Invalidates all unused codes of an account and completes its login, recovery and verification flows.
    ///
    /// An invalidated code behaves like a wrong one, and guesses at it are still counted. Clients therefore
    /// cannot tell that a code was invalidated.
    ///
    /// Codes that were sent to the same addresses by other accounts' flows aren't affected.
    ///
    /// - Parameters:
    ///   - identity: The id of the account.
    ///   - exception: The flow that makes the change. This flow stays open and its code stays valid. Pass
    ///     `nil` if there is no such flow.
    ///   - endsSettings: Whether to complete the account's flows of all other kinds too, such as settings
    ///     flows.
    ///   - now: The time to record as the flows' completion time.
    ///   - random: The source of the random values that replace the MACs.
    ///   - transaction: The transaction that makes the change. If the change starts new flows, insert them
    ///     after this call.
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
        // A random value doesn't match the MAC of any code.
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
