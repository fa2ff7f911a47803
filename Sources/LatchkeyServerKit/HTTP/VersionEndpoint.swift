import LatchkeyModel
import LatchkeyWire

/// Reports the version of the server, the version of its API contract and the server's time.
package struct VersionEndpoint: Sendable {
    /// Creates the route, which needs no credential.
    package init() {}

    /// The route `GET /version`.
    ///
    /// In the response, `time` is the time at which the request arrived, by the server's clock and in RFC
    /// 3339 form.
    package var endpoint: Endpoint {
        Endpoint(.get, Route.version, below: .server, operation: .version) { context in
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
