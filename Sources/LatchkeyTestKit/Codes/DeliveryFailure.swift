/// How the provider that delivers messages fails.
public enum DeliveryFailure: Sendable {
    /// The provider permanently rejects the message, and the server doesn't send it again.
    case refused
    /// The provider can't send the message at the moment, and the server tries again.
    case failed
}
