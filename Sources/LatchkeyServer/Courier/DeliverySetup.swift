import LatchkeyModel
import LatchkeyServerCore

/// The way that messages take, as the operator chose it.
struct DeliverySetup: Sendable {
    let delivery: any MessageDelivery

    /// The development courier, when it is the one in use; its messages can be read.
    let development: DevelopmentDelivery?

    /// Makes what the configuration asks for.
    ///
    /// - Throws: ``IdentityServerError`` of the kind `configuration`, or when libcurl cannot be used.
    init(_ courier: ServerConfiguration.Courier, _ parts: ServerParts) throws {
        switch courier.kind {
        case .development:
            let development = DevelopmentDelivery(time: parts.time, print: parts.terminal)
            self.development = development
            delivery = development
        case .http:
            guard let address = courier.url.flatMap({ OutgoingAddress($0) }) else {
                throw IdentityServerError(.configuration, "courier.url is not an address that can be called")
            }
            development = nil
            delivery = HTTPSMSDelivery(
                to: address,
                headers: courier.headers,
                template: try Self.template(courier.body),
                timeout: courier.timeout,
                http: try CurlOutgoingHTTP(timeout: courier.timeout),
                time: parts.time
            )
        }
    }

    private static func template(_ text: String) throws(IdentityServerError) -> MessageTemplate {
        do throws(MessageTemplate.Malformed) {
            return try MessageTemplate(text)
        } catch {
            throw IdentityServerError(.configuration, "courier.body \(error.reason)")
        }
    }
}
