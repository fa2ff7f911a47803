import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// How a browser's request to a flow is answered.
///
/// This is the only place that decides it; ``BrowserFlowResponder`` writes the response.
enum BrowserAnswer: Hashable, Sendable {
    /// Redirects to the page of a flow.
    case page(FlowKind, Identifier)
    /// Redirects to where the user wanted to go, or to the default address if there is no other.
    case leave(to: String?)
    /// Redirects to the authorization request that the flow belongs to.
    case authorize(Identifier)
    /// Redirects to a new login, after which the user returns to the given address.
    case login(returnTo: String?)
    /// Redirects to a login that confirms the user, after which the user returns to the flow.
    case reauthenticate(FlowKind, Identifier)
    /// Redirects to the page that shows the error.
    case errorPage
    /// Responds with the JSON body of the outcome.
    case body(status: Int)
    /// Responds with the error envelope.
    case envelope

    /// Decides about an outcome.
    init(to outcome: FlowOutcome, at step: FlowExchange.Step, in format: ResponseFormat) {
        self =
            switch step {
            // A flow is always read by a script, or by the server that renders its page.
            case .show: .body(status: 200)
            case .open: Self.page(for: outcome)
            case .start, .submission: format == .page ? Self.page(for: outcome) : Self.json(for: outcome)
            }
    }

    /// Decides about an error.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - kind: The kind of flow.
    ///   - step: The step of the flow that the request asks for.
    ///   - format: The format that the browser expects.
    ///   - returnTo: The allowed return URL of a request that starts a flow, if it has one.
    ///   - challenge: The authorization request of the flow, if it has one.
    init(
        to error: ServerError,
        about kind: FlowKind,
        at step: FlowExchange.Step,
        in format: ResponseFormat,
        returnTo: String?,
        challenge: Identifier? = nil
    ) {
        switch error.id {
        case _ where step == .show || format == .json: self = .envelope
        case .sessionAlreadyAvailable: self = .leave(to: returnTo)
        case .csrfViolation where error.browserLocation != nil: self = .leave(to: error.browserLocation)
        case .sessionInactive where kind == .settings && challenge != nil:
            // The request asks for the login itself.
            self = challenge.map { .authorize($0) } ?? .errorPage
        case .sessionInactive where kind == .settings: self = .login(returnTo: returnTo)
        default: self = .errorPage
        }
    }

    private static func page(for outcome: FlowOutcome) -> BrowserAnswer {
        switch outcome {
        case .shown(let flow, _, let steps): verification(in: steps) ?? .page(flow.kind, flow.pageID)
        case .waiting(let flow), .refused(let flow, _), .moved(let flow), .guessesUsedUp(let flow):
            .page(flow.kind, flow.pageID)
        case .passed(let flow, _, _, _):
            if flow.loginChallenge != nil || flow.kind == .settings && flow.returnTo != nil {
                way(on: flow)
            } else {
                .page(flow.kind, flow.pageID)
            }
        case .recovered(let recovered): .page(.settings, recovered.settings.id)
        case .loggedIn(let opened): way(on: opened.flow)
        case .alreadyLoggedIn(let flow), .continued(let flow): way(on: flow)
        case .registered(let registered):
            verification(in: registered.verifications.map(\.continuation))
                ?? way(on: registered.flow)
        case .expired(let replacement), .replaced(let replacement):
            .page(replacement.flow.kind, replacement.flow.id)
        case .unverified(_, let steps): verification(in: steps) ?? .errorPage
        case .refreshRequired(let flow): .reauthenticate(flow.kind, flow.pageID)
        }
    }

    private static func json(for outcome: FlowOutcome) -> BrowserAnswer {
        switch outcome {
        case .shown, .passed, .recovered, .loggedIn, .registered: .body(status: 200)
        case .waiting(let flow): .body(status: flow.kind.waitingStatus)
        case .refused, .alreadyLoggedIn, .continued: .body(status: 400)
        case .expired, .moved, .replaced, .guessesUsedUp, .unverified, .refreshRequired: .envelope
        }
    }

    /// Returns where a completed flow leads.
    private static func way(on flow: Flow) -> BrowserAnswer {
        flow.loginChallenge.map { .authorize($0) } ?? .leave(to: flow.returnTo)
    }

    /// Returns the page of the first verification that the user has to complete.
    private static func verification(in steps: [ContinueWith]) -> BrowserAnswer? {
        for case .verification(let flow, _, _) in steps { return .page(.verification, flow) }
        return nil
    }
}

extension FlowKind {
    /// The status of a response with a flow that waits for the next step.
    ///
    /// As in Kratos, a missing step is an error only in logins and registrations.
    var waitingStatus: Int { self == .login || self == .registration ? 400 : 200 }
}
