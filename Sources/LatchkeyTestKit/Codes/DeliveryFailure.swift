/// A failure of a message delivery.
public enum DeliveryFailure: Sendable {
    /// The provider rejects the message permanently.
    case refused
    /// The provider cannot send the message now; the server retries.
    case failed
}
