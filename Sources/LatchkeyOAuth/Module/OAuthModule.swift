package import LatchkeyAccounts
import LatchkeyModel
package import LatchkeyServerKit

/// The token endpoint, the revocation endpoint and the published keys.
package struct OAuthModule: ServerModule {
    package static var migrations: [Migration] { .oauth }

    package static var accountData: any AccountDataPart { TokenData() }

    package let routes: [Endpoint]
    package let operatorRoutes: [Endpoint]
    /// Handles the requests of clients in browsers.
    package let authorizations: Authorizations
    /// Continues the sessions of apps in browsers.
    package let handovers: Handovers
    package let workers: [any ServerWorker]

    package init(
        _ environment: ServerEnvironment,
        settings: ProviderSettings,
        scopes scopeSettings: ScopeSettings,
        tokens: AccessTokens,
        accounts: AccountsModule
    ) {
        let issuer = environment.urls.base
        let scopes = ScopeCatalog(scopeSettings)
        authorizations = Authorizations(
            environment,
            accounts: accounts,
            settings: settings,
            scopes: scopes,
            hints: IDTokenHints(issuer: issuer, keys: tokens.keys)
        )
        handovers = Handovers(environment, accounts: accounts)
        let reader = GrantTokenReader(issuer: issuer, keys: tokens.keys)
        let clients = ClientTokens(
            environment,
            accounts: accounts,
            settings: settings,
            tokens: GrantTokens(
                environment,
                tokens: tokens,
                accounts: accounts,
                provider: settings,
                scopes: scopes
            ),
            reader: reader,
            proofs: tokens.proofs
        )
        let connected = ConnectedClientEndpoints(environment, accounts: accounts)
        operatorRoutes = connected.operatorEndpoints
        routes =
            TokenEndpoints(
                settings: tokens.settings,
                proofs: tokens.proofs,
                secrets: environment.secrets,
                database: environment.database,
                accessTokens: tokens.issuer,
                sessions: accounts.sessions,
                revoker: accounts.revoker,
                audit: accounts.audit,
                limiter: accounts.limiter,
                duties: TokenDuties(accounts),
                clients: clients,
                pushed: PushedRequests(
                    environment,
                    accounts: accounts,
                    authorizations: authorizations,
                    authenticator: clients.authenticator,
                    proofs: tokens.proofs
                ),
                handover: HandoverExchange(
                    environment,
                    accounts: accounts,
                    proofs: tokens.proofs,
                    scopes: scopes
                )
            ).endpoints + connected.endpoints
            + Approvals(
                environment,
                accounts: accounts,
                authorizations: authorizations,
                tokens: tokens,
                scopes: scopes
            ).endpoints
            + IdentifierStatusEndpoints(
                environment,
                accounts: accounts,
                settings: settings,
                proofs: tokens.proofs
            ).endpoints
            + UserInfoEndpoints(
                environment,
                accounts: accounts,
                reader: reader,
                proofs: tokens.proofs
            ).endpoints
            + KeySetEndpoints(
                settings: tokens.settings,
                issuer: issuer,
                keys: tokens.keys,
                scopes: scopes.names
            ).endpoints
        workers = [tokens.keys]
        accounts.clients.observeChanges { [keys = tokens.keys, time = environment.time] in
            keys.prepareForClients(at: time.now)
        }
    }

    package var expiredRows: [ExpiredRows] {
        [
            ExpiredRows(.proofs) { now, limit, transaction in
                try SeenProofRepository.deleteExpired(at: now, atMost: limit, in: transaction)
            },
            ExpiredRows(.authorizationRequests) { now, limit, transaction in
                try AuthorizationRequestRepository.deleteExpired(at: now, atMost: limit, in: transaction)
            },
            ExpiredRows(.handovers) { now, limit, transaction in
                try HandoverRepository.deleteExpired(at: now, atMost: limit, in: transaction)
            },
            ExpiredRows(.grants) { now, limit, transaction in
                try GrantRepository.deleteExpired(
                    before: now - GrantRepository.retention,
                    atMost: limit,
                    in: transaction
                )
            },
            ExpiredRows(.revokedAccessTokens) { now, limit, transaction in
                try RevokedAccessTokens.deleteExpired(at: now, atMost: limit, in: transaction)
            },
        ]
    }
}

extension ExpiredRows.Kind {
    /// Fingerprints in the replay cache for DPoP proofs.
    package static let proofs: Self = "proofs"
    /// Requests of OAuth clients that no user has answered.
    package static let authorizationRequests: Self = "authorization requests"
    /// Codes with which no browser has continued the session of an app.
    package static let handovers: Self = "handovers"
    /// Grants of OAuth clients that have expired.
    package static let grants: Self = "grants"
    /// Access tokens that were revoked and have expired.
    package static let revokedAccessTokens: Self = "revoked access tokens"
}
