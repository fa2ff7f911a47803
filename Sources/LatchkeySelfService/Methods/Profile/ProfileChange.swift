import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Updates the traits of an identity.
struct ProfileChange: FlowMethod {
    private let settings: AccountChangeSettings
    private let verification: VerificationSettings
    private let methods: SignInMethods
    private let database: any Database
    private let random: any RandomSource
    private let changes: TraitChange
    private let limiter: Limiter
    private let verifications: VerificationStarter
    private let completion: SettingsCompletion
    private let fields: FieldChangeCheck
    private let recorder: AnswerRecorder

    let form: ProfileChangeForm

    init(_ services: MethodServices) {
        form = ProfileChangeForm(settings: services.forms)
        completion = SettingsCompletion(services)
        fields = FieldChangeCheck(services)
        settings = services.settings.changes
        verification = services.settings.verification
        methods = services.signIn
        changes = services.changes
        limiter = services.accounts.limiter
        verifications = services.verifications
        database = services.environment.database
        random = services.environment.random
        recorder = AnswerRecorder(audit: services.accounts.audit, random: random)
    }

    func perform(_ input: ProfileChangeForm.Input, in context: FlowContext) async throws -> FlowOutcome {
        let request = try completion.request(context)
        let outcome: SettingsOutcome
        switch input {
        case .change(let traits?, let answers, let submitted):
            let checked = try await fields.check(traits, form: submitted, in: context)
            outcome =
                checked.isValid
                ? try await change(to: traits, answering: answers, form: submitted, for: request)
                : .refused(checked)
        case .change(nil, let answers, _), .decline(let answers):
            outcome = try await answer(answers, for: request)
        }
        return try await completion.outcome(of: outcome, in: context, by: form.name)
    }

    /// Stores answers to documents, which end the session if one of them is a refusal.
    private func answer(
        _ answers: [FlowAnswer],
        for request: SettingsRequest
    ) async throws -> SettingsOutcome {
        try await database.transaction { [recorder] transaction in
            guard try request.isStillOpen(in: transaction),
                let identity = try IdentityRepository.load(request.session.identityID, in: transaction)
            else { return .sessionOver }
            _ = try recorder.record(answers, in: request.session, for: request.context, in: transaction)
            let isRefused = answers.contains { $0.answer.kind == .refusal }
            return isRefused ? .sessionOver : .saved(identity.record, [])
        }
    }

    /// Changes the traits of the identity that made the request.
    ///
    /// Identifiers, verifiable addresses and recovery addresses are protected, which means that only a
    /// privileged session can change them and that a notice is sent to the previously proven addresses. A
    /// change can add at most one address that must be verified before it is saved. Such a change is stored
    /// as a ``PendingChange``. A change is rejected if the user couldn't enter the account afterwards.
    ///
    /// Protected changes are counted toward a limit in a separate transaction, so failed changes are counted
    /// as well. The change, its notices and its verifications are committed in one transaction.
    ///
    /// - Parameters:
    ///   - traits: The new traits, which must be valid for the schema.
    ///   - answers: The answers to documents, which are stored even if the change is rejected.
    ///   - form: The form to return if the change is rejected.
    ///   - request: The request and its session.
    /// - Returns: Whether the change was saved, is waiting for a verification, or was rejected.
    /// - Throws: A ``ServerError`` with status 429 if the account was changed too often, or if a rate limit
    ///   for sending codes has been reached for a pending change. Also throws ``DatabaseError``.
    func change(
        to traits: Traits,
        answering answers: [FlowAnswer] = [],
        form: Form,
        for request: SettingsRequest
    ) async throws -> SettingsOutcome {
        try await charge(traits, for: request)
        do {
            return try await database.transaction { transaction in
                guard try request.isStillOpen(in: transaction) else { return .sessionOver }
                _ = try recorder.record(answers, in: request.session, for: request.context, in: transaction)
                return try change(to: traits, form: form, for: request, in: transaction)
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
            try limiter.require([.accountChange(id)], at: now, in: transaction)
        }
    }

    private func change(
        to submitted: Traits,
        form: Form,
        for request: SettingsRequest,
        in transaction: borrowing Transaction
    ) throws -> SettingsOutcome {
        let now = request.context.now
        guard
            let old = try IdentityRepository.load(request.session.identityID, in: transaction),
            old.state == .active
        else { return .sessionOver }
        let traits = submitted.keeping(old.region, for: request.schema)
        var new = old.with(traits: traits, schema: request.schema, at: now, random: random)
        let facts = try facts(about: new, replacing: old, traits: traits, for: request, in: transaction)
        let rule = verification.isEnabled ? settings.verifiedFirst : nil
        switch ProfileDecision(facts, verifiedFirst: rule) {
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
                type: request.flow.type,
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
            phone: traits.phone ?? old.phone,
            at: request.context.now,
            in: transaction
        )
        guard new.changesAccess(of: old) else { return ProfileDecision.Facts(regionRefusal: regionRefusal) }
        let evidence = try SessionRepository.evidence(of: request.session.id, in: transaction)
        let added = try added(by: new, replacing: old, in: transaction)
        let phoneRefusal = Self.phoneRefusal(of: old, changingTo: traits, for: request)
        let entrance = try entrance(to: new, adding: added, replacing: old, for: request, in: transaction)
        return ProfileDecision.Facts(
            regionRefusal: regionRefusal,
            changesAccess: true,
            isPrivileged: try request.isStillPrivileged(in: transaction),
            allowsRemoval: evidence.allowsRemoval(of: old.provenAddresses.subtracting(new.addresses)),
            added: added.map { added in
                var added = added
                added.needsProof =
                    entrance == .verified(added.address)
                    || phoneRefusal != nil && added.address.value == traits.phoneToVerify?.e164
                return added
            },
            entranceRefusal: entrance == .closed
                ? new.entranceField(by: request.schema).map {
                    Form.FieldMessage(field: $0, message: .lastEntrance)
                }
                : nil,
            canWait: traits.json.count <= FlowBounds.pendingTraits,
            phoneRefusal: phoneRefusal
        )
    }

    /// Returns the addresses that the identity didn't have before the change, phone numbers first.
    private func added(
        by new: Identity,
        replacing old: Identity,
        in transaction: borrowing Transaction
    ) throws -> [ProfileDecision.AddedAddress] {
        try new.addresses.subtracting(old.addresses).sorted { $0.value < $1.value }.map { address in
            let use = try AddressStateRepository.use(of: address, byOthersThan: old.id, in: transaction)
            return ProfileDecision.AddedAddress(
                address: address,
                isIdentifier: new.identifiers.contains(address.value),
                isClaimed: use == .claimed
            )
        }
    }

    /// How the user can enter the account after a change.
    private enum Entrance: Equatable {
        /// The user can log in or recover the account, or couldn't do so before either.
        case open
        /// The user can enter the account once the new address is verified.
        case verified(ContactAddress)
        /// The user couldn't enter the account any more.
        case closed
    }

    /// Returns how the user can enter the account after a change.
    ///
    /// An address can only be the entrance after its verification if users can verify addresses.
    private func entrance(
        to new: Identity,
        adding added: [ProfileDecision.AddedAddress],
        replacing old: Identity,
        for request: SettingsRequest,
        in transaction: borrowing Transaction
    ) throws -> Entrance {
        let hasPassword = try IdentityRepository.passwordHash(of: old.id, in: transaction) != nil
        func isOpen(_ identity: Identity) -> Bool {
            methods.admit(identity, hasPassword: hasPassword, schema: request.schema)
        }
        if isOpen(new) || !isOpen(old) { return .open }
        guard verification.isEnabled else { return .closed }
        let now = request.context.now
        let entrance = added.first { isOpen(new.proving($0.address, at: now)) }
        return entrance.map { .verified($0.address) } ?? .closed
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
        return try verifications.begin(
            change,
            of: identity,
            for: request.context,
            after: request.flow,
            in: transaction
        )
    }

    /// Returns an error if the schema requires a verified phone number and the change contains a number that
    /// the identity doesn't have yet, or `nil` otherwise.
    ///
    /// The error matters only if users can't verify addresses. Otherwise, the change waits for the code.
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
    /// The account's phone number, or `nil` if it has none.
    fileprivate var phone: PhoneNumber? {
        let numbers = addresses.filter { $0.via == .sms }.map(\.value).sorted()
        return numbers.lazy.compactMap { PhoneNumber($0) }.first
    }
}
