import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit

/// A request of an authenticated client to the token endpoint.
struct ClientRequest: Sendable {
    let client: OAuthClient
    let fields: FormFields
    /// The proof of possession, or `nil` if the request contains none (RFC 9449, section 5).
    let proof: PresentedProof?
    let context: RequestContext

    var now: Timestamp { context.now }

    /// The JWK thumbprint of the key that signed the proof.
    var keyThumbprint: String? { proof?.thumbprintText }
}
