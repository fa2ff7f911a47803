import LatchkeyCourier
package import LatchkeyModel
package import LatchkeyServerKit

/// Applies the rules of ``AddressOwnership`` to an account, in the same transaction that accepts a code.
package struct AddressProver: Sendable {
    /// The purpose of a code.
    ///
    /// A code becomes invalid when its address can no longer be used for this purpose.
    ///
    /// `login` requires an identifier that can receive login codes according to the account's schema,
    /// `recovery` requires a recovery address, and `verification` requires a verifiable address.
    package enum Role {
        case login, recovery, verification
    }

    /// The outcome of entering a correct code.
    package enum Verdict: Sendable {
        /// The code is accepted.
        ///
        /// The associated value is the updated identity.
        case granted(Identity)
        /// The caller is rejected because the account belongs to the owner of another address.
        case refused
        /// An operator has disabled the account.
        case disabled
        /// The address can no longer be used for the code's purpose, or the account was deleted.
        case stale
    }

    /// A correct code and the request that contained it.
    package struct Request: Sendable {
        /// The address that the code was sent to.
        let address: ContactAddress
        /// The id of the account that the code was sent for.
        let identity: Identifier
        /// The purpose for which the code was sent.
        let role: Role
        /// How the code was entered.
        let proof: AddressOwnership.Proof
        /// The flow that the code was sent in.
        ///
        /// If the account is taken over, all of its other flows are completed, but this one stays open.
        let flow: Identifier
        /// The request that contained the code.
        ///
        /// Audit events contain details of this request, and notices are written in its language.
        let context: RequestContext

        /// Creates a request.
        ///
        /// The caller must already have verified the code and marked it as used in the same transaction.
        package init(
            address: ContactAddress,
            identity: Identifier,
            role: Role,
            proof: AddressOwnership.Proof,
            flow: Identifier,
            context: RequestContext
        ) {
            self.address = address
            self.identity = identity
            self.role = role
            self.proof = proof
            self.flow = flow
            self.context = context
        }
    }

    private let schemas: SchemaCatalog
    private let audit: AuditLog
    private let data: AccountData
    private let notices: AccountNotices

    /// Creates an instance.
    ///
    /// - Parameters:
    ///   - notices: Notifies an account's other proven addresses.
    ///   - schemas: The schemas, which determine which addresses can receive login codes.
    ///   - audit: The audit log that creates the events.
    ///   - data: The data that other modules store about accounts, such as the codes and flows that a
    ///     takeover invalidates.
    package init(notices: AccountNotices, schemas: SchemaCatalog, audit: AuditLog, data: AccountData) {
        self.notices = notices
        self.schemas = schemas
        self.audit = audit
        self.data = data
    }

    /// Applies the ownership rules after a correct code has been entered.
    ///
    /// We lock the identity's row first, which serializes concurrent proofs, claims, logins and takeovers of
    /// the account.
    ///
    /// If the address had not been proven yet, this method records an `address.verified` event for logins and
    /// recoveries that aren't rejected. Verification flows record the event themselves.
    ///
    /// - Parameters:
    ///   - request: The correct code and the request that contained it.
    ///   - now: The current time.
    ///   - transaction: The database transaction in which the code is accepted.
    /// - Returns: Whether the code is accepted and, if it is, the identity's new state.
    /// - Throws: Any error thrown by ``IdentityRepository/save(_:replacing:in:)``.
    package func prove(
        _ request: Request,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Verdict {
        let address = request.address
        let isActive = try IdentityRepository.confirm(request.identity, in: transaction)
        guard
            let old = try IdentityRepository.load(request.identity, in: transaction),
            old.has(address, as: request.role, by: schemas)
        else { return .stale }
        guard isActive else { return .disabled }
        let outcome = AddressOwnership.outcome(of: request.proof, for: old.standing(of: address))
        if outcome != .refuse, request.role != .verification, !old.isProven(address) {
            try append(.addressVerified, for: request, at: now, in: transaction)
        }
        switch outcome {
        case .confirm:
            return try save(old.confirmed(by: address, at: now), replacing: old, in: transaction)
        case .verify:
            try notifyOfVerification(old, for: request, in: transaction)
            return try save(old.proving(address, at: now), replacing: old, in: transaction)
        case .show:
            try notifyOfVerification(old, for: request, in: transaction)
            let new = old.verifying(address: address.value, at: now)
            return try save(new, replacing: old, in: transaction)
        case .enter:
            return try save(old.proving(address, at: now), replacing: old, in: transaction)
        case .reclaim:
            try reclaim(old, for: request, at: now, in: transaction)
            return try save(
                old.reclaimed(by: address, schema: schemas[old.schemaID], at: now),
                replacing: old,
                in: transaction
            )
        case .refuse:
            try notices.sendRefusedEntry(to: old, for: request.context, in: transaction)
            return .refused
        }
    }

    /// Returns the id of the identity on which an address is proven.
    ///
    /// The result is `nil` if the address isn't proven on any identity.
    ///
    /// - Throws: ``DatabaseError``.
    package func owner(of address: ContactAddress, in transaction: borrowing Transaction) throws
        -> Identifier?
    {
        for id in try AddressStateRepository.holders(of: address, in: transaction) {
            guard let holder = try IdentityRepository.load(id, in: transaction) else { continue }
            if holder.isProven(address) { return id }
        }
        return nil
    }

    /// Releases an address from all accounts that only claim it, after it was proven by a sign-up or a
    /// settings change.
    ///
    /// The accounts that lose the address keep everything else, including their sessions and known networks.
    /// An event is recorded for each account.
    ///
    /// - Parameters:
    ///   - address: The proven address.
    ///   - newHolder: The account that now has the address, or `nil` if this account hasn't been created yet.
    ///   - context: The request that is recorded in the audit log.
    ///   - now: The current time.
    ///   - transaction: The database transaction that adds the address to its new account.
    /// - Returns: `false` if the address is proven on another account, in which case no account is changed.
    /// - Throws: ``DatabaseError``.
    package func takeOver(
        _ address: ContactAddress,
        for newHolder: Identifier? = nil,
        in context: RequestContext,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Bool {
        var claimants: [Identity] = []
        for id in try AddressStateRepository.holders(of: address, in: transaction) where id != newHolder {
            guard let holder = try IdentityRepository.load(id, in: transaction) else { continue }
            guard !holder.isProven(address) else { return false }
            claimants.append(holder)
        }
        for old in claimants {
            let released = old.releasing(address, by: schemas[old.schemaID], at: now)
            try IdentityRepository.save(released, replacing: old, in: transaction)
            let event = audit.event(
                .addressReleased,
                of: old.id,
                by: .server,
                in: context,
                about: address.via.rawValue,
                at: now
            )
            try AuditLog.append(event, in: transaction)
        }
        return true
    }

    /// Saves a changed identity and returns it as ``Verdict/granted(_:)``.
    private func save(
        _ new: Identity,
        replacing old: Identity,
        in transaction: borrowing Transaction
    ) throws -> Verdict {
        try IdentityRepository.save(new, replacing: old, in: transaction)
        return .granted(new)
    }

    /// Notifies the other proven addresses, unless the address was already verified.
    private func notifyOfVerification(
        _ identity: Identity,
        for request: Request,
        in transaction: borrowing Transaction
    ) throws {
        let isNew = !identity.verifiable.contains { $0.address == request.address && $0.isVerified }
        guard isNew else { return }
        try notices.send(
            .addressVerified,
            to: identity,
            except: request.address,
            for: request.context,
            in: transaction
        )
    }

    /// Records a user's action in the audit log.
    ///
    /// The subject is the channel of the address.
    private func append(
        _ action: AuditAction,
        for request: Request,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        let via = request.address.via.rawValue
        let event = audit.event(action, of: request.identity, in: request.context, about: via, at: now)
        try AuditLog.append(event, in: transaction)
    }

    /// Transfers an account to the owner of one of its addresses.
    ///
    /// The password, sessions, certificates, codes, flows, payment methods and known networks are revoked or
    /// deleted, so the creator of the account can't log in again. The other proven addresses are notified.
    private func reclaim(
        _ identity: Identity,
        for request: Request,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        let id = identity.id
        _ = try IdentityRepository.removePassword(of: id, in: transaction)
        try SessionRepository.revokeAll(of: id, at: now, in: transaction)
        try CertificateRepository.revokeAll(of: id, at: now, in: transaction)
        try data.endFlows(of: id, except: request.flow, at: now, in: transaction)
        try data.reclaim(id, at: now, in: transaction)
        try KnownNetworks.forget(id, in: transaction)
        try AgreementRepository.clear(of: id, in: transaction)
        try IdentityRepository.noteRegionChange(of: id, at: nil, in: transaction)
        try append(.accountReclaimed, for: request, at: now, in: transaction)
        try notices.send(
            .accountRecovered,
            to: identity,
            except: request.address,
            for: request.context,
            in: transaction
        )
    }
}

extension Identity {
    /// Returns whether an address can still be used for the purpose that a code was sent for.
    fileprivate func has(
        _ address: ContactAddress,
        as role: AddressProver.Role,
        by schemas: SchemaCatalog
    ) -> Bool {
        switch role {
        case .login: identifiers.contains(address.value) && schemas.takesCodes(record, at: address)
        case .recovery: recovery.contains { $0.address == address }
        case .verification: verifiable.contains { $0.address == address }
        }
    }
}
