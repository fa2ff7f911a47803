import LatchkeyWire

extension JSONWriter {
    /// Writes the Operation Object of a route in an OpenAPI document.
    mutating func operation(of endpoint: Endpoint) {
        let operation = endpoint.operation
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
                for response in endpoint.responses {
                    writer.name(escaping: String(response.status))
                    writer.response(response)
                }
            }
            writer.security(endpoint.credentials)
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
}
