import LatchkeyModel
import LatchkeyWire

/// Puts other traits in the place of an identity's.
struct ProfileSettings: Sendable {
    private let context: ServerContext
    private let courier: Courier
    private let verifications: VerificationSending

    init(_ context: ServerContext, courier: Courier) {
        self.context = context
        self.courier = courier
        verifications = VerificationSending(context, courier: courier)
    }

    /// Changes the traits.
    ///
    /// What people log in with, verify and recover by is protected: a session whose login is long ago may not change
    /// it. Who had a verified address that goes is told there.
    func change(_ traits: Traits, _ form: Form, _ request: SettingsRequest) async throws -> SettingsOutcome {
        let now = request.exchange.now
        do {
            let (outcome, notices) = try await context.database.transaction { transaction in
                guard
                    let old = try IdentityRepository.load(request.session.identityID, in: transaction),
                    old.state == .active
                else { return (SettingsOutcome.sessionOver, 0) }
                var new = old.with(traits: traits, schema: request.schema, at: now, random: context.random)
                if new.isProtected(from: old) {
                    guard request.isPrivileged else { return (.needsRefresh, 0) }
                    if let refusal = Self.phoneRefusal(new, old, traits, request) {
                        var form = form
                        form.refuse(refusal.field, refusal.message)
                        return (.refused(form), 0)
                    }
                }
                var begun: [VerificationSending.Begun] = []
                if context.settings.verificationAfterSettings {
                    (new, begun) = try verifications.begin(
                        for: new,
                        except: old.verifiable.map(\.address),
                        request.exchange,
                        at: now,
                        in: transaction
                    )
                }
                try IdentityRepository.save(new, replacing: old, in: transaction)
                if new.traits != old.traits { try note(new, request, in: transaction) }
                let notices = try tellOldAddresses(of: old, new, request, in: transaction)
                return (.saved(new.record, begun), begun.count + notices)
            }
            if notices > 0 { courier.wake() }
            return outcome
        } catch is IdentityRepository.Duplicate {
            return .refused(form.with(.duplicateIdentifier))
        }
    }

    /// Where the schema wants a verified phone number, another one takes the verification of that one.
    private static func phoneRefusal(
        _ new: Identity,
        _ old: Identity,
        _ traits: Traits,
        _ request: SettingsRequest
    ) -> Form.FieldMessage? {
        guard
            let name = request.schema.policy.verifiedPhone, let phone = traits.phoneToVerify,
            !old.verifiable.contains(where: { $0.address.value == phone.e164 })
        else { return nil }
        return Form.FieldMessage(field: "traits." + name, message: .phoneNotVerified)
    }

    private func note(
        _ identity: Identity,
        _ request: SettingsRequest,
        in transaction: borrowing Transaction
    ) throws {
        let event = AuditEvent(
            .traitsChanged,
            of: identity.id,
            by: .person,
            in: request.exchange,
            at: request.exchange.now,
            random: context.random
        )
        try AuditLog.append(event, in: transaction)
    }

    /// Writes to the verified addresses that are the account's no more.
    ///
    /// - Returns: How many messages that makes.
    private func tellOldAddresses(
        of old: Identity,
        _ new: Identity,
        _ request: SettingsRequest,
        in transaction: borrowing Transaction
    ) throws -> Int {
        let gone = old.verifiable.filter { address in
            address.isVerified && !new.verifiable.contains { $0.address == address.address }
        }
        for address in gone {
            let message = context.messages.message(
                .addressChanged,
                to: address.address,
                language: context.settings.language(
                    for: request.exchange.request.headers["Accept-Language"]
                ),
                at: request.exchange.now,
                random: context.random
            )
            try courier.enqueue(message, in: transaction)
        }
        return gone.count
    }
}

extension Identity {
    /// Whether what protects the account differs from another state of it.
    fileprivate func isProtected(from old: Identity) -> Bool {
        Set(identifiers) != Set(old.identifiers)
            || Set(verifiable.map(\.address)) != Set(old.verifiable.map(\.address))
            || Set(recovery.map(\.address)) != Set(old.recovery.map(\.address))
    }
}
