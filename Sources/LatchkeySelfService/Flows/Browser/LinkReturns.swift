import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit

/// The way on from the button that leads back to the app of a mailed link.
package enum LinkReturn: Sendable {
    /// The redirect URI of the app, with a code.
    case app(String)
    /// The address is confirmed, but the link doesn't lead back to the app any more.
    case confirmed
    /// The address isn't confirmed yet, or the flow has ended in another way.
    case unconfirmed(Flow)
}

/// Leads browsers that have confirmed a mailed link back to the app that has asked for it.
///
/// The server can't know whether the app is on the same device: a network or the name of a browser is no evidence.
/// The user says so by opening the app, and only then is a code created. It is useless to an app without the verifier
/// of the request.
struct LinkReturns: Sendable {
    /// A link that was confirmed in the browser.
    private struct Confirmed: Sendable {
        let challenge: Identifier
        let account: Identifier
        let address: ContactAddress
    }

    private let database: any Database
    private let keys: CodeKeys
    private let authorization: (any AuthorizationContinuation)?

    init(_ services: MethodServices) {
        database = services.environment.database
        keys = CodeKeys(secrets: services.environment.secrets)
        authorization = services.lifecycle.authorization
    }

    /// Returns the client to which the flow of a link leads back, or `nil` if it doesn't.
    func client(of flow: Flow, at now: Timestamp) async throws -> OAuthClient? {
        guard let authorization, let confirmed = try await confirmed(flow) else { return nil }
        return try await authorization.client(
            awaiting: confirmed.challenge,
            confirming: confirmed.address,
            of: confirmed.account,
            at: now
        )
    }

    /// Returns where the button of a flow's page leads to.
    func destination(from flow: Flow, in context: RequestContext) async throws -> LinkReturn {
        guard flow.state == .passedChallenge else { return .unconfirmed(flow) }
        guard let authorization, let confirmed = try await confirmed(flow),
            let address = try await authorization.answer(
                confirmed.challenge,
                confirming: confirmed.address,
                of: confirmed.account,
                in: context
            )
        else { return .confirmed }
        return .app(address)
    }

    /// Returns the link with which the browser has the flow open, if its code is the one that has completed the flow.
    ///
    /// The flow may have sent codes to several mailboxes. Without this check, the reader of an earlier mail could wait
    /// until another one confirms the flow.
    private func confirmed(_ flow: Flow) async throws -> Confirmed? {
        guard flow.kind == .verification, flow.state == .passedChallenge, flow.completedAt != nil,
            let link = flow.link, let challenge = flow.linkedChallenge, let account = flow.identityID,
            let code = try await database.transaction({ try CodeRepository.find(of: flow.id, in: $0) }),
            code.usedAt != nil, code.identityID == account,
            keys.matches(link.code, sealed: code.sealed, flow: flow.id, address: code.address.value)
        else { return nil }
        return Confirmed(challenge: challenge, account: account, address: code.address)
    }
}
