import LatchkeyModel

/// Asks whether somebody has a verified address, where a login needs one (Kratos's hook `require_verified_address`).
///
/// A login by a code needs no such question: it verifies the address that the code was sent to.
struct VerifiedAddressCheck: Sendable {
    private let context: ServerContext
    private let verifications: VerificationSending

    init(_ context: ServerContext, courier: Courier) {
        self.context = context
        verifications = VerificationSending(context, courier: courier)
    }

    /// Whether an address has to be verified first, and none is.
    func isMissing(_ identity: Identifier) async throws -> Bool {
        guard context.settings.verifiedAddress != .optional else { return false }
        return try await context.database.rows(
            """
            SELECT id FROM addresses WHERE identity_id = $1 AND kind = $2 AND verified_at IS NOT NULL LIMIT 1
            """,
            .identifier(identity),
            .text(AddressRow.verifiable)
        ).isEmpty
    }

    /// Sends codes to the addresses, as many as the limits let through now.
    func begin(for id: Identifier, _ exchange: Exchange) async throws -> [VerificationSending.Begun] {
        let now = context.time.now
        let begun = try await context.database.transaction { [verifications] transaction in
            var begun: [VerificationSending.Begun] = []
            _ = try IdentityRepository.change(id, in: transaction) { old in
                let (new, flows) = try verifications.begin(for: old, exchange, at: now, in: transaction)
                begun = flows
                return new
            }
            return begun
        }
        if !begun.isEmpty { verifications.wake() }
        return begun
    }
}
