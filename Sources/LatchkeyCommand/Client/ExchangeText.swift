import Latchkey
import LatchkeyCore
import LatchkeyServerKit
import LatchkeyWire

/// Formats HTTP exchanges as text.
///
/// The client has already masked all secrets by the time an exchange is formatted.
struct ExchangeText: Sendable {
    /// The response members that are shown in the short format.
    private static let importantMembers: Set<String> = [
        "id", "session_token", "session", "identity", "message", "error", "serialNumber", "notAfter",
    ]

    /// Reason phrases for common statuses.
    ///
    /// Statuses that aren't in this list are printed without a reason phrase.
    private static let phrases = [
        200: "OK", 201: "Created", 204: "No Content", 400: "Bad Request", 401: "Unauthorized",
        403: "Forbidden",
        404: "Not Found", 409: "Conflict", 410: "Gone", 429: "Too Many Requests",
        500: "Internal Server Error",
        502: "Bad Gateway", 503: "Service Unavailable",
    ]

    /// Whether to omit less important members of responses and to truncate multi-line strings.
    private let isShort: Bool

    /// Shows complete requests and responses.
    static let full = ExchangeText(isShort: false)

    /// Shows complete requests, but only the most important members of responses.
    ///
    /// Only the first line of a multi-line string, such as a PEM block, is shown.
    static let short = ExchangeText(isShort: true)

    private init(isShort: Bool) {
        self.isShort = isShort
    }

    /// Formats an exchange: the request, followed by either the response or the transport error.
    ///
    /// `Content-Type` is the only header field that is shown, and only if the message has a body.
    func lines(of exchange: RecordedExchange) -> [String] {
        let request = exchange.request
        let target = request.path + (request.query.map { "?\($0)" } ?? "")
        var lines = ["\(request.method.rawValue) \(target) HTTP/1.1"]
        lines += content(of: request.body, headers: request.headers, abridged: false)
        switch exchange.outcome {
        case .success(let response):
            lines.append("HTTP/1.1 \(response.status) \(Self.phrases[response.status] ?? "")")
            lines += content(of: response.body, headers: response.headers, abridged: isShort)
        case .failure(let error):
            lines.append("(no response: \(error.message))")
        }
        return lines.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }
            .map { String($0) }
    }

    /// Returns the lines for the content type and the body, or an empty array if there is no body.
    ///
    /// JSON is pretty-printed. Anything else is shown as UTF-8 text.
    private func content(of body: [UInt8], headers: HTTP.Headers, abridged isAbridged: Bool) -> [String] {
        guard !body.isEmpty else { return [] }
        let type = headers["Content-Type"].map { ["Content-Type: \($0)"] } ?? []
        guard let json = try? JSONParser.parse(body) else {
            return type + [String(decoding: body, as: UTF8.self)]
        }
        return type + [text(json, abridged: isAbridged, depth: 0)]
    }

    /// Pretty-prints a JSON value, indenting each level by two spaces.
    ///
    /// Omitted members are shown as `…`.
    private func text(_ value: OrderedJSON, abridged isAbridged: Bool, depth: Int) -> String {
        let margin = "\n" + String(repeating: "  ", count: depth + 1)
        let end = "\n" + String(repeating: "  ", count: depth)
        func list(of parts: [String], opening open: String, closing close: String) -> String {
            open + parts.map { margin + $0 }.joined(separator: ",") + end + close
        }
        switch value {
        case .object(let members) where !members.isEmpty:
            let shown = members.filter { !isAbridged || Self.importantMembers.contains($0.name) }
            let parts = shown.map { member in
                scalar(.string(member.name)) + ": "
                    + text(member.value, abridged: isAbridged, depth: depth + 1)
            }
            let omission = shown.count < members.count ? ["…"] : []
            return list(of: parts + omission, opening: "{", closing: "}")
        case .array(let values) where !values.isEmpty:
            let parts = values.map { text($0, abridged: isAbridged, depth: depth + 1) }
            return list(of: parts, opening: "[", closing: "]")
        case .string(let long) where isShort && long.contains("\n"):
            // Show only the first line of a multi-line string. The first line of a PEM block contains its
            // type.
            return scalar(.string(long.prefix { $0 != "\n" } + "…"))
        default:
            return scalar(value)
        }
    }

    /// Formats a value as JSON on a single line.
    private func scalar(_ value: OrderedJSON) -> String {
        var writer = JSONWriter(reserving: 64)
        writer.value(ordered: value)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
