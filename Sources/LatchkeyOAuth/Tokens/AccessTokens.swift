package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit

/// Issues and verifies access tokens, and the proofs that bind them to keys.
///
/// Sessions are authenticated with access tokens, so this is created before the accounts.
package struct AccessTokens: AccessTokenReader {
    /// The key pairs that sign access tokens and other tokens, which are rotated regularly.
    package let keys: SigningKeyRing
    let settings: TokenSettings
    let issuer: AccessTokenIssuer
    let proofs: DPoPVerifier
    private let verifier: AccessTokenVerifier

    /// Creates the services.
    ///
    /// The other lifespan is the longest one of anything else that the keys sign.
    package init(
        _ environment: ServerEnvironment,
        settings: TokenSettings,
        privilegedAge: Duration,
        otherLifespan: Duration
    ) {
        self.settings = settings
        keys = SigningKeyRing(
            database: environment.database,
            secrets: environment.secrets,
            random: environment.random,
            settings: settings,
            otherLifespan: max(otherLifespan, TokenSettings.longestLifespan)
        )
        issuer = AccessTokenIssuer(
            settings: settings,
            issuer: environment.urls.base,
            keys: keys,
            privilegedAge: privilegedAge,
            random: environment.random
        )
        let nonces = DPoPNonces(secrets: environment.secrets)
        proofs = DPoPVerifier(origin: environment.urls.base, nonces: nonces, database: environment.database)
        verifier = AccessTokenVerifier(tokens: issuer, proofs: proofs, nonces: nonces)
    }

    package func token(of context: RequestContext) async throws -> PresentedAccessToken? {
        try await verifier.token(of: context)
    }

    package func provenKey(in context: RequestContext, for token: Secret) async throws -> [UInt8] {
        try await verifier.provenKey(in: context, for: token)
    }
}
