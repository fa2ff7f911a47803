package import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Saves changed traits, and notifies the user if the change affects access to the account.
struct TraitChange: Sendable {
    private let random: any RandomSource
    private let audit: AuditLog
    private let schemas: SchemaCatalog
    private let notices: AccountNotices
    private let prover: AddressProver
    private let networks: KnownNetworks
    private let methods: SignInMethods

    init(
        notices: AccountNotices,
        prover: AddressProver,
        networks: KnownNetworks,
        methods: SignInMethods,
        random: any RandomSource,
        audit: AuditLog,
        schemas: SchemaCatalog
    ) {
        self.notices = notices
        self.prover = prover
        self.networks = networks
        self.methods = methods
        self.random = random
        self.audit = audit
        self.schemas = schemas
    }

    /// If the change affects access to the account, invalidates the identity's open codes and flows, and
    /// forgets its other known networks.
    ///
    /// The flow that makes the change stays open. If the change starts new flows, insert them after this
    /// call.
    ///
    /// - Throws: ``DatabaseError``.
    func prepare(
        _ new: Identity,
        replacing old: Identity,
        in flow: Identifier,
        for context: RequestContext,
        in transaction: borrowing Transaction
    ) throws {
        guard new.changesAccess(of: old) else { return }
        try OpenCodes.void(
            of: old.id,
            except: flow,
            at: context.now,
            random: random,
            in: transaction
        )
        try networks.forgetOthers(than: context.peer, of: old.id, at: context.now, in: transaction)
    }

    /// Saves a changed identity and writes an audit event.
    ///
    /// If the change affects access to the account, notices are sent to its proven addresses.
    ///
    /// - Throws: Any error thrown by ``IdentityRepository/save(_:replacing:in:)``.
    func save(
        _ new: Identity,
        replacing old: Identity,
        for context: RequestContext,
        in transaction: borrowing Transaction
    ) throws {
        try IdentityRepository.save(new, replacing: old, in: transaction)
        guard new.traits != old.traits else { return }
        let event = audit.event(.traitsChanged, of: new.id, in: context, at: context.now)
        try AuditLog.append(event, in: transaction)
        if new.region != old.region {
            let event = audit.event(.regionChanged, of: new.id, in: context, at: context.now)
            try AuditLog.append(event, in: transaction)
            // The first region of an account isn't a change, so a mistake can be corrected.
            if old.region != nil {
                try IdentityRepository.noteRegionChange(of: new.id, at: context.now, in: transaction)
            }
        }
        guard new.changesAccess(of: old) else { return }
        try notices.send(.addressChanged, to: old, for: context, in: transaction)
    }

    /// Saves a pending change after its new address has been verified, if the session that requested it is
    /// still active.
    ///
    /// The caller must have locked the identity. The address is released from other accounts on which it is
    /// only claimed. The address stays released if the change is rejected afterwards, so the caller must roll
    /// back the transaction unless the change was saved.
    ///
    /// - Returns: The changed identity. The result is `nil` if the session has ended, the account was
    ///   disabled or deleted, the session isn't allowed to remove the old addresses, the user couldn't enter
    ///   the account any more, or the traits have changed since the request.
    /// - Throws: ``IdentityRepository/Duplicate`` if the address is proven on another identity. Also throws
    ///   ``DatabaseError``.
    func make(
        _ change: PendingChange,
        of identity: Identifier,
        in flow: Flow,
        for context: RequestContext,
        in transaction: borrowing Transaction
    ) throws -> AddressProver.Verdict? {
        let now = context.now
        guard
            try SessionRepository.hold(change.session, of: identity, at: now, in: transaction),
            let old = try IdentityRepository.load(identity, in: transaction), old.state == .active,
            let schema = schemas[old.schemaID],
            let traits = change.traits(of: old, schema: schema)
        else { return nil }
        guard try prover.takeOver(change.address, for: identity, in: context, at: now, in: transaction)
        else {
            throw IdentityRepository.Duplicate()
        }
        let new = old.with(traits: traits, schema: schema, at: now, random: random)
            .proving(change.address, at: now)
            .confirming(at: now)
        let hasPassword = try IdentityRepository.passwordHash(of: identity, in: transaction) != nil
        guard
            methods.admit(new, hasPassword: hasPassword, schema: schema)
                || !methods.admit(old, hasPassword: hasPassword, schema: schema)
        else { return nil }
        let removed = old.provenAddresses.subtracting(new.addresses)
        guard try SessionRepository.evidence(of: change.session, in: transaction).allowsRemoval(of: removed)
        else {
            return nil
        }
        try prepare(new, replacing: old, in: flow.id, for: context, in: transaction)
        try save(new, replacing: old, for: context, in: transaction)
        return .granted(new)
    }
}

extension Identity {
    /// Returns whether the identifiers, verifiable addresses or recovery addresses differ from the identity's
    /// old state.
    package func changesAccess(of old: Identity) -> Bool {
        Set(identifiers) != Set(old.identifiers)
            || Set(verifiable.map(\.address)) != Set(old.verifiable.map(\.address))
            || Set(recovery.map(\.address)) != Set(old.recovery.map(\.address))
    }
}
