import LatchkeyModel
import LatchkeyWire

/// Sends requests to an OpenID provider, which may be the identity server.
///
/// All methods throw ``LatchkeyError``.
struct ProviderAPI: Sendable {
    /// The largest document or response that is read, in bytes.
    private static let bodyLimit = 65_536

    /// The provider's clock.
    let clock: ServerClock
    private let headers: ClientHeaders
    private let transport: any Transport
    private let time: any TimeSource

    init(clock: ServerClock, headers: ClientHeaders, transport: any Transport, time: any TimeSource) {
        (self.clock, self.headers, self.transport, self.time) = (clock, headers, transport, time)
    }

    /// Fetches a published document.
    func document(at address: WebAddress) async throws(LatchkeyError) -> JSONValue {
        let response = try await send(HTTP.Request(.get, address.path, query: address.query), to: address)
        guard response.status == 200, let json = response.json, json.object != nil else {
            throw LatchkeyError(rejection: response)
        }
        return json
    }

    /// Posts a form.
    ///
    /// - Parameters:
    ///   - form: The form, whose path is ignored.
    ///   - address: The endpoint.
    ///   - proof: The DPoP proof for the address, or `nil` if tokens aren't bound to a key.
    ///   - type: The type of the response.
    /// - Returns: The response.
    /// - Throws: ``LatchkeyError`` if there is no response in the provider's format.
    func post<Body: AnswerBody & Decodable>(
        _ form: HTTP.Request,
        to address: WebAddress,
        proof: String? = nil,
        for type: Body.Type
    ) async throws(LatchkeyError) -> OAuthReply<Body> {
        var request = form
        (request.path, request.query) = (address.path, address.query)
        if let proof { request.headers[DPoPProof.header] = proof }
        let response = try await send(request, to: address)
        let nonce = response.headers[DPoPProof.nonceHeader]
        if Body.statuses.contains(response.status), let body = response.decoded(as: Body.self) {
            return OAuthReply(outcome: .success(body), nonce: nonce)
        }
        if (400...401).contains(response.status), let body = response.decoded(as: OAuthErrorBody.self) {
            return OAuthReply(outcome: .failure(TokenRefusal(body, status: response.status)), nonce: nonce)
        }
        throw LatchkeyError(rejection: response)
    }

    /// Sends a request with the client's header fields, and returns the response regardless of its status.
    func send(
        _ request: HTTP.Request,
        to address: WebAddress
    ) async throws(LatchkeyError) -> HTTP.Response {
        var request = request
        headers.identify(&request)
        var limits = RequestLimits()
        limits.bodyLimit = Self.bodyLimit
        return try await transport.exchange(
            request,
            with: address.origin,
            limits: limits,
            clock: clock,
            time: time
        )
    }
}
