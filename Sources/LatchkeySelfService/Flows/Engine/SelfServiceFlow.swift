import LatchkeyServerKit

/// The rules of one kind of self-service flow, apart from those of its methods.
///
/// ``FlowEngine`` calls the methods of this protocol to handle requests. A submission is admitted, parsed by
/// the form of its method, and performed by the method.
protocol SelfServiceFlow: Sendable {
    /// The kind of flow, which determines the paths of the routes.
    static var kind: FlowKind { get }

    /// Starts a flow for a type of client.
    ///
    /// - Throws: ``ServerError`` if the caller isn't allowed to start a flow or the query is invalid. Also
    ///   throws ``DatabaseError``.
    func begin(_ context: RequestContext, for type: FlowType) async throws -> FlowOutcome

    /// Looks up the flow named by the query.
    ///
    /// - Throws: A ``ServerError`` with status 404 if the id is unknown, or 410 if the flow has expired. Also
    ///   throws ``DatabaseError``.
    func show(_ context: RequestContext) async throws -> FlowOutcome

    /// Rejects all submissions if the operator has disabled this kind of flow.
    func requireEnabled() throws(ServerError)

    /// Checks whether the caller can submit to a flow.
    ///
    /// - Throws: ``ServerError`` if the caller isn't allowed to submit to the flow. Also throws
    ///   ``DatabaseError``.
    func admit(_ context: RequestContext, to flow: Flow) async throws -> FlowAdmission

    /// Returns the name of the method that a submission chooses, or `nil` if it chooses none.
    func methodName(of submission: Submission) -> String?

    /// Checks whether the caller can use a method now, before its input is parsed.
    ///
    /// The name is `nil` if the submission chooses no method.
    ///
    /// - Throws: ``ServerError`` if the caller can't. Also throws ``DatabaseError``.
    func requireAllowed(_ method: String?, in context: FlowContext) async throws

    /// Returns the form to show after a submission was rejected.
    ///
    /// The given form has the messages, and the submitted values that can be shown again. The submission is
    /// `nil` if its body couldn't be read.
    func form(_ form: Form, refusing submission: Submission?, in context: FlowContext) -> Form

    /// Returns the outcome of a submission to a flow that has ended since it was admitted.
    func ended(_ context: FlowContext) async throws -> FlowOutcome
}

extension SelfServiceFlow {
    func requireEnabled() throws(ServerError) {}

    func methodName(of submission: Submission) -> String? { submission.method }

    func requireAllowed(_ method: String?, in context: FlowContext) async throws {}

    func form(_ form: Form, refusing submission: Submission?, in context: FlowContext) -> Form {
        form
    }
}
