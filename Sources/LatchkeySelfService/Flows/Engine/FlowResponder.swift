package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit
package import LatchkeyWire

/// Responds to one type of client.
///
/// All flows are the same for all types; a responder only decides which submissions come from its type of
/// client, and how outcomes and errors are reported.
package protocol FlowResponder: Sendable {
    /// The type of the flows that this responder answers for.
    static var type: FlowType { get }

    init(_ services: ResponderServices)

    /// Returns whether a request that names no known flow comes from this type of client.
    func expects(_ request: HTTP.Request) -> Bool

    /// Checks that a submission comes from the client that the flow belongs to, so that web pages can't submit
    /// forms on behalf of their visitors (CSRF).
    ///
    /// - Returns: Why the submission is rejected, which the form shows, or `nil` if it is accepted.
    /// - Throws: ``ServerError`` if the form must not be shown to the sender either.
    func refusal(
        of submission: Result<Submission, Submission.Refusal>,
        in context: RequestContext,
        to flow: Flow
    ) throws(ServerError) -> Submission.Refusal?

    /// Creates the response to an outcome or an error.
    ///
    /// - Throws: ``ServerError`` to respond with the error envelope.
    func respond(
        to result: Result<FlowOutcome, ServerError>,
        in exchange: FlowExchange
    ) throws(ServerError) -> HTTP.Response
}

/// A request to a route of a kind of flow.
package struct FlowExchange: Sendable {
    /// The step of a flow that a request asks for.
    package enum Step: Sendable, CaseIterable {
        case start
        /// The page of a flow, for a browser that follows a link to the flow.
        case open
        case show
        case submission
    }

    package let request: RequestContext
    package let kind: FlowKind
    package let step: Step
    /// The flow that the request was sent to, or `nil` if it starts or reads one, or if no flow is known.
    package let flow: Flow?
    /// The redirect URI of an app's authorization request with its answer, or `nil` if there is none.
    package var authorizationResponse: String?
    /// The steps that the user of a session that the request has opened has to take.
    package var duties: [AccountDuty] = []
    /// The settings flow in which the user of an app completes the profile, or `nil` if there is none.
    package var settings: Identifier?
}

/// The services that responders use to write their responses.
package struct ResponderServices: Sendable {
    let flows: FlowWriter
    let identities: IdentityWriter
    let environment: ServerEnvironment
    let browsers: BrowserSessions
    let pages: BrowserPages
    let returnURLs: ReturnURLs
    let errors: BrowserErrors
    let authorization: (any AuthorizationContinuation)?
}

extension [any FlowResponder.Type] {
    /// The responders of the server.
    package static var builtIn: Self { [APIFlowResponder.self, BrowserFlowResponder.self] }
}

/// The responders of a server, one for each type of client.
struct FlowResponders: Sendable {
    let types: [FlowType]
    private let all: [any FlowResponder]

    /// Creates the responders, the first of which also answers requests that no other expects.
    init(_ all: [any FlowResponder.Type], with services: ResponderServices) {
        types = all.map { $0.type }
        self.all = all.map { $0.init(services) }
    }

    /// The places in which routes for all types of client accept credentials.
    var carrier: SessionCredentials.Carrier { types.contains(.browser) ? .either : .header }

    /// Returns the responder for a type of flow, or for a request if no flow is known.
    func responder(
        for type: @autoclosure () -> FlowType?,
        _ request: HTTP.Request
    ) -> any FlowResponder {
        guard all.count > 1 else { return all[0] }
        let match =
            if let type = type() {
                types.firstIndex(of: type)
            } else {
                all.dropFirst().firstIndex { $0.expects(request) }
            }
        return all[match ?? 0]
    }
}
