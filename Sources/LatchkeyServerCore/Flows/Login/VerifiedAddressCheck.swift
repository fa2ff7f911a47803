import LatchkeyModel

/// Checks that a login uses a verified address, where that is required (Kratos's hook `require_verified_address`).
///
/// A login by a code needs no check: it verifies the address that the code was sent to.
struct VerifiedAddressCheck: Sendable {
    private let context: ServerContext
    private let verifications: VerificationSending

    init(_ context: ServerContext, courier: Courier) {
        self.context = context
        verifications = VerificationSending(context, courier: courier)
    }

    /// Returns whether the identifier that was typed has to be verified first.
    ///
    /// An identifier that cannot be verified, such as a user name, needs any verified address of the account.
    ///
    /// - Parameters:
    ///   - identity: The identity.
    ///   - identifier: The identifier, normalized.
    /// - Returns: `true` if the login has to wait for a verification.
    /// - Throws: ``DatabaseError``.
    func isMissing(_ identity: Identifier, _ identifier: String) async throws -> Bool {
        guard context.settings.verifiedAddress != .optional else { return false }
        let addresses = try await context.database.rows(
            "SELECT value, verified_at FROM addresses WHERE identity_id = $1 AND kind = $2",
            .identifier(identity),
            .text(AddressRow.verifiable)
        ).map { row in (value: try row.text(0), isVerified: !row.isNull(1)) }
        if let typed = addresses.first(where: { $0.value == identifier }) { return !typed.isVerified }
        return !addresses.contains { $0.isVerified }
    }

    /// Sends a code to the identifier that was typed; to all unverified addresses where it cannot be verified.
    func begin(
        for id: Identifier,
        _ identifier: String,
        _ exchange: Exchange
    ) async throws -> [VerificationSending.Begun] {
        let now = context.time.now
        let begun = try await context.database.transaction { [verifications] transaction in
            var begun: [VerificationSending.Begun] = []
            _ = try IdentityRepository.change(id, in: transaction) { old in
                let all = old.verifiable.map(\.address)
                let others =
                    all.contains { $0.value == identifier } ? all.filter { $0.value != identifier } : []
                let (new, flows) = try verifications.begin(
                    for: old,
                    except: others,
                    exchange,
                    at: now,
                    in: transaction
                )
                begun = flows
                return new
            }
            return begun
        }
        if !begun.isEmpty { verifications.wake() }
        return begun
    }
}
