package import LatchkeyAccounts
package import LatchkeyModel

/// The decision about the credentials of a client, as far as it can be made without comparing secrets.
package enum ClientDecision: Hashable, Sendable {
    /// The client is public and needs no secret.
    case accepted
    /// The client is authenticated if the secret matches one of the hashes.
    case compared(Secret, with: [ClientSecretHash])
    /// The client is unknown or disabled, or uses a method that it hasn't registered.
    case refused

    /// Decides about credentials.
    ///
    /// - Parameters:
    ///   - credentials: The credentials in the request.
    ///   - client: The client with this id, or `nil` if there is none or it is disabled.
    ///   - now: The current time, which determines whether an earlier secret is still valid.
    package init(_ credentials: ClientCredentials, of client: OAuthClient?, at now: Timestamp) {
        guard
            let client, !client.isDisabled,
            credentials.method == client.metadata.authenticationMethod
        else {
            self = .refused
            return
        }
        guard client.metadata.isConfidential else {
            self = .accepted
            return
        }
        let hashes = client.secrets.valid(at: now)
        guard let secret = credentials.secret, !hashes.isEmpty else {
            self = .refused
            return
        }
        self = .compared(secret, with: hashes)
    }
}
