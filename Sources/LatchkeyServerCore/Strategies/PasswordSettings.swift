import LatchkeyModel
import LatchkeyWire

/// Gives an identity another password, or its first.
struct PasswordSettings: Sendable {
    private let context: ServerContext
    private let courier: Courier

    init(_ context: ServerContext, courier: Courier) {
        self.context = context
        self.courier = courier
    }

    /// Changes the password, ends the account's other sessions where that is wanted, and tells the owner.
    func change(_ password: Secret, _ request: SettingsRequest) async throws -> SettingsOutcome {
        guard request.isPrivileged else { return .needsRefresh }
        let id = request.session.identityID
        let known = try await context.database.transaction { transaction in
            (
                try IdentityRepository.load(id, in: transaction),
                try IdentityRepository.passwordHash(of: id, in: transaction)
            )
        }
        guard let identity = known.0, identity.state == .active else { return .sessionOver }
        let policy = PasswordPolicy(request.schema.policy, context.settings)
        if let refusal = policy.refusal(of: password, identifiers: identity.identifiers) {
            return .refused(Self.form(refusal))
        }
        if let refusal = try await BreachCheck(context).refusal(of: password) {
            return .refused(Self.form(refusal))
        }
        if let old = known.1, case .right = try await context.hasher.verify(password, against: old) {
            return .refused(Self.form(.passwordUnchanged))
        }
        let hash = try await context.hasher.hash(password)
        let now = context.time.now
        let outcome = try await context.database.transaction { transaction in
            // The identity's row is where two changes at once, and a change and a login, meet.
            guard try IdentityRepository.confirm(id, in: transaction) else {
                return SettingsOutcome.sessionOver
            }
            guard try IdentityRepository.passwordHash(of: id, in: transaction) == known.1 else {
                return .refused(Form(messages: [.changedMeanwhile]))
            }
            try IdentityRepository.setPassword(hash, of: id, at: now, in: transaction)
            if context.settings.newPasswordEndsSessions {
                _ = try SessionRepository.revokeOthers(
                    than: request.session.id,
                    of: id,
                    at: now,
                    in: transaction
                )
            }
            let event = AuditEvent(
                .passwordChanged,
                of: id,
                by: .person,
                in: request.exchange,
                at: now,
                random: context.random
            )
            try AuditLog.append(event, in: transaction)
            try tell(identity, request, in: transaction)
            return .saved(identity.record, [])
        }
        if case .saved = outcome { courier.wake() }
        return outcome
    }

    private static func form(_ refusal: UIMessage) -> Form {
        var form = Form()
        form.refuse("password", refusal)
        return form
    }

    /// Writes to the owner, by mail rather than to the phone.
    private func tell(
        _ identity: Identity,
        _ request: SettingsRequest,
        in transaction: borrowing Transaction
    ) throws {
        let verified = identity.verifiable.filter(\.isVerified).map(\.address)
        guard let address = verified.first(where: { $0.via == .email }) ?? verified.first else { return }
        let message = context.messages.message(
            .passwordChanged,
            to: address,
            language: context.settings.language(for: request.exchange.request.headers["Accept-Language"]),
            at: request.exchange.now,
            random: context.random
        )
        try courier.enqueue(message, in: transaction)
    }
}
