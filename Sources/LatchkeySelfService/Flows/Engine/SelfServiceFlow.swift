package import LatchkeyAccounts
package import LatchkeyServerKit

/// The rules of one kind of self-service flow, which ``FlowEngine`` runs.
///
/// A submission is admitted, parsed and performed. Parsing is a pure function of the submission and the step.
/// To perform a submission, the flow reads the facts, makes its decisions in a pure function, and writes the
/// result in one transaction.
package protocol SelfServiceFlow: Sendable {
    /// The inputs that a submission is handled with, besides its body: the flow, the request, and the facts
    /// about the caller.
    associatedtype Step: FlowStep

    /// A parsed submission that the flow can perform.
    associatedtype Input: Sendable

    /// The kind of flow, which determines the paths of the routes.
    static var kind: FlowKind { get }

    /// Begins a flow.
    ///
    /// - Throws: ``ServerError`` if the caller is not allowed to begin one, or the query is invalid;
    ///   ``DatabaseError``.
    func begin(_ context: RequestContext) async throws -> FlowOutcome

    /// Looks up the flow whose id is in the query.
    ///
    /// - Throws: ``ServerError`` with status 404 for an unknown id and 410 for an expired flow;
    ///   ``DatabaseError``.
    func show(_ context: RequestContext) async throws -> FlowOutcome

    /// Looks up the flow of a submission, and checks whether it accepts a submission from this caller.
    ///
    /// - Throws: ``ServerError`` if the flow does not exist or the caller may not submit to it;
    ///   ``DatabaseError``.
    func admit(_ context: RequestContext) async throws -> FlowAdmission<Step>

    /// Parses a submission, as a pure function.
    ///
    /// Parsing reads neither the database nor the clock, so a test can enumerate all cases.
    func parse(_ submission: Submission, at step: Step) -> FlowInput<Input>

    /// Returns the form for a submission whose body cannot be read.
    ///
    /// By default, the form has the reason as its only message and no values.
    func form(refusing reason: String, at step: Step) -> Form

    /// Performs a parsed submission.
    ///
    /// The flow may have ended since the submission was admitted, so the transaction checks again. If it has
    /// ended, the outcome is a replacement.
    ///
    /// - Throws: ``ServerError``, for example with status 429; ``DatabaseError``.
    func perform(_ input: Input, at step: Step) async throws -> FlowOutcome
}

/// The inputs that a submission is handled with, besides its body.
package protocol FlowStep: Sendable {
    /// The HTTP request that contains the submission.
    var context: RequestContext { get }

    /// The flow, which is neither completed nor expired.
    var flow: Flow { get }

    /// The identity that the flow belongs to and shows; always `nil` except in settings.
    var identity: IdentityRecord? { get }
}

/// The result of checking whether a flow accepts a submission.
package enum FlowAdmission<Step: Sendable>: Sendable {
    /// The flow is open, and the caller may submit to it.
    case admitted(Step)
    /// The flow has ended or rejects this caller, so the submission is not parsed.
    case declined(FlowOutcome)
}

/// A parsed submission.
package enum FlowInput<Input: Sendable>: Sendable {
    /// The submission contains all inputs of its method in a valid form.
    case valid(Input)

    /// A required input is missing or invalid.
    case refused(Form)

    /// The operator has disabled the method.
    case disabled
}

extension FlowStep {
    /// Always `nil`; only settings flows show an identity.
    package var identity: IdentityRecord? { nil }
}

extension SelfServiceFlow {
    /// Returns a form that has the reason as its only message.
    package func form(refusing reason: String, at step: Step) -> Form {
        Form(messages: [.refusal(reason)])
    }
}
