package import LatchkeyWire

/// The OpenAPI description of a route: its parameters, request body and responses.
package struct APIOperation: Sendable {
    /// The operation id.
    ///
    /// Generated clients use the operation id as a method name.
    package let id: String

    /// A one-sentence summary of the operation.
    package let summary: String

    /// A longer description, or `nil` if the summary is enough.
    package var details: String?

    /// The parameters in the path, query and header.
    ///
    /// Path parameters are listed in the same order as in the path.
    package var parameters: [APIParameter] = []
    /// The request body, or `nil` if the operation doesn't have one.
    package var body: APIBody?

    /// The responses that are specific to this operation.
    ///
    /// The responses in ``APIResponse/general`` are added automatically.
    package var responses: [APIResponse]

    /// Creates the description of a route.
    ///
    /// - Parameters:
    ///   - id: The operation id, which must be unique within the document.
    ///   - summary: A one-sentence summary of the operation.
    ///   - details: A longer description in Markdown, or `nil` if the summary is enough.
    ///   - parameters: The parameters in the path, query and header. Path parameters must be listed in the
    ///     same order as in the path.
    ///   - body: The request body, or `nil` if there is none.
    ///   - responses: The responses that are specific to this operation. The responses that every operation
    ///     may return are added automatically.
    package init(
        _ id: String,
        _ summary: String,
        details: String? = nil,
        parameters: [APIParameter] = [],
        body: APIBody? = nil,
        _ responses: [APIResponse]
    ) {
        self.id = id
        self.summary = summary
        self.details = details
        self.parameters = parameters
        self.body = body
        self.responses = responses
    }
}

/// A request parameter in the path, query or header.
package struct APIParameter: Sendable {
    /// The part of the request that contains the parameter.
    ///
    /// The raw values are the values of the `in` field in OpenAPI.
    package enum Place: String, Sendable {
        case path, query, header
    }

    /// The name of the parameter.
    package let name: String
    package let place: Place
    /// A one-sentence description of the parameter.
    package let summary: String
    /// The schema of the value after decoding.
    package let schema: JSONSchema
    /// Whether requests without this parameter are rejected.
    package let isRequired: Bool

    /// Creates a path parameter.
    ///
    /// Path parameters are always required.
    package static func path(_ name: String, _ summary: String, _ schema: JSONSchema) -> APIParameter {
        APIParameter(name: name, place: .path, summary: summary, schema: schema, isRequired: true)
    }

    /// Creates a query parameter.
    ///
    /// By default, this is an optional string.
    ///
    /// - Parameters:
    ///   - name: The name of the parameter in the request.
    ///   - summary: A one-sentence description of the parameter.
    ///   - schema: The schema of the value after decoding.
    ///   - isRequired: Whether requests without this parameter are rejected.
    /// - Returns: The parameter.
    package static func query(
        _ name: String,
        _ summary: String,
        _ schema: JSONSchema = .text,
        isRequired: Bool = false
    ) -> APIParameter {
        APIParameter(name: name, place: .query, summary: summary, schema: schema, isRequired: isRequired)
    }

    /// Creates a header parameter.
    ///
    /// By default, this is an optional string.
    ///
    /// - Parameters:
    ///   - name: The name of the header field.
    ///   - summary: A one-sentence description of the header field.
    ///   - schema: The schema of the value.
    ///   - isRequired: Whether requests without this header field are rejected.
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

/// The body of an HTTP request.
///
/// All media types share the same schema.
package struct APIBody: Sendable {
    /// The schema of the body after decoding.
    ///
    /// For forms, the same schema applies to the decoded fields.
    package let schema: JSONSchema
    /// The values of `Content-Type` that are accepted, without parameters.
    package var mediaTypes = ["application/json"]
    /// Whether the body is required.
    package var isRequired = true

    /// Creates a request body.
    ///
    /// By default, this is a required JSON body.
    package init(schema: JSONSchema, mediaTypes: [String] = ["application/json"], isRequired: Bool = true) {
        self.schema = schema
        self.mediaTypes = mediaTypes
        self.isRequired = isRequired
    }
}
