package import LatchkeyWire

/// A successful response with a JSON body.
package struct BodyResponse<Body: DocumentedBody>: Sendable {
    fileprivate let status: Int
    fileprivate let body: Body

    package static func ok(_ body: Body) -> BodyResponse { BodyResponse(status: 200, body: body) }

    package static func created(_ body: Body) -> BodyResponse { BodyResponse(status: 201, body: body) }
}

/// The JSON body of a request, which isn't parsed until the handler has authenticated the client.
package struct RequestBody<Body: DocumentedBody>: Sendable {
    fileprivate let context: RequestContext
    fileprivate let limit: Int

    package func decoded() throws(ServerError) -> Body {
        try context.body(Body.self, limit: limit)
    }
}

extension Endpoint {
    /// Creates a route that returns a body, whose schema the operation's successful responses get.
    package init<Output: DocumentedBody>(
        _ method: HTTP.Method,
        _ path: String,
        below root: Root = .base,
        accepts credentials: RouteCredentials,
        operation: APIOperation,
        returning output: Output.Type,
        answer: @escaping @Sendable (RequestContext) async throws -> BodyResponse<Output>
    ) {
        self.init(
            method,
            path,
            below: root,
            accepts: credentials,
            operation: operation.returning(Output.schema)
        ) { context in
            let response = try await answer(context)
            return .json(response.status, body: try JSONCoding.encode(response.body))
        }
    }

    /// Creates a route that accepts a JSON body of an app, but not of a web page, and returns another body.
    ///
    /// The limit is the maximum size of the request body in bytes.
    package init<Input: DocumentedBody, Output: DocumentedBody>(
        _ method: HTTP.Method,
        _ path: String,
        below root: Root = .base,
        accepts credentials: RouteCredentials,
        operation: APIOperation,
        body input: Input.Type,
        limit: Int,
        returning output: Output.Type,
        answer: @escaping @Sendable (RequestContext, RequestBody<Input>) async throws -> BodyResponse<Output>
    ) {
        var operation = operation
        operation.body = APIBody(schema: Input.schema)
        self.init(
            method,
            path,
            below: root,
            accepts: credentials,
            operation: operation,
            returning: output
        ) { context in
            try context.requireNativeJSON()
            return try await answer(context, RequestBody(context: context, limit: limit))
        }
    }
}

extension APIOperation {
    fileprivate func returning(_ schema: JSONSchema) -> APIOperation {
        var operation = self
        for index in responses.indices where responses[index].status < 300 {
            operation.responses[index].schema = schema
        }
        return operation
    }
}
