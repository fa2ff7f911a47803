package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// Updates the traits of an identity.
package struct ProfileChange: Sendable {
    private let settings: AccountChangeSettings
    private let database: any Database
    private let random: any RandomSource
    private let changes: TraitChange
    private let limiter: Limiter
    private let verifications: VerificationStarter

    package init(
        changes: TraitChange,
        limiter: Limiter,
        verifications: VerificationStarter,
        settings: AccountChangeSettings,
        database: any Database,
        random: any RandomSource
    ) {
        self.changes = changes
        self.limiter = limiter
        self.verifications = verifications
        self.settings = settings
        self.database = database
        self.random = random
    }

    /// Changes the traits of the identity that made the request.
    ///
    /// Identifiers, verifiable addresses and recovery addresses are protected, which means that only a
    /// privileged session can change them and that a notice is sent to the previously proven addresses. If
    /// new addresses must be verified before they are saved, a change can add at most one address and is
    /// stored as a ``PendingChange``.
    ///
    /// Protected changes are counted toward a limit in a separate transaction, so failed changes are counted
    /// as well. The change, its notices and its verifications are committed in one transaction.
    ///
    /// - Parameters:
    ///   - traits: The new traits, which must be valid for the schema.
    ///   - form: The form to return if the change is rejected.
    ///   - request: The request and its session.
    /// - Returns: Whether the change was saved, is waiting for a verification, or was rejected.
    /// - Throws: A ``ServerError`` with status 429 if the account was changed too often, or if a rate limit
    ///   for sending codes has been reached for a pending change. Also throws ``DatabaseError``.
    func change(to traits: Traits, form: Form, for request: SettingsRequest) async throws -> SettingsOutcome {
        try await charge(traits, for: request)
        do {
            return try await database.transaction { transaction in
                try change(to: traits, form: form, for: request, in: transaction)
            }
        } catch is IdentityRepository.Duplicate {
            return .refused(form.with(.duplicateIdentifier))
        }
    }

    /// Counts a change of identifiers or addresses toward the rate limit.
    ///
    /// A change counts even if it fails, because a rejection reveals that an account exists.
    private func charge(_ traits: Traits, for request: SettingsRequest) async throws {
        let id = request.session.identityID
        let now = request.context.now
        try await database.transaction { [random, limiter] transaction in
            guard let old = try IdentityRepository.load(id, in: transaction) else { return }
            let new = old.with(traits: traits, schema: request.schema, at: now, random: random)
            guard new.changesAccess(of: old) else { return }
            let verdict = try limiter.reserve([.accountChange(id)], at: now, in: transaction)
            if case .refused(let retryAfter) = verdict {
                throw ServerError.tooManyRequests(retryAfter: retryAfter)
            }
        }
    }

    private func change(
        to traits: Traits,
        form: Form,
        for request: SettingsRequest,
        in transaction: borrowing Transaction
    ) throws -> SettingsOutcome {
        let now = request.context.now
        guard try request.isStillOpen(in: transaction) else { return .sessionOver }
        guard
            let old = try IdentityRepository.load(request.session.identityID, in: transaction),
            old.state == .active
        else { return .sessionOver }
        var new = old.with(traits: traits, schema: request.schema, at: now, random: random)
        let facts = try facts(about: new, replacing: old, traits: traits, for: request, in: transaction)
        switch ProfileDecision(facts, verifiesFirst: settings.verifiesFirst) {
        case .save: break
        case .verify(let address):
            return .waits(try begin(traits, verifying: address, of: old, for: request, in: transaction))
        case .refresh: return .needsRefresh
        case .refuse(let message): return .refused(form.with(message))
        case .refuseField(let refusal):
            var form = form
            form.refuse(refusal.field, with: refusal.message)
            return .refused(form)
        }
        try changes.prepare(new, replacing: old, in: request.flow.id, for: request.context, in: transaction)
        var begun: [VerificationStarter.Begun] = []
        if settings.sendsVerification {
            (new, begun) = try verifications.begin(
                for: new,
                except: old.verifiable.map(\.address),
                boundTo: request.session.id,
                in: request.context,
                at: now,
                in: transaction
            )
        }
        try changes.save(new, replacing: old, for: request.context, in: transaction)
        return .saved(new.record, begun)
    }

    /// Reads the information that is needed to decide whether a change is allowed.
    private func facts(
        about new: Identity,
        replacing old: Identity,
        traits: Traits,
        for request: SettingsRequest,
        in transaction: borrowing Transaction
    ) throws -> ProfileDecision.Facts {
        let regionRefusal = try regionRefusal(
            of: old,
            changingTo: new,
            phone: traits.phone,
            at: request.context.now,
            in: transaction
        )
        guard new.changesAccess(of: old) else { return ProfileDecision.Facts(regionRefusal: regionRefusal) }
        let evidence = try SessionRepository.evidence(of: request.session.id, in: transaction)
        return ProfileDecision.Facts(
            regionRefusal: regionRefusal,
            changesAccess: true,
            isPrivileged: try request.isStillPrivileged(in: transaction),
            allowsRemoval: evidence.allowsRemoval(of: old.provenAddresses.subtracting(new.addresses)),
            added: new.addresses(notIn: old),
            phoneRefusal: Self.phoneRefusal(of: old, changingTo: traits, for: request)
        )
    }

    /// Returns an error if the change contains a new region that the user may not choose, or `nil` otherwise.
    ///
    /// The region determines the prices. If users could change it before each order, they would pay the lowest
    /// price that any storefront offers.
    private func regionRefusal(
        of old: Identity,
        changingTo new: Identity,
        phone: PhoneNumber?,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Form.FieldMessage? {
        guard new.region != old.region else { return nil }
        let field = TraitSchema.regionField
        if let region = new.region, let phone, !region.sharesCallingCode(of: phone) {
            return Form.FieldMessage(field: field, message: .regionOfOtherPhone)
        }
        guard let next = try IdentityRepository.nextRegionChange(of: old.id, at: now, in: transaction) else {
            return nil
        }
        let days = (next - now).components.seconds / 86_400 + 1
        return Form.FieldMessage(field: field, message: .regionChangedRecently(days: days))
    }

    /// Starts the verification that the change is waiting for.
    private func begin(
        _ traits: Traits,
        verifying address: ContactAddress,
        of identity: Identity,
        for request: SettingsRequest,
        in transaction: borrowing Transaction
    ) throws -> VerificationStarter.Begun {
        let change = try PendingChange(
            to: traits,
            of: identity,
            verifying: address,
            in: request.session.id
        )
        return try verifications.begin(change, of: identity, for: request.context, in: transaction)
    }

    /// Returns an error if the schema requires a verified phone number and the change contains a number that
    /// the identity doesn't have yet, or `nil` otherwise.
    private static func phoneRefusal(
        of old: Identity,
        changingTo traits: Traits,
        for request: SettingsRequest
    ) -> Form.FieldMessage? {
        guard
            let name = request.schema.policy.verifiedPhone, let phone = traits.phoneToVerify,
            !old.verifiable.contains(where: { $0.address.value == phone.e164 })
        else { return nil }
        return Form.FieldMessage(field: "traits." + name, message: .phoneNotVerified)
    }
}

extension Identity {
    /// Returns the verifiable addresses that the identity didn't have before the change.
    fileprivate func addresses(notIn old: Identity) -> [ContactAddress] {
        let known = Set(old.verifiable.map(\.address))
        return verifiable.map(\.address).filter { !known.contains($0) }
    }
}
