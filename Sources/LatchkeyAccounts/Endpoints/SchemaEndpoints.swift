import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The public routes that return identity schemas.
///
/// Every `schema_url` in a response points to one of these routes.
struct SchemaEndpoints: Sendable {
    private let schemas: SchemaCatalog

    /// Creates the routes.
    ///
    /// Responses contain the exact text that each schema was read from.
    init(schemas: SchemaCatalog) {
        self.schemas = schemas
    }

    /// The routes that this type handles.
    ///
    /// `GET /schemas` lists the schemas page by page. `GET /schemas/{id}` returns a single schema and accepts
    /// the id either as plain text or in base64url.
    var endpoints: [Endpoint] {
        [
            Endpoint(.get, "/schemas", accepts: .none, operation: .listSchemas, answer: list),
            Endpoint(.get, "/schemas/{}", accepts: .none, operation: .getSchema) { [schemas] context in
                // Kratos generates URLs that contain the id in base64url, but we also accept the plain id.
                let decoded = Base64URL.decode(context.parameter).flatMap { try? String(utf8: $0) }
                guard let schema = schemas[context.parameter] ?? decoded.flatMap({ schemas[$0] }) else {
                    throw ServerError(404, reason: "The identity schema does not exist.")
                }
                return .json(200, body: schema.source)
            },
        ]
    }

    /// Handles `GET /schemas`.
    ///
    /// A page can be requested by its number or by a two-byte key, which is the index of the first schema on
    /// the page.
    ///
    /// - Throws: ``ServerError`` with status 400 if the paging parameters are invalid.
    private func list(_ context: RequestContext) throws -> HTTP.Response {
        let request = try PageRequest(context.query, keySize: 2, hasNumbers: true)
        // We can use an index as the key because there are few schemas and they don't change at runtime.
        let first = request.key.map { Int($0[0]) << 8 | Int($0[1]) } ?? request.offset
        let found = schemas.all.enumerated().dropFirst(first).prefix(request.size + 1)
        let page = Page(Array(found), for: request) { entry in
            [UInt8(truncatingIfNeeded: (entry.offset + 1) >> 8), UInt8(truncatingIfNeeded: entry.offset + 1)]
        }
        return page.response(context.request.path) { entry, writer in
            writer.object { writer in
                writer.name("id")
                writer.string(entry.element.id)
                writer.name("schema")
                writer.raw(entry.element.source)
            }
        }
    }
}
