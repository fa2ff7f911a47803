import LatchkeyAccounts
import LatchkeyServerKit
import LatchkeyWire

extension JSONWriter {
    /// Writes the members about the authorization request of a flow, if it has one.
    mutating func authorization(of flow: Flow) {
        guard let challenge = flow.loginChallenge else { return }
        name("oauth2_login_challenge")
        identifier(challenge)
        guard let pending = flow.authorization else { return }
        name("oauth2_login_request")
        request(pending)
    }

    /// Writes an authorization request as Hydra's `OAuth2LoginRequest`.
    ///
    /// The browser's pages get the members of the client that they show, and none that only concern the operator.
    private mutating func request(_ pending: PendingAuthorization) {
        object { writer in
            writer.name("challenge")
            writer.identifier(pending.id)
            writer.name("client")
            writer.object { $0.shown(pending.client) }
            writer.name("request_url")
            writer.string(pending.requestURL)
            writer.name("requested_scope")
            writer.array { writer in for scope in pending.scopes { writer.string(scope) } }
            writer.name("skip")
            writer.bool(false)
            writer.name("subject")
            writer.string("")
        }
    }

    private mutating func shown(_ client: OAuthClient) {
        name("client_id")
        string(client.id)
        let metadata = client.metadata
        let members: [(String, String?)] = [
            ("client_name", metadata.name), ("client_uri", metadata.uri), ("logo_uri", metadata.logoURI),
            ("policy_uri", metadata.policyURI), ("tos_uri", metadata.termsURI),
        ]
        for case (let member, let value?) in members {
            name(escaping: member)
            string(value)
        }
    }
}
