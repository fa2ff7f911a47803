package import LatchkeyServerCore
package import LatchkeyWire

/// A check of responses against the published document.
package struct ContractCheck: Sendable {
    private struct Place: Sendable {
        let parts: [Substring]
        var operations: [HTTPMethod: APIOperation]

        func matches(_ path: [Substring]) -> Bool {
            parts.count == path.count
                && zip(parts, path).allSatisfy { $0.first == "{" ? !$1.isEmpty : $0 == $1 }
        }
    }

    private let places: [Place]

    package init(_ document: OpenAPIDocument) {
        var places: [String: Place] = [:]
        for endpoint in document.endpoints {
            let path = document.path(of: endpoint)
            places[path, default: Place(parts: Self.parts(path), operations: [:])]
                .operations[endpoint.method] = endpoint.operation
        }
        // Routes without parameters come first, as in the router.
        self.places = places.sorted { $0.key.filter { $0 == "{" }.count < $1.key.filter { $0 == "{" }.count }
            .map(\.value)
    }

    /// Returns the violations of the document in a response.
    package func findings(_ request: HTTPRequest, _ response: HTTPResponse) -> [String] {
        let path = Self.parts(request.path)
        guard let place = places.first(where: { $0.matches(path) }) else {
            return check(response, .refusal(404, "There is no such resource."))
        }
        let method = request.method == .head ? .get : request.method
        guard let operation = place.operations[method] else {
            return check(response, .refusal(405, "The resource does not support this method."))
        }
        guard let known = operation.allResponses.first(where: { $0.status == response.status }) else {
            return ["\(operation.id) answers \(response.status), which is not written down"]
        }
        guard request.method != .head else { return [] }
        return check(response, known).map { "\(operation.id) \(response.status): \($0)" }
    }

    private func check(_ response: HTTPResponse, _ known: APIResponse) -> [String] {
        guard response.status == known.status else { return ["is no \(known.status) but \(response.status)"] }
        let missing = known.headers.filter { $0.isRequired && response.headers[$0.name] == nil }
            .map { "lacks the field \($0.name)" }
        guard let schema = known.schema else {
            return missing + (response.body.isEmpty ? [] : ["has a body"])
        }
        let type = response.headers["Content-Type"]?.split(separator: ";").first.map(String.init)
        guard type == known.mediaType else { return missing + ["is of the type \(type ?? "none")"] }
        guard let value = try? JSONParser.parse(response.body) else { return missing + ["is no JSON"] }
        return missing + SchemaCheck(value, schema).findings
    }

    private static func parts(_ path: String) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: false)
    }
}
