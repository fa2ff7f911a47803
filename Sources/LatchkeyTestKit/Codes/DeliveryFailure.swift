/// A message delivery failure.
public enum DeliveryFailure: Sendable {
    /// The provider rejects the message permanently.
    ///
    /// The message is not sent again.
    case refused
    /// The provider temporarily cannot send the message; the server retries.
    case failed
}
