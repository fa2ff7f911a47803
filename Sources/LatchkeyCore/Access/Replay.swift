/// Whether an action may run a second time after its session ended while it ran.
///
/// An action never runs more than twice, and never again as another user or after a sign-out.
public enum Replay: Hashable, Sendable {
    /// The action does not run again.
    case never

    /// The action runs again unless one of its requests may have changed data.
    ///
    /// Only requests that are sent with ``SessionAccess/send(_:to:)`` are considered. A request cannot have
    /// changed data if it never left this device, if its method is `GET` or `HEAD`, or if the response was 401,
    /// because such a request has not been applied (RFC 9110, section 15.5.2).
    case ifNotSent

    /// The action runs again in any case; a key lets the app's server recognize repeated requests.
    ///
    /// The key is sent as the header field `Idempotency-Key` of all requests except `GET` and `HEAD` requests,
    /// unless the request has this field. Therefore, the action should send only one such request.
    case always(idempotencyKey: String)
}
