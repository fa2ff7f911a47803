import LatchkeyModel
import LatchkeyWire

/// One page of a list, with what the next one begins after.
struct Page<Entry: Sendable>: Sendable {
    var entries: [Entry]

    private let request: PageRequest
    private let next: [UInt8]?

    /// Makes a page of what was found.
    ///
    /// - Parameters:
    ///   - found: One entry more than the page's size, if there are as many.
    ///   - request: What was asked for.
    ///   - key: The key of an entry.
    init(_ found: [Entry], _ request: PageRequest, key: (Entry) -> [UInt8]) {
        entries = Array(found.prefix(request.size))
        self.request = request
        next = found.count > request.size ? entries.last.map(key) : nil
    }

    /// The answer: an array, and the way to the first and the next page in the header `Link` (RFC 8288).
    ///
    /// - Parameters:
    ///   - path: The path of the list.
    ///   - filters: The other items of the query, which stay.
    ///   - write: Writes an entry.
    /// - Returns: The answer.
    func response(
        _ path: String,
        filters: [(name: String, value: String)] = [],
        _ write: (Entry, inout JSONWriter) -> Void
    ) -> HTTPResponse {
        var writer = JSONWriter(reserving: 512 * (entries.count + 1))
        writer.array { writer in for entry in entries { write(entry, &writer) } }
        var response = HTTPResponse.json(200, writer.bytes)
        var links = [link(path, filters, to: nil, page: 0, "first")]
        if let next { links.append(link(path, filters, to: next, page: (request.number ?? 0) + 1, "next")) }
        response.headers["Link"] = links.joined(separator: ",")
        return response
    }

    private func link(
        _ path: String,
        _ filters: [(name: String, value: String)],
        to key: [UInt8]?,
        page: Int,
        _ relation: String
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
