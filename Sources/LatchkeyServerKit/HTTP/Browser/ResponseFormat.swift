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

    /// Returns the weight with which a list of media ranges names a media type (RFC 9110, section 12.5.1).
    ///
    /// Wildcards don't count.
    private static func weight(_ type: String, in list: String) -> QualityValue {
        list[...].utf8.split(separator: UInt8(ascii: ",")).map { range in
            let parts = QualityValue.parts(of: range)
            guard let name = parts.first, String(decoding: name, as: UTF8.self).equalsIgnoringASCIICase(type)
            else { return .zero }
            guard let weight = parts.dropFirst().first(where: QualityValue.isWeight) else { return .one }
            return QualityValue(parameter: weight) ?? .zero
        }.max() ?? .zero
    }
}
