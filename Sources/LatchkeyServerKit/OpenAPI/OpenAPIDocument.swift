import LatchkeyWire

/// The OpenAPI 3.1 document that describes the routes of a listener.
///
/// The document is generated from the routes, so it always covers all of them. Paths, methods and components
/// are sorted so that the output is reproducible.
package struct OpenAPIDocument: Sendable {
    /// The name of the API.
    package let title: String
    /// The description of the API.
    ///
    /// The rules that apply to all routes are appended to this description.
    package let summary: String

    /// The URL of the listener.
    package let server: String
    /// The name of the session cookie.
    package let sessionCookie: String
    /// The listener's routes, in any order.
    package let endpoints: [Endpoint]

    /// The prefix for routes below ``Endpoint/Root/base``, without a trailing slash.
    package let basePath: String

    /// Creates a document.
    ///
    /// - Parameters:
    ///   - title: The name of the API.
    ///   - summary: The description of the API.
    ///   - server: The URL of the listener.
    ///   - sessionCookie: The name of the session cookie, or `nil` for the default name.
    ///   - basePath: The prefix of the routes. One trailing slash is removed.
    ///   - endpoints: The routes to describe.
    package init(
        title: String,
        summary: String,
        server: String,
        sessionCookie: String? = nil,
        basePath: String,
        _ endpoints: [Endpoint]
    ) {
        self.title = title
        self.summary = summary
        self.server = server
        self.sessionCookie = sessionCookie ?? BrowserCookies(url: server).session
        self.basePath = basePath.hasSuffix("/") ? String(basePath.dropLast()) : basePath
        self.endpoints = endpoints
    }

    /// The rules that apply to all routes.
    ///
    /// This text is appended to the summary of the API.
    private static let elsewhere = """
         `HEAD` is supported wherever `GET` is. An unknown path returns 404, and an unsupported method returns 405 with `Allow`; \
        both bodies have the schema `Error`. Every response to a well-formed request has an `X-Request-Id`. The member \
        `x-credentials` of an operation lists all credentials that it accepts.
        """

    /// The document as JSON in UTF-8.
    ///
    /// The document is rendered each time this property is read, so callers should store the result.
    package var json: [UInt8] {
        var writer = JSONWriter(reserving: 128 * 1024)
        writer.object { writer in
            writer.name("openapi")
            writer.string("3.1.0")
            writer.name("info")
            writer.object { writer in
                writer.name("title")
                writer.string(title)
                writer.name("description")
                writer.string(summary + Self.elsewhere)
                writer.name("version")
                writer.string(Release.version)
            }
            writer.name("servers")
            writer.array { writer in
                writer.object { writer in
                    writer.name("url")
                    writer.string(server)
                }
            }
            writer.name("paths")
            writer.object(paths)
            writer.name("components")
            writer.object(components)
        }
        return writer.bytes
    }

    /// Returns the path of a route, including its prefix and the names of its parameters.
    package func path(of endpoint: Endpoint) -> String {
        endpoint.template(below: basePath)
    }

    private func paths(_ writer: inout JSONWriter) {
        let places = Dictionary(grouping: endpoints, by: path(of:))
        for (path, endpoints) in places.sorted(by: { $0.key < $1.key }) {
            writer.name(escaping: path)
            writer.object { writer in
                for endpoint in endpoints.sorted(by: { $0.method.rawValue < $1.method.rawValue }) {
                    writer.name(escaping: endpoint.method.rawValue.lowercased())
                    writer.operation(of: endpoint)
                }
            }
        }
    }

    /// Writes every schema that the operations refer to, either directly or through another schema.
    private func components(_ writer: inout JSONWriter) {
        var components: [String: SchemaComponent] = [:]
        for endpoint in endpoints {
            for parameter in endpoint.operation.parameters { parameter.schema.collect(into: &components) }
            endpoint.operation.body?.schema.collect(into: &components)
            for response in endpoint.responses { response.schema?.collect(into: &components) }
        }
        writer.name("schemas")
        writer.object { writer in
            for (name, component) in components.sorted(by: { $0.key < $1.key }) {
                writer.name(escaping: name)
                writer.schema(component.schema, summary: component.summary)
            }
        }
        writer.name("securitySchemes")
        writer.object(securitySchemes)
    }

    private func securitySchemes(_ writer: inout JSONWriter) {
        let keys = [
            ("sessionToken", "header", "X-Session-Token"), ("sessionCookie", "cookie", sessionCookie),
        ]
        for (scheme, place, key) in keys {
            writer.name(escaping: scheme)
            writer.object { writer in
                writer.name("type")
                writer.string("apiKey")
                writer.name("in")
                writer.string(place)
                writer.name("name")
                writer.string(key)
            }
        }
        for scheme in ["bearer", "dpop"] {
            writer.name(escaping: scheme)
            writer.object { writer in
                writer.name("type")
                writer.string("http")
                writer.name("scheme")
                writer.string(scheme)
            }
        }
    }
}
