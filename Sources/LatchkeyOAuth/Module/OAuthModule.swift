package import LatchkeyAccounts
import LatchkeyModel
package import LatchkeyServerKit

/// The token endpoint, the revocation endpoint and the published keys.
package struct OAuthModule: ServerModule {
    package static var migrations: [Migration] { .oauth }

    package static var accountData: any AccountDataPart { TokenData() }

    package let routes: [Endpoint]
    package let workers: [any ServerWorker]

    package init(_ environment: ServerEnvironment, tokens: AccessTokens, accounts: AccountsModule) {
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
                limiter: accounts.limiter
            ).endpoints
            + KeySetEndpoints(
                settings: tokens.settings,
                issuer: environment.urls.base,
                keys: tokens.keys
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
            }
        ]
    }
}

extension ExpiredRows.Kind {
    /// Fingerprints in the replay cache for DPoP proofs.
    package static let proofs: Self = "proofs"
}
