/// The OpenAPI description of a route: its parameters, request body and responses.
package struct APIOperation: Sendable {
    /// The operation id, which becomes a method name in generated clients.
    package let id: String

    /// The purpose of the operation in one sentence.
    package let summary: String

    /// A longer description; `nil` if the summary is sufficient.
    package var details: String?

    /// The parameters in the path, query and header, with path parameters in the order of the path.
    package var parameters: [APIParameter] = []
    /// The request body; `nil` if the operation has none.
    package var body: APIBody?

    /// The responses that are specific to the operation, in addition to ``APIResponse/general``.
    package var responses: [APIResponse]

    /// The credential that the caller must send; `.none` by default.
    package var credential = Credential.none

    /// The kind of credential that a caller sends.
    package enum Credential: Sendable {
        /// No credential, or one that is not described in the document.
        case none
        /// A session token. If the token is optional, the response depends on whether it is present.
        case session(isRequired: Bool)
        /// A session token or an access token, which may be bound to a key.
        case anyToken
        /// The admin token.
        case `operator`
    }

    /// Creates the description of a route.
    ///
    /// - Parameters:
    ///   - id: The operation id, unique in the document.
    ///   - summary: The purpose of the operation in one sentence.
    ///   - details: A longer description in Markdown; `nil` if the summary is sufficient.
    ///   - credential: The credential that the caller must send.
    ///   - parameters: The parameters in the path, query and header, with path parameters in the order of the
    ///     path.
    ///   - body: The request body; `nil` if there is none.
    ///   - responses: The responses in addition to those that every operation may return.
    package init(
        _ id: String,
        _ summary: String,
        details: String? = nil,
        credential: Credential = .none,
        parameters: [APIParameter] = [],
        body: APIBody? = nil,
        _ responses: [APIResponse]
    ) {
        self.id = id
        self.summary = summary
        self.details = details
        self.credential = credential
        self.parameters = parameters
        self.body = body
        self.responses = responses
    }

    /// All responses, sorted by status.
    ///
    /// The operation's own responses take precedence over general ones with the same status.
    package var allResponses: [APIResponse] {
        var general = APIResponse.general
        if case .operator = credential { general += APIResponse.administrative }
        let own = Set(responses.map(\.status))
        return (responses + general.filter { !own.contains($0.status) }).sorted { $0.status < $1.status }
    }

    /// A copy of the operation that requires the admin token.
    package var forOperators: APIOperation {
        var operation = self
        operation.credential = .operator
        return operation
    }
}

/// A parameter of a request in its path, query or header.
package struct APIParameter: Sendable {
    /// The location of a parameter.
    ///
    /// The raw values are the values of `in` in OpenAPI.
    package enum Place: String, Sendable {
        case path, query, header
    }

    /// The name of the parameter in the path, the query or the header.
    package let name: String
    package let place: Place
    /// The meaning of the parameter in one sentence.
    package let summary: String
    /// The schema of the decoded value.
    package let schema: JSONSchema
    /// Whether a request without the parameter is rejected.
    package let isRequired: Bool

    /// Creates a path parameter, which is always required.
    package static func path(_ name: String, _ summary: String, _ schema: JSONSchema) -> APIParameter {
        APIParameter(name: name, place: .path, summary: summary, schema: schema, isRequired: true)
    }

    /// Creates a query parameter, by default an optional string.
    ///
    /// - Parameters:
    ///   - name: The name in the query.
    ///   - summary: The meaning of the parameter in one sentence.
    ///   - schema: The schema of the decoded value.
    ///   - isRequired: Whether a request without the parameter is rejected.
    /// - Returns: The parameter.
    package static func query(
        _ name: String,
        _ summary: String,
        _ schema: JSONSchema = .text,
        isRequired: Bool = false
    ) -> APIParameter {
        APIParameter(name: name, place: .query, summary: summary, schema: schema, isRequired: isRequired)
    }

    /// Creates a header field, by default an optional string.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - summary: The meaning of the field in one sentence.
    ///   - schema: The schema of the value.
    ///   - isRequired: Whether a request without the field is rejected.
    /// - Returns: The parameter.
    package static func header(
        _ name: String,
        _ summary: String,
        _ schema: JSONSchema = .text,
        isRequired: Bool = false
    ) -> APIParameter {
        APIParameter(name: name, place: .header, summary: summary, schema: schema, isRequired: isRequired)
    }
}

/// The body of a request, with one schema for all of its media types.
package struct APIBody: Sendable {
    /// The schema of the decoded body, which also applies to a form.
    package let schema: JSONSchema
    /// The accepted values of `Content-Type`, without parameters.
    package var mediaTypes = ["application/json"]
    /// Whether a request must have a body.
    package var isRequired = true

    /// Creates a body, by default a required JSON body.
    package init(schema: JSONSchema, mediaTypes: [String] = ["application/json"], isRequired: Bool = true) {
        self.schema = schema
        self.mediaTypes = mediaTypes
        self.isRequired = isRequired
    }
}
