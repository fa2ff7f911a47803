package import LatchkeyWire

/// The format in which a browser expects the response.
package enum ResponseFormat: Sendable, CaseIterable {
    /// A page or a redirection to one, as for a form that the browser itself has sent.
    case page
    /// JSON, as for a request that the script of a page has sent.
    case json

    /// Reads the format from a request.
    ///
    /// A JSON body counts as a request for JSON. Otherwise, `Accept` decides, and if it names both formats
    /// with the same weight, or neither, the response is a page.
    package init(_ request: HTTP.Request) {
        if request.method != .get, request.mediaType == "application/json" {
            self = .json
            return
        }
        let accepted = request.headers.all("Accept").joined(separator: ",")
        let (page, json) = (
            Self.weight("text/html", in: accepted), Self.weight("application/json", in: accepted)
        )
        self = json > page ? .json : .page
    }

    /// Returns the weight with which a list of media ranges names a media type (RFC 9110, section 12.5.1), from
    /// 0 to 1000.
    ///
    /// Wildcards don't count.
    private static func weight(_ type: String, in list: String) -> Int {
        list.utf8.split(separator: UInt8(ascii: ",")).map { range in
            let parts = range.split(separator: UInt8(ascii: ";")).map { part in
                String(decoding: part.filter { $0 != 0x20 && $0 != 0x09 }, as: UTF8.self)
            }
            guard let name = parts.first, name.equalsIgnoringASCIICase(type) else { return 0 }
            guard let quality = parts.dropFirst().first(where: { $0.lowercased().hasPrefix("q=") }) else {
                return 1000
            }
            return thousandths(quality.dropFirst(2))
        }.max() ?? 0
    }

    /// Returns a weight such as `0.8` in thousandths, or 0 if it is malformed.
    private static func thousandths(_ text: Substring) -> Int {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first.flatMap({ Int($0) }), (0...1).contains(whole) else { return 0 }
        let fraction = parts.count > 1 ? parts[1] : ""
        guard fraction.count <= 3, fraction.allSatisfy({ $0.isASCII && $0.isNumber }) else { return 0 }
        let digits = String(fraction) + String(repeating: "0", count: 3 - fraction.count)
        return min(1000, whole * 1000 + (Int(digits) ?? 0))
    }
}
