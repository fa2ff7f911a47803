package import LatchkeyServerKit
package import LatchkeyWire

/// Checks responses against the published document.
package struct ContractCheck: Sendable {
    private struct PathItem: Sendable {
        let parts: [Substring]
        var endpoints: [HTTP.Method: Endpoint]

        func matches(_ path: [Substring]) -> Bool {
            parts.count == path.count
                && zip(parts, path).allSatisfy { $0.first == "{" ? !$1.isEmpty : $0 == $1 }
        }
    }

    private let items: [PathItem]

    package init(_ document: OpenAPIDocument) {
        var items: [String: PathItem] = [:]
        for endpoint in document.endpoints {
            let path = document.path(of: endpoint)
            items[path, default: PathItem(parts: Self.parts(path), endpoints: [:])]
                .endpoints[endpoint.method] = endpoint
        }
        // Routes without parameters come first, as they do in the router.
        self.items = items.sorted { $0.key.filter { $0 == "{" }.count < $1.key.filter { $0 == "{" }.count }
            .map(\.value)
    }

    /// Returns descriptions of how a response violates the document.
    package func findings(_ request: HTTP.Request, _ response: HTTP.Response) -> [String] {
        let path = Self.parts(request.path)
        // Browsers get errors without a route as pages, and every route has this method.
        if request.method == .options || response.status >= 400 && Self.isPage(response) { return [] }
        guard let item = items.first(where: { $0.matches(path) }) else {
            return check(response, .refusal(404, "There is no such resource."))
        }
        let method = request.method == .head ? .get : request.method
        guard let endpoint = item.endpoints[method] else {
            return check(response, .refusal(405, "The resource does not support this method."))
        }
        let id = endpoint.operation.id
        guard let known = endpoint.responses.first(where: { $0.status == response.status }) else {
            return ["\(id) answers \(response.status), which is not documented"]
        }
        guard request.method != .head else { return [] }
        return check(response, known).map { "\(id) \(response.status): \($0)" }
    }

    private func check(_ response: HTTP.Response, _ known: APIResponse) -> [String] {
        guard response.status == known.status else {
            return ["has the status \(response.status) instead of \(known.status)"]
        }
        let missing = known.headers.filter { $0.isRequired && response.headers[$0.name] == nil }
            .map { "has no header field \($0.name)" }
        guard let schema = known.schema else {
            return missing + (response.body.isEmpty ? [] : ["has a body"])
        }
        let type = response.headers["Content-Type"]?.split(separator: ";").first.map(String.init)
        // We don't check the events in a stream here, because the tests that read a stream check its events.
        if let type, type == known.streamType { return missing }
        guard type == known.mediaType else { return missing + ["has the type \(type ?? "none")"] }
        guard known.mediaType == "application/json" else { return missing }
        guard let value = try? JSONParser.parse(response.body) else { return missing + ["is not JSON"] }
        return missing + SchemaCheck(value, schema).findings
    }

    private static func isPage(_ response: HTTP.Response) -> Bool {
        response.headers["Content-Type"]?.hasPrefix("text/html") == true
    }

    private static func parts(_ path: String) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: false)
    }
}
