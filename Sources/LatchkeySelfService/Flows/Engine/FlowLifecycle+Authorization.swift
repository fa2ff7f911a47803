import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Thrown for a flow of a browser that has logged in since it started the flow.
///
/// The flow isn't used any more, but the authorization request that it belongs to continues at an address.
struct EarlierFlow: ServerErrorConvertible {
    let flow: Flow
    let address: String

    var serverError: ServerError { .earlierFlow(continuingAt: address) }
}

extension FlowLifecycle {
    /// Returns the open authorization request that a request to start a flow names.
    ///
    /// - Parameters:
    ///   - challenge: The id of the request, as sent by the browser.
    ///   - type: The type of client that starts the flow.
    ///   - context: The request to start the flow.
    /// - Returns: The authorization request.
    /// - Throws: A ``ServerError`` with status 400 if the browser has no such request, or if the client isn't a
    ///   browser. Also throws ``DatabaseError``.
    func authorization(
        _ challenge: String,
        for type: FlowType,
        in context: RequestContext
    ) async throws -> PendingAuthorization {
        guard type == .browser else {
            throw ServerError.malformed(
                "The query parameter login_challenge is for browsers. Apps push the request and send request_uri."
            )
        }
        guard let id = Identifier(challenge), let authorization,
            let found = try await authorization.request(id, of: context.browser, at: context.now)
        else { throw ServerError.loginChallengeInvalid }
        return found
    }

    /// Returns the authorization request of an app that starts a flow: the one that its client has pushed, or a new
    /// one that continues with a mailed link.
    func authorization(
        _ kind: FlowKind,
        for request: FlowRequest,
        of client: OAuthClient,
        in context: RequestContext
    ) async throws -> PendingAuthorization? {
        guard let authorization else { return nil }
        if let uri = request.requestURI {
            return try await authorization.open(uri, of: client, at: context.now)
        }
        guard request.asksForLink else { return nil }
        // The link could be confirmed by a device that has no certificate.
        guard kind != .registration || !(request.schema ?? schemas.standard).policy.needsCertificate else {
            throw ServerError.malformed(
                "Accounts whose devices need a certificate can't be created with a mailed link."
            )
        }
        return try await authorization.begin(byLink: context.request.query ?? "", of: client, in: context)
    }

    /// Returns a flow with the authorization request that it belongs to, if that is still open.
    func withAuthorization(_ flow: Flow, in context: RequestContext) async throws -> Flow {
        guard let id = flow.loginChallenge, let authorization else { return flow }
        var flow = flow
        let browser = flow.type == .browser ? context.browser : nil
        guard flow.type == .api || browser != nil else { return flow }
        flow.authorization = try await authorization.request(id, of: browser, at: context.now)
        return flow
    }

    /// Makes the authorization request of a flow last longer, because the user has submitted the flow's form.
    ///
    /// Only the first submission to a flow has an effect.
    func extendAuthorization(of flow: Flow, at now: Timestamp) async throws {
        guard let authorization, let pending = flow.authorization, flow.updatedAt == flow.createdAt else {
            return
        }
        try await database.transaction { transaction in
            try authorization.extend(pending.id, at: now, in: transaction)
        }
    }

    /// Answers the authorization request of an app's flow that was completed with a session.
    ///
    /// A recovery is followed by the settings flow in which the user sets a new password. That would end the grant,
    /// so the request is answered when the settings are saved.
    ///
    /// - Returns: The redirect URI with the answer, or `nil` if there is none.
    func answer(to outcome: FlowOutcome, in context: RequestContext) async throws -> String? {
        guard let authorization, outcome.flow.type == .api, let id = outcome.flow.loginChallenge else {
            return nil
        }
        let session: AuthenticatedSession
        var isNew = true
        switch outcome {
        case .loggedIn(let opened):
            session = AuthenticatedSession(opened.session, of: opened.identity)
            isNew = !opened.isRenewed
        case .registered(let registered):
            guard let (opened, _) = registered.session else { return nil }
            session = AuthenticatedSession(opened, of: registered.identity)
        case .passed(let flow, _, _, _) where flow.kind == .verification:
            // The app has entered the code of the mail whose link would lead back to it.
            guard let account = flow.identityID, let address = flow.address.flatMap({ ContactAddress($0) })
            else { return nil }
            return try await authorization.answer(id, confirming: address, of: account, in: context)
        case .passed(let flow, _, _, _) where flow.kind == .settings:
            guard let found = try await sessions.session(of: context, for: .api) else { return nil }
            return try await authorization.answer(id, by: found, isProvisional: false, in: context)
        default: return nil
        }
        return try await authorization.answer(
            id,
            by: session,
            isProvisional: isNew && session.session.needsCertificate,
            in: context
        )
    }

    /// Gives the request of a mailed link the account of the mail, if the flow has such a request.
    ///
    /// The request lasts as long as the verification, which has just been started.
    func attachLink(
        of flow: Flow,
        to account: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        guard let pending = flow.authorization, pending.continuesByLink, let authorization else { return }
        try authorization.attach(
            pending.id,
            to: account,
            until: now + flows.lifespan(of: .verification),
            at: now,
            in: transaction
        )
    }

    /// Returns when an account is erased if no user confirms it or logs in to it before.
    func lapse(ofAccountCreatedAt now: Timestamp) -> Timestamp {
        now + flows.lifespan(of: .verification) + AccountErasure.unconfirmedRetention
    }

    /// Returns the steps that the user has to take after a submission has opened or extended a session.
    ///
    /// The list is empty if the steps can't be read. The session is already stored, so an error would only keep its
    /// token from the client, and whoami reports the steps later.
    func duties(after outcome: FlowOutcome, in context: RequestContext) async -> [AccountDuty] {
        let session: Identifier? =
            switch outcome {
            case .loggedIn(let opened): opened.session.id
            case .registered(let registered): registered.session?.0.id
            default: nil
            }
        guard let session else { return [] }
        return (try? await duties.open(forOpened: session, in: context)) ?? []
    }

    /// Returns the address at which the authorization request of a flow continues, or `nil` if there is none.
    package func address(continuing flow: Flow) -> String? {
        flow.loginChallenge.flatMap { authorization?.address(continuing: $0) }
    }

    /// Returns the address that says that the authorization request of a login or registration isn't open any more,
    /// or `nil` if it is open or there is none.
    ///
    /// Other flows are useful without the request, so users can finish them.
    package func address(ofEnded flow: Flow) -> String? {
        let isEnded = flow.authorization == nil && (flow.kind == .login || flow.kind == .registration)
        return isEnded ? address(continuing: flow) : nil
    }
}
