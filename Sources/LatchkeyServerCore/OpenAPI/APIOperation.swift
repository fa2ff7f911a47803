/// What a place of the server takes and what it answers, for the document that the server publishes.
package struct APIOperation: Sendable {
    /// Its name in generated clients.
    package let id: String

    /// What it is for, in a sentence.
    package let summary: String

    /// What else there is to know.
    package var details: String?

    package var parameters: [APIParameter] = []
    package var body: APIBody?

    /// What it may answer, beside what every place may answer: ``APIResponse/general``.
    package var responses: [APIResponse]

    /// What the caller shows of itself.
    package var credential = Credential.none

    /// What the caller shows of itself.
    package enum Credential: Sendable {
        /// Nothing that the document speaks of.
        case none
        /// A session's token; without one the answer is another.
        case session(isRequired: Bool)
        /// The admin token.
        case `operator`
    }

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

    /// Everything that it may answer, in the order of statuses.
    package var allResponses: [APIResponse] {
        var general = APIResponse.general
        if case .operator = credential { general += APIResponse.administrative }
        let own = Set(responses.map(\.status))
        return (responses + general.filter { !own.contains($0.status) }).sorted { $0.status < $1.status }
    }

    /// The same for callers who are operators.
    package var forOperators: APIOperation {
        var operation = self
        operation.credential = .operator
        return operation
    }
}

/// A part of a request beside its body.
package struct APIParameter: Sendable {
    package enum Place: String, Sendable {
        case path, query, header
    }

    package let name: String
    package let place: Place
    package let summary: String
    package let schema: JSONSchema
    package let isRequired: Bool

    package static func path(_ name: String, _ summary: String, _ schema: JSONSchema) -> APIParameter {
        APIParameter(name: name, place: .path, summary: summary, schema: schema, isRequired: true)
    }

    package static func query(
        _ name: String,
        _ summary: String,
        _ schema: JSONSchema = .text,
        isRequired: Bool = false
    ) -> APIParameter {
        APIParameter(name: name, place: .query, summary: summary, schema: schema, isRequired: isRequired)
    }

    package static func header(_ name: String, _ summary: String, _ schema: JSONSchema = .text)
        -> APIParameter
    {
        APIParameter(name: name, place: .header, summary: summary, schema: schema, isRequired: false)
    }
}

/// The body of a request.
package struct APIBody: Sendable {
    package let schema: JSONSchema
    package var mediaTypes = ["application/json"]
    package var isRequired = true
}
