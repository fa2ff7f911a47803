import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit

/// The answers that lead to the client with a code.
extension Authorizations {
    /// The result of storing a grant.
    private enum Attempt {
        case granted
        case conflict
        case removedClient
    }

    /// Creates a grant and leads to the client with its code.
    func grant(
        _ pending: Pending,
        approving approved: Set<String>?,
        by session: AuthenticatedSession,
        in context: RequestContext
    ) async throws -> Outcome {
        let (request, now) = (pending.request, context.now)
        // The user can't leave out the scope that makes this a login.
        let granted = request.scopes.filter { scope in
            approved.map { scope == ScopeName.openID || $0.contains(scope) } ?? true
        }
        guard !granted.isEmpty else { return try await refuse(pending, with: .accessDenied, at: now) }
        let code = AuthorizationCode(random: random)
        let grant = NewGrant(
            request,
            of: pending.client,
            scopes: granted,
            by: session.session,
            code: code,
            expiringAt: now + settings.codeLifespan,
            random: random
        )
        let (identity, client) = (session.identity.id, pending.client.id)
        let event = audit.event(.authorized, of: identity, in: context, about: client, at: now)
        let attempt: Attempt = try await database.transaction { transaction in
            // The locks conflict with any event that ends the grants of the account or the client.
            guard
                try IdentityRepository.confirm(identity, in: transaction),
                try SessionRepository.hold(session.session.id, of: identity, at: now, in: transaction)
            else { return .conflict }
            guard try ClientRepository.hold(client, in: transaction) else { return .removedClient }
            if let id = pending.id {
                let isOpen = try AuthorizationRequestRepository.answer(
                    id,
                    with: grant.id,
                    by: pending.approver,
                    at: now,
                    in: transaction
                )
                guard isOpen else { return .conflict }
            }
            try GrantRepository.insert(grant, at: now, in: transaction)
            if approved != nil {
                try ConsentRepository.save(
                    granted,
                    of: request.scopes,
                    for: client,
                    by: identity,
                    in: session.session.id,
                    at: now,
                    in: transaction
                )
            }
            try AuditLog.append(event, in: transaction)
            return .granted
        }
        switch attempt {
        case .granted: return .redirect(to: response(to: request).address(with: code.secret))
        // The client is only known because it is cached.
        case .removedClient: return .over(.expired, nil)
        case .conflict:
            // Either the session has ended, or another request was faster.
            guard let id = pending.id else {
                return try await proceed(with: pending, session: nil, in: context)
            }
            switch try await stored(id, in: context) {
            case .failure(let ended): return .over(ended.ending, ended.client)
            case .success(let found) where found.answeredAt != nil:
                return try await repeated(found, session: session, in: context)
            case .success(let found): return try await proceed(with: found, session: nil, in: context)
            }
        }
    }

    /// Answers a request again that was answered a moment ago.
    ///
    /// A code that hasn't been redeemed is replaced, so that there is never more than one.
    func repeated(
        _ pending: Pending,
        session: AuthenticatedSession?,
        in context: RequestContext
    ) async throws -> Outcome {
        guard let grant = pending.grant else {
            return .redirect(to: response(to: pending.request).address(with: .accessDenied))
        }
        guard let session else { return .over(.answered, pending.client) }
        let code = AuthorizationCode(random: random)
        let isReplaced = try await database.transaction { transaction in
            try GrantRepository.replaceCode(
                of: grant,
                with: code,
                for: session.identity.id,
                at: context.now,
                in: transaction
            )
        }
        guard isReplaced else { return .over(.answered, pending.client) }
        return .redirect(to: response(to: pending.request).address(with: code.secret))
    }

    func response(to request: AuthorizationRequest) -> AuthorizationResponse {
        AuthorizationResponse(to: request.redirectURI, state: request.state, issuer: urls.base)
    }
}
