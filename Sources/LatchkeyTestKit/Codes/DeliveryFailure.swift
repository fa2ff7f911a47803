/// A way in which a message does not arrive.
public enum DeliveryFailure: Sendable {
    /// The provider will never send it.
    case refused
    /// The provider cannot send it now.
    case failed
}
