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
    /// Returns the open authorization request that a request to start a flow names, or `nil` if it names none.
    ///
    /// - Throws: A ``ServerError`` with status 400 if the browser has no such request, or if the client isn't a
    ///   browser. Also throws ``DatabaseError``.
    func authorization(
        for type: FlowType,
        in context: RequestContext
    ) async throws -> PendingAuthorization? {
        guard let challenge = context.query["login_challenge"], !challenge.isEmpty else { return nil }
        guard type == .browser else {
            throw ServerError.malformed("The query parameter login_challenge is for browsers.")
        }
        guard let id = Identifier(challenge), let authorization,
            let found = try await authorization.request(id, of: context.browser, at: context.now)
        else { throw ServerError.loginChallengeInvalid }
        return found
    }

    /// Returns a flow with the authorization request that it belongs to, if that is still open.
    func withAuthorization(_ flow: Flow, in context: RequestContext) async throws -> Flow {
        guard let id = flow.loginChallenge, let authorization else { return flow }
        var flow = flow
        flow.authorization = try await authorization.request(id, of: context.browser, at: context.now)
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
