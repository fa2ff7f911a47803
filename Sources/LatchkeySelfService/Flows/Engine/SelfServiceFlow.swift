package import LatchkeyAccounts
package import LatchkeyServerKit

/// The rules for one kind of self-service flow.
///
/// ``FlowEngine`` calls the methods of this protocol to handle requests.
///
/// A submission is handled in three steps: it is admitted, parsed and performed. Parsing is a pure function
/// of the submission and the step. To perform a submission, the flow reads the data that it needs, makes its
/// decisions in a pure function, and writes the result in a single transaction.
package protocol SelfServiceFlow: Sendable {
    /// The inputs for handling a submission, besides its body: the flow, the request, and information about
    /// the caller.
    associatedtype Step: FlowStep

    /// A parsed submission that the flow can perform.
    associatedtype Input: Sendable

    /// The kind of flow, which determines the paths of the routes.
    static var kind: FlowKind { get }

    /// Starts a flow.
    ///
    /// - Throws: ``ServerError`` if the caller isn't allowed to start a flow or the query is invalid. Also
    ///   throws ``DatabaseError``.
    func begin(_ context: RequestContext) async throws -> FlowOutcome

    /// Looks up the flow named by the query.
    ///
    /// - Throws: A ``ServerError`` with status 404 if the id is unknown, or 410 if the flow has expired. Also
    ///   throws ``DatabaseError``.
    func show(_ context: RequestContext) async throws -> FlowOutcome

    /// Looks up the flow for a submission and checks whether this caller can submit to it.
    ///
    /// - Throws: ``ServerError`` if the flow doesn't exist or the caller isn't allowed to submit to it. Also
    ///   throws ``DatabaseError``.
    func admit(_ context: RequestContext) async throws -> FlowAdmission<Step>

    /// Parses a submission without using the database or the clock.
    ///
    /// Because this is a pure function, tests can cover every case.
    func parse(_ submission: Submission, at step: Step) -> FlowInput<Input>

    /// Returns the form to show when the body of a submission cannot be parsed.
    ///
    /// By default, the form contains only a message with the reason.
    func form(refusing reason: String, at step: Step) -> Form

    /// Performs a parsed submission.
    ///
    /// The flow may have ended since the submission was admitted, so the transaction checks this again. If
    /// the flow has ended, the outcome contains a new flow that replaces it.
    ///
    /// - Throws: ``ServerError``, for example with status 429. Also throws ``DatabaseError``.
    func perform(_ input: Input, at step: Step) async throws -> FlowOutcome
}

/// The inputs for handling a submission, besides its body.
package protocol FlowStep: Sendable {
    /// The request that contains the submission.
    var context: RequestContext { get }

    /// The flow, which is still open.
    var flow: Flow { get }

    /// The identity that a settings flow belongs to and shows, or `nil` for all other flows.
    var identity: IdentityRecord? { get }
}

/// The result of checking whether a flow accepts a submission.
package enum FlowAdmission<Step: Sendable>: Sendable {
    /// The flow is open, and the caller is allowed to submit to it.
    case admitted(Step)
    /// The flow has ended or rejects this caller, so the submission isn't parsed.
    case declined(FlowOutcome)
}

/// A parsed submission.
package enum FlowInput<Input: Sendable>: Sendable {
    /// The submission contains everything that its method requires.
    case valid(Input)

    /// A required value is missing or invalid.
    case refused(Form)

    /// The operator has disabled the method.
    case disabled
}

extension FlowStep {
    /// Always `nil`, because only settings flows show an identity.
    package var identity: IdentityRecord? { nil }
}

extension SelfServiceFlow {
    /// Returns a form that contains only a message with the reason.
    package func form(refusing reason: String, at step: Step) -> Form {
        Form(messages: [.refusal(reason)])
    }
}
