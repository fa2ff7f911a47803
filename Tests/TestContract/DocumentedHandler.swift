package import LatchkeyServerKit
package import LatchkeyWire
import Testing

/// A handler that checks each of its responses against the published document.
package struct DocumentedHandler: HTTPHandler {
    private let handler: any HTTPHandler
    private let check: ContractCheck

    package init(_ handler: any HTTPHandler, _ document: OpenAPIDocument) {
        self.handler = handler
        check = ContractCheck(document)
    }

    package func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
        var response = await handler.respond(to: request, from: peer)
        // We can only check a complete JSON document. We don't wait for other streams, such as event streams,
        // because they may never end.
        if request.method != .head, response.headers["Content-Type"]?.hasPrefix("application/json") == true {
            response = await response.received(for: request.method)
        }
        for finding in check.findings(request, response) {
            Issue.record("undocumented response to \(request.method.rawValue) \(request.path): \(finding)")
        }
        return response
    }
}

extension OpenAPIDocument {
    /// Creates the document that describes the endpoints.
    package init(_ endpoints: [Endpoint], below basePath: String) {
        self.init(title: "", summary: "", server: "", basePath: basePath, endpoints)
    }
}
