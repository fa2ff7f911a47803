import LatchkeyAccounts
import LatchkeyServerKit
import LatchkeyWire

/// Reads submissions, and counts them and the flows that they complete.
struct SubmissionReader: Sendable {
    /// The maximum size of a submission in bytes.
    private static let bodyLimit = 65_536

    private let schemas: SchemaCatalog
    private let fields: [String]
    private let metrics: FlowMetrics

    init(schemas: SchemaCatalog, forms: MethodForms, metrics: FlowMetrics) {
        self.schemas = schemas
        fields = forms.fields
        self.metrics = metrics
    }

    /// Parses a submission.
    ///
    /// If the operator has removed the flow's schema, the default schema determines the types of the form
    /// fields.
    ///
    /// The result is the submission, or the reason why its body is rejected.
    ///
    /// Throws a ``ServerError`` with status 413 if the body is larger than 64 KiB.
    func read(
        _ context: RequestContext,
        to flow: Flow
    ) throws(ServerError) -> Result<Submission, Submission.Refusal> {
        guard context.request.body.count <= Self.bodyLimit else {
            throw ServerError(413, reason: "The request body is larger than \(Self.bodyLimit) bytes.")
        }
        let schema = schemas[flow.schemaID] ?? schemas.standard
        return Submission.read(context.request, by: schema, fields: fields)
    }

    /// Counts a submission in the metrics.
    ///
    /// If the body cannot be parsed or names no method, the submission is counted as `code` for recovery and
    /// verification flows, and as `other` for all other flows. A body that is too large isn't counted.
    func count(_ submission: Result<Submission, Submission.Refusal>, to flow: Flow) {
        let method = try? submission.get().method
        metrics.submitted.add(metrics.labels(flow.kind, method: method ?? flow.kind.onlyMethod))
    }

    /// Counts a completed flow in the metrics by its kind and method.
    func countCompletion(of kind: FlowKind, by method: String?) {
        metrics.succeeded.add(metrics.labels(kind, method: method))
    }
}
