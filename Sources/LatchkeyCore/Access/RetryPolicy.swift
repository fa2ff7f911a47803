/// Whether an action may run a second time if its session ends while it is running.
///
/// An action never runs more than twice. After a sign-out or for a different user, an action is never run
/// again.
public enum RetryPolicy: Hashable, Sendable {
    /// The action is never run again.
    case never

    /// The action is run again unless one of its requests may have changed data.
    ///
    /// Only requests sent with ``SessionAccess/send(_:to:limits:)`` are taken into account. A request cannot have
    /// changed data if it never left this device, if its method is `GET` or `HEAD`, or if the server
    /// responded with 401, which means that the request was not applied (RFC 9110, section 15.5.2).
    case ifNotSent

    /// The action is always run again. The app's server uses the idempotency key to recognize repeated
    /// requests.
    ///
    /// The key is sent in the `Idempotency-Key` header field of every request, except for `GET` and `HEAD`
    /// requests and requests that already contain this field. The action should therefore send only one
    /// request that changes data.
    case always(idempotencyKey: String)
}
