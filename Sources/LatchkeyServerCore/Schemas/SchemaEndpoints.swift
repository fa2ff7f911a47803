import LatchkeyModel
import LatchkeyWire

/// Serves the identity schemas, so that `schema_url` leads somewhere.
package struct SchemaEndpoints: Sendable {
    private let schemas: SchemaCatalog

    package init(_ context: ServerContext) {
        schemas = context.schemas
    }

    /// The places that this answers at.
    package var endpoints: [Endpoint] {
        [
            Endpoint(.get, "/schemas", .listSchemas, answer: list),
            Endpoint(.get, "/schemas/{}", .getSchema) { [schemas] exchange in
                // Kratos's addresses carry the id in base64; people write the id itself.
                let decoded = Base64URL.decode(exchange.parameter).map { String(decoding: $0, as: UTF8.self) }
                guard let schema = schemas[exchange.parameter] ?? decoded.flatMap({ schemas[$0] }) else {
                    throw ServerError(404, reason: "There is no identity schema of this name.")
                }
                return .json(200, schema.source)
            },
        ]
    }

    private func list(_ exchange: Exchange) throws -> HTTPResponse {
        let request = try PageRequest(exchange.query, keySize: 2, hasNumbers: true)
        // A page's key is the index of its first schema; there are few of them, and they stay as they are.
        let first = request.key.map { Int($0[0]) << 8 | Int($0[1]) } ?? request.offset
        let found = schemas.all.enumerated().dropFirst(first).prefix(request.size + 1)
        let page = Page(Array(found), request) { entry in
            [UInt8(truncatingIfNeeded: (entry.offset + 1) >> 8), UInt8(truncatingIfNeeded: entry.offset + 1)]
        }
        return page.response(exchange.request.path) { entry, writer in
            writer.object { writer in
                writer.name("id")
                writer.string(entry.element.id)
                writer.name("schema")
                writer.raw(entry.element.source)
            }
        }
    }
}
