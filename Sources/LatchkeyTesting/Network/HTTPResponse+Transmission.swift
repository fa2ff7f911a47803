import LatchkeyWire

extension HTTP.Response {
    /// The maximum size of a response body, in bytes, if a request has no other limit.
    private static let bodyLimit = 1 << 20
    /// The maximum size of a header line, in bytes.
    private static let lineLimit = 100 << 10
    /// The maximum size of the response header, in bytes.
    private static let headerLimit = 300 << 10

    /// Returns this response as libcurl would receive it over HTTP/1.1.
    ///
    /// Bodies are removed where HTTP doesn't allow them.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - limit: The maximum size of the body in bytes, or `nil` for 1 MiB.
    /// - Returns: The response as the client sees it.
    /// - Throws: ``LatchkeyWire/TransportError`` with the code `invalidResponse` if the response can't be
    ///   transmitted or is too large, or `unreachable` if its header is too large.
    func received(as method: HTTP.Method, limit: Int?) throws(TransportError) -> HTTP.Response {
        guard (200...999).contains(status) else {
            throw TransportError(.invalidResponse, message: "The status \(status) is not valid.")
        }
        var received = self
        var headerSize = 0
        for (index, field) in headers.fields.enumerated() {
            guard (field.name + field.value).utf8.allSatisfy({ ![0x00, 0x0A, 0x0D].contains($0) }) else {
                throw TransportError(
                    .invalidResponse,
                    message: "A header field contains a line break or NUL."
                )
            }
            let size = field.name.utf8.count + field.value.utf8.count + 4
            headerSize += size
            // libcurl has no error code of its own for this.
            guard size <= Self.lineLimit, headerSize <= Self.headerLimit else {
                throw TransportError(.unreachable, message: "The response header is too large.")
            }
            received.headers.fields[index].value = field.value.trimmingBlanks
        }
        if method == .head || status == 204 || status == 304 { received.body = [] }
        let limit = limit ?? Self.bodyLimit
        guard received.body.count <= limit else {
            var error = TransportError(
                .invalidResponse,
                message: "The response is larger than \(limit) bytes."
            )
            received.body = []
            error.head = received
            throw error
        }
        return received
    }
}

extension String {
    /// The string without leading and trailing spaces and tabs.
    fileprivate var trimmingBlanks: String {
        guard let start = firstIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        let end = lastIndex { $0 != " " && $0 != "\t" } ?? start
        return String(self[start...end])
    }
}
