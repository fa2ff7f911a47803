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
            browser?.owns(found) == true,
            let client = try await clients.client(found.request.clientID)
        else { return nil }
        return PendingAuthorization(
            id: id,
            client: client,
            requestURL: found.request.url(below: urls.base),
            scopes: found.request.scopes,
            loginHint: found.request.loginHint,
            uiLocales: found.request.uiLocales
        )
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
