/// A kind of failure of the provider that delivers messages.
public enum DeliveryFailure: Sendable {
    /// The provider permanently rejects the message, which is not sent again.
    case refused
    /// The provider temporarily cannot send the message; the server retries.
    case failed
}
