import LatchkeyModel
import LatchkeyWire

/// Returns the server's version, its API contract version and its current time.
package struct VersionEndpoint: Sendable {
    /// Creates the endpoint, which doesn't require any credentials.
    package init() {}

    /// The `GET /version` route.
    ///
    /// The `time` in the response is when the request arrived, according to the server's clock, in RFC 3339
    /// format.
    package var endpoint: Endpoint {
        Endpoint(.get, Route.version, below: .server, accepts: .none, operation: .version) { context in
            var writer = JSONWriter(reserving: 128)
            writer.object { writer in
                writer.name("version")
                writer.string(Release.version)
                writer.name("contract")
                writer.integer(Release.contract)
                writer.name("time")
                writer.string(context.now.description)
            }
            var response = HTTP.Response.json(200, body: writer.bytes)
            response.headers["Cache-Control"] = "no-store"
            return response
        }
    }
}
