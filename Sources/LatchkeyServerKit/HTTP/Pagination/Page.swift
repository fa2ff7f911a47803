import LatchkeyModel
package import LatchkeyWire

/// One page of a list.
package struct Page<Entry: Sendable>: Sendable {
    /// The entries on this page.
    ///
    /// The number of entries is at most ``PageRequest/size``.
    package var entries: [Entry]

    private let request: PageRequest
    /// The key of the last entry on this page if there is a next page, otherwise `nil`.
    package let next: [UInt8]?

    /// Creates a page from the entries that a query returned.
    ///
    /// - Parameters:
    ///   - found: The entries, including one additional entry if there is a next page.
    ///   - request: The request for this page.
    ///   - key: A closure that returns the key of an entry.
    package init(_ found: [Entry], for request: PageRequest, key: (Entry) -> [UInt8]) {
        entries = Array(found.prefix(request.size))
        self.request = request
        next = found.count > request.size ? entries.last.map(key) : nil
    }

    /// Returns the page as a JSON array of bodies, with links to the first and next pages.
    package func response<Body: DocumentedBody>(
        _ path: String,
        filters: [(name: String, value: String)] = [],
        body: (Entry) -> Body
    ) throws -> HTTP.Response {
        response(path, filters: filters, json: try JSONCoding.encode(entries.map(body)))
    }

    /// Returns the page as a JSON array, with links to the first and next pages in the `Link` header field
    /// (RFC 8288).
    ///
    /// - Parameters:
    ///   - path: The path of the list.
    ///   - filters: Query parameters that don't relate to paging, which are repeated in the links.
    ///   - write: Writes one entry as JSON.
    /// - Returns: A response with status 200.
    package func response(
        _ path: String,
        filters: [(name: String, value: String)] = [],
        write: (Entry, inout JSONWriter) -> Void
    ) -> HTTP.Response {
        var writer = JSONWriter(reserving: 512 * (entries.count + 1))
        writer.array { writer in for entry in entries { write(entry, &writer) } }
        return response(path, filters: filters, json: writer.bytes)
    }

    private func response(
        _ path: String,
        filters: [(name: String, value: String)],
        json: [UInt8]
    ) -> HTTP.Response {
        var response = HTTP.Response.json(200, body: json)
        var links = [link(path, filters: filters, to: nil, page: 0, relation: "first")]
        if let next {
            links.append(
                link(path, filters: filters, to: next, page: (request.number ?? 0) + 1, relation: "next")
            )
        }
        response.headers["Link"] = links.joined(separator: ",")
        return response
    }

    /// Returns a link to a page.
    ///
    /// If the request specified a page number, the link also uses a page number. Otherwise, the link contains
    /// the key of the entry that comes right before the page.
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
