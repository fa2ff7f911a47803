package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// Sends messages through a provider's HTTP API.
///
/// Each message is sent as a `POST` request with a JSON body. Header fields from the settings can replace
/// `Content-Type`, but not `Idempotency-Key`, which is always the message's key.
package struct HTTPDelivery: MessageDelivery {
    private let address: OutgoingAddress
    /// Header fields from the settings, sorted by name so that every request sends them in the same order.
    private let headers: [(name: String, value: Secret)]
    private let template: RequestTemplate
    private let timeout: Duration
    private let http: any OutgoingHTTP
    private let time: any TimeSource

    /// Creates a delivery for a provider's HTTP API.
    ///
    /// - Parameters:
    ///   - address: The provider's URL.
    ///   - headers: Additional header fields, such as an API key for the provider.
    ///   - template: The JSON request body.
    ///   - timeout: How long a single attempt may take.
    ///   - http: The HTTP client.
    ///   - time: The clock that is used to convert a date in `Retry-After` to a delay.
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

    /// Sends the request and throws an error that depends on the response status.
    ///
    /// The status line decides, even if the rest of the response is missing. A 2xx status means that the
    /// provider has accepted the message. 401, 403 and 407 mean that the server's credentials were refused,
    /// which an operator can fix. These statuses and 408, 409, 425 and 429 are temporary failures, and any
    /// other 4xx status is a permanent failure. All other statuses are temporary failures, and so are
    /// connection errors. `Retry-After` (RFC 9110, section 10.2.3) delays the next attempt.
    ///
    /// - Parameters:
    ///   - message: The message whose values replace the placeholders in the template.
    ///   - idempotencyKey: The value of the `Idempotency-Key` header and of the placeholder `{{id}}`.
    /// - Throws: ``DeliveryError``, with a reason that contains the response status but not the response
    ///   body.
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

    /// Throws an error if the status doesn't indicate success.
    ///
    /// A failure is only permanent if the provider explicitly rejects the message.
    ///
    /// The response body is ignored because it may quote the message.
    private func judge(_ response: HTTP.Response) throws(DeliveryError) {
        let status = response.status
        let wait = response.retryAfter(at: time.now)
        switch status {
        case 200..<300:
            return
        // Abandoning all messages because of an expired key would lose messages that don't expire.
        case 401, 402, 403, 407:
            throw .failed(
                "The provider rejected the server's credentials or account with status \(status).",
                retryAfter: wait
            )
        // Providers return 409 while a request with the same key is still in progress, so we don't know the
        // outcome of that request yet.
        case 408, 409, 425, 429:
            break
        case 400..<500:
            throw .refused("The provider rejected the message with status \(status).")
        default:
            break
        }
        throw .failed("The provider responded with status \(status).", retryAfter: wait)
    }
}
