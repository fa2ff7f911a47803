package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

extension Authorizations: AuthorizationContinuation {
    package func request(
        _ id: Identifier,
        of browser: BrowserState?,
        at now: Timestamp
    ) async throws -> PendingAuthorization? {
        guard let found = try await requests.find(id), found.isOpen(at: now),
            browser.map({ $0.owns(found) }) ?? (found.isOpenedByApp || found.continuesByLink),
            let client = try await clients.client(found.request.clientID)
        else { return nil }
        return pending(found.request, id: id, client: client, continuesByLink: found.continuesByLink)
    }

    func pending(
        _ request: AuthorizationRequest,
        id: Identifier,
        client: OAuthClient,
        continuesByLink: Bool = false
    ) -> PendingAuthorization {
        PendingAuthorization(
            id: id,
            client: client,
            requestURL: request.url(below: urls.base),
            scopes: request.scopes,
            loginHint: request.loginHint,
            uiLocales: request.uiLocales,
            continuesByLink: continuesByLink
        )
    }

    package func open(
        _ uri: String,
        of client: OAuthClient,
        at now: Timestamp
    ) async throws -> PendingAuthorization {
        guard client.metadata.own.isFirstParty, client.metadata.skipsConsent else {
            throw ServerError.malformed(
                "Native flows answer authorization requests of clients with first_party and skip_consent only."
            )
        }
        guard let uri = RequestURI(presented: uri),
            let request = try await PushedRequestRepository.find(uri, of: client.id, at: now, in: database)
        else { throw Self.unknownRequest }
        guard request.prompts.isDisjoint(with: [.none, .consent]) else {
            throw ServerError.malformed("The prompt of the authorization request needs a browser.")
        }
        let opened = try await database.transaction { transaction in
            try PushedRequestRepository.openByApp(uri, of: client.id, at: now, in: transaction)
        }
        guard let opened else { throw Self.unknownRequest }
        return pending(request, id: opened, client: client)
    }

    private static let unknownRequest = ServerError(
        400,
        id: .loginChallengeInvalid,
        reason: "The request_uri is unknown, used or expired, or belongs to another client."
    )

    /// Answers the request of an app's flow.
    ///
    /// The user has logged in within the request, so whatever still needs a page or another account can't be
    /// answered with a code. That includes a client that was changed since it has started the flow.
    package func answer(
        _ id: Identifier,
        by session: AuthenticatedSession,
        isProvisional: Bool,
        in context: RequestContext
    ) async throws -> String? {
        guard let found = try await requests.find(id), found.isOpenedByApp, found.isOpen(at: context.now),
            let client = try await clients.client(found.request.clientID)
        else { return nil }
        let pending = Pending(found, client: client)
        let facts = try await facts(about: pending, isApproved: false, session: session, at: context.now)
        let outcome =
            switch AuthorizationDecision(facts) {
            case .grant where !isProvisional && client.metadata.own.isFirstParty:
                try await grant(pending, approving: nil, by: session, in: context)
            case .refuse(let error): try await refuse(pending, with: error, at: context.now)
            case .ask(.scopes): try await refuse(pending, with: .consentRequired, at: context.now)
            case .grant, .logIn, .signUp, .chooseAccount, .completeProfile, .ask(.proceed):
                try await refuse(pending, with: .interactionRequired, at: context.now)
            }
        guard case .redirect(let address) = outcome else { return nil }
        return address
    }

    package func client(of id: Identifier) async throws -> OAuthClient? {
        guard let found = try await requests.find(id) else { return nil }
        return try await clients.client(found.request.clientID)
    }

    package func extend(
        _ id: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try AuthorizationRequestRepository.extend(id, at: now, in: transaction)
    }

    package func address(continuing id: Identifier) -> String {
        urls.base + Route.authorizationContinuation + "?login_challenge=\(id)"
    }

    package func address(refusing id: Identifier) -> String {
        urls.base + Route.authorizationRefusal + "?login_challenge=\(id)"
    }
}

extension BrowserState {
    /// Returns whether an authorization request belongs to the browser.
    func owns(_ request: StoredAuthorization) -> Bool {
        hasSecret { request.isBound(to: $0) } || hadSecret { request.isBound(to: $0) }
    }
}

extension ClientMetadata {
    /// Returns the kind of the registered URI that matches a request's.
    func redirectKind(of requested: String) -> RedirectURI.Kind {
        redirectURIs.first { $0.matches(requested) }?.kind ?? .privateUse
    }
}

extension LimitedEvent {
    /// An authorization request is stored for a network.
    static func authorizationRequest(_ network: Network) -> LimitedEvent {
        LimitedEvent("authorization request", of: network, metric: .authorizationsPerAddress) {
            $0.authorizationsPerAddress
        }
    }
}
