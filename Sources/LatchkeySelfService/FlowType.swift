import LatchkeyAccounts
import LatchkeyServerKit
import LatchkeyWire

/// The kind of client that a flow was started for.
///
/// The type only decides which ``FlowResponder`` responds. The raw values are Kratos's names.
package enum FlowType: String, Sendable, CaseIterable {
    /// A native app, which receives JSON and stores its token itself.
    case api
    /// A browser, which is identified by cookies.
    case browser
}

extension FlowType {
    /// The kind of token of the sessions that such flows open.
    var sessionKind: SessionToken.Kind { self == .browser ? .browser : .app }
}

extension SessionAuthenticator {
    /// Returns the active session of a request to a flow, if its credential is one of the flow's type of client.
    ///
    /// A browser's flow therefore can't change the session of an app, or the other way around.
    func session(of context: RequestContext, for type: FlowType) async throws -> AuthenticatedSession? {
        let found = try await session(of: context)
        return found?.presentedToken?.kind == type.sessionKind ? found : nil
    }

    /// Returns the active session of a request to a flow that requires one.
    func requiredSession(of context: RequestContext, for type: FlowType) async throws -> AuthenticatedSession
    {
        guard let found = try await session(of: context, for: type) else {
            throw ServerError(
                401,
                id: .sessionInactive,
                reason: "No valid session credentials were found in the request."
            )
        }
        return found
    }
}
