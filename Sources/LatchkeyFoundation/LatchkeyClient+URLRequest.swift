public import Foundation
public import Latchkey
public import LatchkeyCore
public import LatchkeyWire

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Methods for apps that send their own requests with `URLSession`.
extension LatchkeyClient {
    /// Adds the session's credentials to a request that the app sends itself, for example with `URLSession`.
    ///
    /// Header fields with the same names are replaced. Send the request only once, because the proof for a
    /// bound access token cannot be reused. Do not let `URLSession` follow redirects to other origins,
    /// because the other origin would receive the credentials.
    ///
    /// - Parameters:
    ///   - request: The request. The credentials depend on the request's URL and method.
    ///   - minimum: The minimum time for which an access token should remain valid.
    /// - Returns: The credentials, to be passed to ``reportResponse(_:for:)``.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` with the same codes as `authorization(_:for:validFor:)`. If
    ///   an error is thrown, the request is unchanged.
    @discardableResult
    public func authorize(
        _ request: inout URLRequest,
        validFor minimum: Duration = .seconds(30)
    ) async throws(LatchkeyError) -> RequestAuthorization {
        guard let url = request.url else {
            throw .invalid("url", message: "The request has no URL.")
        }
        let authorization = try await authorization(
            HTTP.Method(rawValue: request.httpMethod ?? "GET"),
            for: url,
            validFor: minimum
        )
        for field in authorization.headers.fields {
            request.setValue(field.value, forHTTPHeaderField: field.name)
        }
        return authorization
    }

    /// Reports the response to a request that was authorized with ``authorize(_:validFor:)``.
    ///
    /// - Parameters:
    ///   - response: The response. Report every 401 response.
    ///   - authorization: The credentials that the request was sent with.
    /// - Returns: `true` if the app should authorize the request again and retry it.
    @discardableResult
    public func reportResponse(_ response: HTTPURLResponse, for authorization: RequestAuthorization) -> Bool {
        var headers: HTTP.Headers = [:]
        for (name, value) in response.allHeaderFields {
            guard let name = name as? String, let value = value as? String else { continue }
            headers.fields.append(HTTP.Headers.Field(name: name, value: value))
        }
        return reportResponse(status: response.statusCode, headers: headers, for: authorization)
    }

    /// Sends a request to the app's own API through the client's transport.
    ///
    /// Unlike a request that the app sends itself, the request is repeated with a new token after a 401.
    /// Redirects are returned and not followed.
    ///
    /// - Parameters:
    ///   - request: The request. The body must be in `httpBody`. The client sets the `Authorization` header
    ///     field.
    ///   - limits: The time limit for the whole exchange and the maximum size of the response. By default,
    ///     the time limit is the request's `timeoutInterval` (60 seconds unless the app sets it), and the
    ///     transport limits the size to 1 MiB. There is no time limit if the interval is infinite or at least
    ///     24 days. If the interval isn't a positive number, the transport's limit of 15 seconds applies.
    /// - Returns: The body and the response. A status code is never thrown as an error.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` with the same codes as `send(_:to:limits:)`, or with
    ///   `invalidInput` if the request has a body stream.
    public func data(
        for request: URLRequest,
        limits: RequestLimits = RequestLimits()
    ) async throws(LatchkeyError) -> (Data, HTTPURLResponse) {
        guard let url = request.url, let components = URLComponents(url: url, resolvingAgainstBaseURL: true),
            request.httpBodyStream == nil
        else {
            throw .invalid("url", message: "The request must have an absolute URL and no body stream.")
        }
        // The fragment is not sent. The client validates the rest of the URL, including the origin.
        let text = url.absoluteString.prefix { $0 != "#" }
        let path = components.percentEncodedPath
        let end = text.range(of: "://").flatMap { mark in
            text[mark.upperBound...].firstIndex { $0 == "/" || $0 == "?" }
        }
        var sent = HTTP.Request(
            HTTP.Method(rawValue: request.httpMethod ?? "GET"),
            path.isEmpty ? "/" : path,
            query: components.percentEncodedQuery,
            body: request.httpBody.map { Array($0) } ?? []
        )
        for (name, value) in request.allHTTPHeaderFields ?? [:] { sent.headers[name] = value }
        var limits = limits
        limits.timeout = limits.timeout ?? RequestLimits.timeout(request.timeoutInterval)
        let answer = try await send(sent, to: String(text[..<(end ?? text.endIndex)]), limits: limits)
        var fields: [String: String] = [:]
        for field in answer.headers.fields {
            fields[field.name] = fields[field.name].map { $0 + ", " + field.value } ?? field.value
        }
        guard
            let response = HTTPURLResponse(
                url: url,
                statusCode: answer.status,
                httpVersion: "HTTP/1.1",
                headerFields: fields
            )
        else {
            throw LatchkeyError(.invalidResponse, message: "Foundation cannot represent the response.")
        }
        return (Data(answer.body), response)
    }
}

extension RequestLimits {
    /// Returns the time limit for a `timeoutInterval`, or `nil` for the transport's own limit.
    static func timeout(_ interval: TimeInterval) -> Duration? {
        // Apps use infinity and the largest finite numbers to turn off the limit. `Duration` traps for them.
        guard interval > 0 else { return nil }
        return interval < 24 * 86_400 ? .seconds(interval) : noTimeout
    }
}
