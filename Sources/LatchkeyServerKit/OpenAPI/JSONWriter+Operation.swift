import LatchkeyWire

extension JSONWriter {
    /// Writes an Operation Object of an OpenAPI document.
    mutating func operation(_ operation: APIOperation) {
        object { writer in
            writer.name("operationId")
            writer.string(operation.id)
            writer.name("summary")
            writer.string(operation.summary)
            if let details = operation.details {
                writer.name("description")
                writer.string(details)
            }
            if !operation.parameters.isEmpty {
                writer.name("parameters")
                writer.array { writer in for parameter in operation.parameters { writer.parameter(parameter) }
                }
            }
            if let body = operation.body {
                writer.name("requestBody")
                writer.body(body)
            }
            writer.name("responses")
            writer.object { writer in
                for response in operation.allResponses {
                    writer.name(escaping: String(response.status))
                    writer.response(response)
                }
            }
            writer.security(operation.credential)
        }
    }

    private mutating func parameter(_ parameter: APIParameter) {
        object { writer in
            writer.name("name")
            writer.string(parameter.name)
            writer.name("in")
            writer.string(parameter.place.rawValue)
            writer.name("description")
            writer.string(parameter.summary)
            writer.name("required")
            writer.bool(parameter.isRequired)
            writer.name("schema")
            writer.schema(parameter.schema)
        }
    }

    private mutating func body(_ body: APIBody) {
        object { writer in
            writer.name("required")
            writer.bool(body.isRequired)
            writer.name("content")
            writer.object { writer in
                for type in body.mediaTypes { writer.content(type, schema: body.schema) }
            }
        }
    }

    private mutating func response(_ response: APIResponse) {
        object { writer in
            writer.name("description")
            writer.string(response.summary)
            if !response.headers.isEmpty {
                writer.name("headers")
                writer.object { writer in for header in response.headers { writer.header(header) } }
            }
            guard let schema = response.schema else { return }
            writer.name("content")
            writer.object { writer in
                writer.content(response.mediaType, schema: schema)
                if let type = response.streamType { writer.content(type, schema: .text) }
            }
        }
    }

    private mutating func header(_ header: APIResponse.Header) {
        name(escaping: header.name)
        object { writer in
            writer.name("description")
            writer.string(header.summary)
            writer.name("required")
            writer.bool(header.isRequired)
            writer.name("schema")
            writer.schema(header.schema)
        }
    }

    private mutating func content(_ type: String, schema: JSONSchema) {
        name(escaping: type)
        object { writer in
            writer.name("schema")
            writer.schema(schema)
        }
    }

    /// Writes the security requirements of an operation.
    ///
    /// A session token is accepted in either of two header fields.
    ///
    /// To make the credential optional, we add an empty requirement.
    private mutating func security(_ credential: APIOperation.Credential) {
        let (schemes, isRequired): ([String], Bool) =
            switch credential {
            case .none: ([], false)
            case .session(let isRequired): (["sessionToken", "bearer"], isRequired)
            case .anyToken: (["sessionToken", "bearer", "dpop"], true)
            case .operator: (["bearer"], true)
            }
        guard !schemes.isEmpty else { return }
        name("security")
        array { writer in
            if !isRequired { writer.object { _ in } }
            for scheme in schemes {
                writer.object { writer in
                    writer.name(escaping: scheme)
                    writer.array { _ in }
                }
            }
        }
    }
}
