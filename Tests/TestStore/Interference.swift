import Foundation
package import LatchkeyWire
import Testing

/// A way in which a gateway, proxy or captive portal interferes with an exchange.
package struct Interference: Sendable, CustomTestStringConvertible {
    package let testDescription: String
    /// Whether the server receives the request.
    package let isForwarded: Bool
    /// Whether the client can still read the server's response.
    package let isHarmless: Bool
    /// Returns the response to the client, given the server's response if the request was forwarded.
    package let response: @Sendable (HTTP.Response?) -> HTTP.Response

    private init(
        _ name: String,
        isForwarded: Bool = true,
        isHarmless: Bool = false,
        _ response: @escaping @Sendable (HTTP.Response?) -> HTTP.Response
    ) {
        testDescription = name
        (self.isForwarded, self.isHarmless, self.response) = (isForwarded, isHarmless, response)
    }

    /// All ways to interfere.
    package static let all = replacements + changes

    /// Returns the interferences to try with a request, which are all of them with `scripts/check --deep` and every
    /// ninth otherwise.
    ///
    /// - Parameters:
    ///   - operation: The name of the operation that sends the request. Each one has another sample.
    ///   - number: The number of requests that the operation sends before.
    /// - Returns: The interferences.
    package static func sample(of operation: String, at number: Int) -> [Interference] {
        guard ProcessInfo.processInfo.environment["DEEP_TESTS"] == nil else { return all }
        let stride = 9
        let first = (operation.utf8.count + number) % stride
        return Swift.stride(from: first, to: all.count, by: stride).map { all[$0] }
    }

    /// The intermediary's own responses, with and without passing the request on.
    private static let replacements = answers.flatMap { name, answer in
        [
            Interference("\(name) instead of the request", isForwarded: false) { _ in answer },
            Interference("\(name) instead of the response") { _ in answer },
        ]
    }

    /// An error in the server's format, but with an id of another product, instead of the response.
    ///
    /// A client can't tell it from the error of a newer server.
    package static func foreignError(_ status: Int) -> Interference {
        let text = #"{"error":{"id":"waf_blocked","code":\#(status),"message":"Blocked."}}"#
        return Interference("error \(status) with a foreign id") { _ in body(text, "application/json", status)
        }
    }

    private static let answers: [(String, HTTP.Response)] = {
        var answers: [(String, HTTP.Response)] = []
        for status in [
            200, 203, 400, 401, 402, 403, 404, 405, 407, 408, 409, 410, 413, 421, 425, 429, 451, 500, 501,
            502, 503,
            504, 511,
        ] {
            answers.append(
                ("page \(status)", body("<!doctype html><title>Wi-Fi</title>", "text/html", status))
            )
        }
        for status in [301, 302, 303, 307, 308] {
            var redirect = HTTP.Response(status)
            redirect.headers["Location"] = "https://portal.example/login?id=1"
            answers.append(("redirect \(status)", redirect))
        }
        for status in [200, 202, 401, 404] {
            answers.append(("empty \(status)", HTTP.Response(status)))
        }
        for text in ["{}", "[]", "null", #""ok""#, #"{"message":"ok"}"#, #"{"id":"1","status":"ok"}"#] {
            answers.append(("JSON 200 \(text)", body(text, "application/json", 200)))
        }
        let errors = [
            (403, #"{"message":"Forbidden"}"#), (401, #"{"error":"invalid_token"}"#),
            (404, #"{"error":{"code":404,"message":"Not found.","status":"NOT_FOUND"}}"#),
            (401, #"{"error":{"code":401,"message":"No.","status":"UNAUTHENTICATED"}}"#),
            (429, #"{"error":{"message":"Slow down.","type":"requests"}}"#),
            (409, #"{"type":"about:blank","title":"Conflict","status":409}"#),
        ]
        for (status, text) in errors {
            answers.append(("JSON \(status) \(text)", body(text, "application/json", status)))
        }
        return answers
    }()

    private static func body(_ text: String, _ type: String, _ status: Int) -> HTTP.Response {
        HTTP.Response(status, headers: ["Content-Type": type], body: Array(text.utf8))
    }

    /// Changes to the server's response.
    private static let changes = [
        Interference("the media type is text/html") {
            changed($0) { $0.headers["Content-Type"] = "text/html" }
        },
        Interference("the media type is missing") { changed($0) { $0.headers["Content-Type"] = nil } },
        Interference("the body is cut") { changed($0) { $0.body.removeLast(($0.body.count + 1) / 2) } },
        Interference("the body is missing") { changed($0) { $0.body = [] } },
        Interference("the body has a page before it") {
            changed($0) { response in
                // A response with status 204 has no body.
                guard response.status != 204 else { return response.status = 502 }
                response.body.insert(contentsOf: Array("<script></script>".utf8), at: 0)
            }
        },
        Interference("the status is 203") { changed($0) { $0.status = 203 } },
        Interference("the status is 502") { changed($0) { $0.status = 502 } },
        Interference("the header fields are doubled", isHarmless: true) {
            changed($0) { $0.headers.fields += $0.headers.fields }
        },
        Interference("there are header fields of proxies", isHarmless: true) {
            changed($0) { response in
                response.headers["Via"] = "1.1 proxy"
                response.headers["X-Cache"] = "MISS"
                response.headers["Set-Cookie"] = "session=1"
            }
        },
    ]

    private static func changed(
        _ response: HTTP.Response?,
        _ change: (inout HTTP.Response) -> Void
    ) -> HTTP.Response {
        var response = response ?? HTTP.Response(502)
        change(&response)
        return response
    }

    /// Returns whether the client receives the server's response without changes to its format.
    package func passes(_ original: HTTP.Response?, as response: HTTP.Response) -> Bool {
        guard let original else { return false }
        return isHarmless
            || original.status == response.status && original.body == response.body
                && (original.body.isEmpty
                    || original.headers["Content-Type"] == response.headers["Content-Type"])
    }
}
