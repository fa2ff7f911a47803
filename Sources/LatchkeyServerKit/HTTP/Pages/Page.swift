import LatchkeyModel
package import LatchkeyWire

/// A page of a list, with the key after which the next page begins.
package struct Page<Entry: Sendable>: Sendable {
    /// The entries of the page, at most ``PageRequest/size`` of them.
    package var entries: [Entry]

    private let request: PageRequest
    /// The key after which the next page begins; `nil` on the last page.
    package let next: [UInt8]?

    /// Creates a page from the entries that a query returned.
    ///
    /// - Parameters:
    ///   - found: The entries, including one beyond the page size if there is a next page.
    ///   - request: The requested page.
    ///   - key: Returns the key of an entry.
    package init(_ found: [Entry], for request: PageRequest, key: (Entry) -> [UInt8]) {
        entries = Array(found.prefix(request.size))
        self.request = request
        next = found.count > request.size ? entries.last.map(key) : nil
    }

    /// Returns the response: a JSON array, with links to the first and the next page in the `Link` header
    /// field (RFC 8288).
    ///
    /// - Parameters:
    ///   - path: The path of the list.
    ///   - filters: Query parameters other than those for paging, which are repeated in the links.
    ///   - write: Writes an entry of the page as JSON.
    /// - Returns: The response with status 200.
    package func response(
        _ path: String,
        filters: [(name: String, value: String)] = [],
        write: (Entry, inout JSONWriter) -> Void
    ) -> HTTP.Response {
        var writer = JSONWriter(reserving: 512 * (entries.count + 1))
        writer.array { writer in for entry in entries { write(entry, &writer) } }
        var response = HTTP.Response.json(200, body: writer.bytes)
        var links = [link(path, filters: filters, to: nil, page: 0, relation: "first")]
        if let next {
            links.append(
                link(path, filters: filters, to: next, page: (request.number ?? 0) + 1, relation: "next")
            )
        }
        response.headers["Link"] = links.joined(separator: ",")
        return response
    }

    /// Returns a link that identifies a page by its number if the request specified a page number, and
    /// otherwise by the key after which the page begins.
    private func link(
        _ path: String,
        filters: [(name: String, value: String)],
        to key: [UInt8]?,
        page: Int,
        relation: String
    ) -> String {
        var items = filters.filter { !$0.value.isEmpty } + [("page_size", String(request.size))]
        if request.number != nil {
            items.append(("page", String(page)))
        } else if let key {
            items.append(("page_token", Base64URL.encode(key)))
        }
        let query = items.map { "\(QueryItems.encode($0.name))=\(QueryItems.encode($0.value))" }
        return "<\(path)?\(query.joined(separator: "&"))>; rel=\"\(relation)\""
    }
}
