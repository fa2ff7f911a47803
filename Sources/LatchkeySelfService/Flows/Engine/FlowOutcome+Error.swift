import LatchkeyServerKit
import LatchkeyWire

extension FlowOutcome {
    /// Returns the error that reports the outcome as JSON, or `nil` if it is reported with a body of its own.
    ///
    /// The status is 410 if the flow has expired or was replaced, 403 if a login requires a verified address or
    /// a change requires a recent login, and 400 if a recovery code has no guesses left.
    func error(urls: ServerURLs) -> ServerError? {
        switch self {
        case .expired(let replacement): .flowExpired(replacement.errorDetail)
        case .replaced(let replacement): .flowReplaced(replacement.errorDetail)
        case .moved(let flow): .flowExpired(ServerError.Replacement(flow: flow.id, now: flow.createdAt))
        case .guessesUsedUp(let replacement):
            ServerError(
                400,
                reason: "Too many wrong codes were submitted. Start again with the flow in continue_with.",
                continuation: [.recovery(flow: replacement.id)]
            )
        case .unverified(_, let continuation):
            ServerError(
                403,
                id: .verifiedAddressRequired,
                code: 400,
                reason: "You must verify one of the account's addresses before you can log in.",
                continuation: continuation
            )
        case .refreshRequired(let flow): Self.refreshRequired(flow, urls: urls)
        case .shown, .waiting, .refused, .passed, .recovered, .alreadyLoggedIn, .continued, .loggedIn,
            .registered:
            nil
        }
    }

    /// Returns the 403 error for a change that requires a recent login.
    ///
    /// As in Kratos, `redirect_browser_to` is a re-authentication URL that leads back to the flow.
    private static func refreshRequired(_ flow: Flow, urls: ServerURLs) -> ServerError {
        let settings = urls.selfService + flow.kind.path + "?flow=\(flow.id)"
        return ServerError(
            403,
            id: .sessionRefreshRequired,
            reason: "This change requires a recent login. Re-authenticate with refresh=true and retry.",
            browserLocation: urls.selfService + FlowKind.login.path
                + "/browser?refresh=true&return_to=" + QueryItems.encode(settings)
        )
    }
}
