public import Foundation
public import Latchkey
public import LatchkeyCore
import LatchkeyWire

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Requests of Foundation's URL loading system.
extension LatchkeyClient {
    /// Adds the session's credentials to a request that the app sends itself, for instance with `URLSession`.
    ///
    /// The fields replace those of the same names in the request. Send the request only once: a proof for a
    /// bound access token cannot be used again. Do not let `URLSession` follow redirects to other origins with
    /// these fields.
    ///
    /// - Parameters:
    ///   - request: The request, whose URL and method determine the credentials.
    ///   - minimum: The time for which an access token should remain valid.
    /// - Returns: The credentials, for ``reportResponse(_:for:)``.
    /// - Throws: ``LatchkeyCore/LatchkeyError``, with the same codes as `authorization(_:for:validFor:)`. The
    ///   request is then unchanged.
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

    /// Reports a response to a request that ``authorize(_:validFor:)`` has authorized.
    ///
    /// - Parameters:
    ///   - response: The response; report every 401.
    ///   - authorization: The credentials of the request.
    /// - Returns: Whether the request should be authorized again and repeated once.
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
    /// In contrast to a request that the app sends itself, it is repeated with a fresher token after a 401.
    /// Redirects are returned, not followed.
    ///
    /// - Parameter request: The request, whose body is in `httpBody`; its `timeoutInterval` limits the whole
    ///   exchange. The client sets the field `Authorization`.
    /// - Returns: The body, and the response with its status; no status is thrown as an error.
    /// - Throws: ``LatchkeyCore/LatchkeyError``, with the same codes as `send(_:to:limits:)`, and `invalidInput`
    ///   for a request with a body stream.
    public func data(for request: URLRequest) async throws(LatchkeyError) -> (Data, HTTPURLResponse) {
        guard let url = request.url, let components = URLComponents(url: url, resolvingAgainstBaseURL: true),
            request.httpBodyStream == nil
        else {
            throw .invalid("url", message: "The request must have an absolute URL and no body stream.")
        }
        // The fragment is not sent. The client validates the rest, including the origin.
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
        let answer = try await send(
            sent,
            to: String(text[..<(end ?? text.endIndex)]),
            limits: RequestLimits(timeout: .seconds(request.timeoutInterval))
        )
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
            throw LatchkeyError(.invalidAnswer, message: "The response cannot be represented by Foundation.")
        }
        return (Data(answer.body), response)
    }
}
