package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The requests of native apps that continue with a mailed link.
extension Authorizations {
    package func begin(
        byLink query: String,
        of client: OAuthClient,
        in context: RequestContext
    ) async throws -> PendingAuthorization {
        // No page asks the user, so other clients can't get a code.
        guard client.metadata.own.isFirstParty, client.metadata.skipsConsent else {
            throw ServerError.malformed(
                "Mailed links lead back to clients with first_party and skip_consent only."
            )
        }
        let request = try await request(byLink: query, of: client, at: context.now)
        let id = Identifier(random: random)
        let events = Network.all(of: context.peer).map { LimitedEvent.authorizationRequest($0) }
        try await database.transaction { [limiter] transaction in
            try limiter.require(events, at: context.now, in: transaction)
            try AuthorizationRequestRepository.insertForLink(
                request,
                id: id,
                at: context.now,
                in: transaction
            )
        }
        return pending(request, id: id, client: client, continuesByLink: true)
    }

    private func request(
        byLink query: String,
        of client: OAuthClient,
        at now: Timestamp
    ) async throws -> AuthorizationRequest {
        let named = QueryItems(query)["response_type"]?.isEmpty == false
        let request: AuthorizationRequest
        do {
            let encoded = Array((query + (named ? "" : "&response_type=code")).utf8)
            request = try await self.request(encoded, of: client, at: now)
        } catch let refusal as AuthorizationParameters.Refusal {
            throw ServerError.malformed(refusal.reason)
        } catch let error as AuthorizationError {
            throw ServerError.malformed(error.reason)
        }
        // The app recognizes the redirection by its state, and only the verifier makes a code useless to others.
        guard request.state != nil else { throw ServerError.malformed("The parameter state is missing.") }
        guard request.challenge != nil else {
            throw ServerError.malformed("The parameter code_challenge is missing.")
        }
        return request
    }

    package func attach(
        _ id: Identifier,
        to account: Identifier,
        until expiresAt: Timestamp,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try AuthorizationRequestRepository.attach(
            id,
            to: account,
            until: expiresAt,
            at: now,
            in: transaction
        )
    }

    package func client(
        awaiting id: Identifier,
        confirming address: ContactAddress,
        of account: Identifier,
        at now: Timestamp
    ) async throws -> OAuthClient? {
        guard let (stored, client) = try await awaiting(id, of: account, at: now) else { return nil }
        guard stored.answeredAt != nil else { return client }
        let grants = GrantRepository(database: database)
        guard let grant = stored.grant,
            try await grants.awaitsRedemption(grant, confirming: address, at: now)
        else { return nil }
        return client
    }

    /// Returns an account's request that continues with a mailed link, unless it has expired or was refused.
    private func awaiting(
        _ id: Identifier,
        of account: Identifier,
        at now: Timestamp
    ) async throws -> (stored: StoredAuthorization, client: OAuthClient)? {
        guard let found = try await requests.find(id), found.continuesByLink, found.chosen == account,
            found.expiresAt > now,
            let client = try await clients.client(found.request.clientID),
            client.metadata.own.isFirstParty, client.metadata.skipsConsent
        else { return nil }
        return (found, client)
    }

    package func answer(
        _ id: Identifier,
        confirming address: ContactAddress,
        of account: Identifier,
        in context: RequestContext
    ) async throws -> String? {
        guard let (found, client) = try await awaiting(id, of: account, at: context.now) else { return nil }
        let (request, now) = (found.request, context.now)
        let code = AuthorizationCode(random: random)
        let grant = NewGrant(
            request,
            of: client,
            confirming: address,
            of: account,
            at: now,
            code: code,
            expiringAt: now + settings.codeLifespan,
            random: random
        )
        let event = audit.event(.authorized, of: account, in: context, about: client.id, at: now)
        let isAnswered = try await database.transaction { [schemas] transaction in
            // The lock conflicts with any event that ends the account's grants or takes the address.
            guard try IdentityRepository.confirm(account, in: transaction),
                let identity = try IdentityRepository.load(account, in: transaction),
                identity.verifiable.contains(where: { $0.address == address && $0.isVerified }),
                client.metadata.own.accepts(schema: identity.schemaID),
                schemas[identity.schemaID]?.policy.needsCertificate == false,
                try ClientRepository.hold(client.id, in: transaction)
            else { return false }
            if try AuthorizationRequestRepository.answer(
                id,
                with: grant.id,
                by: nil,
                at: now,
                in: transaction
            ) {
                try GrantRepository.insert(grant, at: now, in: transaction)
                try AuditLog.append(event, in: transaction)
                return true
            }
            // The first answer was lost, or the user has pressed the button again.
            guard let earlier = try AuthorizationRequestRepository.grant(of: id, in: transaction) else {
                return false
            }
            return try GrantRepository.renewCode(
                of: earlier,
                with: code,
                confirming: address,
                for: account,
                until: grant.codeExpiresAt,
                at: now,
                in: transaction
            )
        }
        return isAnswered ? response(to: request).address(with: code.secret) : nil
    }
}
