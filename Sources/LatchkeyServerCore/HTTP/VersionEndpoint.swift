import LatchkeyModel
import LatchkeyWire

/// Says which version the server is, which contract it speaks, and what time it is there.
struct VersionEndpoint: Sendable {
    var endpoint: Endpoint {
        Endpoint(.get, Route.version, below: .server, .version) { exchange in
            var writer = JSONWriter(reserving: 128)
            writer.object { writer in
                writer.name("version")
                writer.string(Release.version)
                writer.name("contract")
                writer.integer(Release.contract)
                writer.name("time")
                writer.string(exchange.now.description)
            }
            var response = HTTPResponse.json(200, writer.bytes)
            response.headers["Cache-Control"] = "no-store"
            return response
        }
    }
}
