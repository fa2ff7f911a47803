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
            Endpoint(.get, "/schemas", .listSchemas) { [schemas] _ in .json(200, Self.list(schemas)) },
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

    private static func list(_ schemas: SchemaCatalog) -> [UInt8] {
        var writer = JSONWriter(reserving: 8192)
        writer.array { writer in
            for schema in schemas.all {
                writer.object { writer in
                    writer.name("id")
                    writer.string(schema.id)
                    writer.name("schema")
                    writer.raw(schema.source)
                }
            }
        }
        return writer.bytes
    }
}
