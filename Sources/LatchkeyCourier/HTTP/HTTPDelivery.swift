package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// A delivery through a provider's HTTP API.
///
/// A message is sent as one `POST` request with a JSON body. A header field from the settings can replace
/// `Content-Type`, but `Idempotency-Key` is always the key of the message.
package struct HTTPDelivery: MessageDelivery {
    private let address: OutgoingAddress
    /// The header fields from the settings, sorted by name, so all requests contain them in the same order.
    private let headers: [(name: String, value: Secret)]
    private let template: RequestTemplate
    private let timeout: Duration
    private let http: any OutgoingHTTP
    private let time: any TimeSource

    /// Creates the delivery.
    ///
    /// - Parameters:
    ///   - address: The URL of the provider.
    ///   - headers: Additional header fields, such as the provider's API key.
    ///   - template: The JSON body of the request.
    ///   - timeout: The timeout of one attempt.
    ///   - http: The HTTP client.
    ///   - time: The clock that converts a date in `Retry-After` to a delay.
    package init(
        to address: OutgoingAddress,
        headers: [String: Secret],
        template: RequestTemplate,
        timeout: Duration,
        http: any OutgoingHTTP,
        time: any TimeSource
    ) {
        self.address = address
        self.headers = headers.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        self.template = template
        self.timeout = timeout
        self.http = http
        self.time = time
    }

    /// Sends the request and converts the status of the response to an outcome.
    ///
    /// A 2xx status means that the provider has accepted the message. A 4xx status is a permanent failure,
    /// except 408, 409, 425 and 429. All other statuses, and connection errors, are temporary failures.
    /// `Retry-After` (RFC 9110, section 10.2.3) delays the next attempt.
    ///
    /// - Parameters:
    ///   - message: The message whose values replace the placeholders of the template.
    ///   - idempotencyKey: The value of `Idempotency-Key` and of the placeholder `{{id}}`.
    /// - Throws: ``DeliveryError``, with the status but not the body of the response.
    package func deliver(_ message: Message, idempotencyKey: String) async throws(DeliveryError) {
        var request = HTTP.Request(.post, address.path, query: address.query)
        request.headers["Content-Type"] = "application/json"
        for (name, value) in headers { request.headers[name] = value.exposed }
        request.headers["Idempotency-Key"] = idempotencyKey
        request.body = template.fill(message, id: idempotencyKey)
        let response: HTTP.Response
        do {
            response = try await http.send(request, to: address.origin, timeout: timeout)
        } catch {
            throw .failed(error.message)
        }
        try judge(response)
    }

    /// Converts the status to an outcome.
    ///
    /// Only a definite rejection is a permanent failure.
    ///
    /// The body of the response is ignored, because it may quote the message.
    private func judge(_ response: HTTP.Response) throws(DeliveryError) {
        let reason = "The provider responded with status \(response.status)."
        switch response.status {
        case 200..<300:
            return
        // Providers respond with 409 while a request with the same key is in progress, so the outcome of that
        // request is not known yet.
        case 408, 409, 425, 429:
            throw .failed(reason, retryAfter: retryAfter(response))
        case 400..<500:
            throw .refused(reason)
        default:
            throw .failed(reason, retryAfter: retryAfter(response))
        }
    }

    /// Returns the delay that the provider requests; `nil` if there is no valid `Retry-After`.
    private func retryAfter(_ response: HTTP.Response) -> Duration? {
        response.headers["Retry-After"].flatMap { RetryAfter.wait($0, at: time.now) }
    }
}
