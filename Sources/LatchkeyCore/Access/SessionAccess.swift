import LatchkeyModel
public import LatchkeyWire

/// Gives an action access to the user's session.
///
/// An action receives its `SessionAccess` from `withSession`.
public struct SessionAccess: Sendable {
    /// The session that the action uses.
    public let session: UserSession

    private let login: UInt32
    private let keeper: SessionKeeper
    private let requests: AuthorizedRequests
    private let retry: RetryPolicy
    private let mayHaveChangedData = Locked(false)

    init(
        session: UserSession,
        login: UInt32,
        keeper: SessionKeeper,
        requests: AuthorizedRequests,
        retry: RetryPolicy
    ) {
        (self.session, self.login, self.keeper) = (session, login, keeper)
        (self.requests, self.retry) = (requests, retry)
    }

    /// Sends a request on behalf of the user, authenticated with the session's credential.
    ///
    /// If the server responds with 401, this method first asks the identity server whether the session is
    /// still valid.
    ///
    /// - Parameters:
    ///   - request: The request to send, with a path that starts with a slash.
    ///   - origin: The scheme, host and port of the server, such as `https://api.example.com`. This must be
    ///     the origin of the identity server or one of the client's `apiOrigins`.
    ///   - limits: The time limit and the maximum size of the response. By default, the transport's limits
    ///     apply, which are 15 seconds and 1 MiB.
    /// - Returns: The response, regardless of its status.
    /// - Throws: ``LatchkeyError`` with the code ``LatchkeyError/Code/sessionEnded`` if the server responded
    ///   with 401 and the session has ended, or ``LatchkeyError/Code/signedOut`` if no user is logged in
    ///   anymore or a different user has logged in since the action began. Don't catch `sessionEnded` or
    ///   `signedOut` in an action. If an action throws one of these errors, it may be run again.
    @concurrent public func send(
        _ request: HTTP.Request,
        to origin: String,
        limits: RequestLimits = RequestLimits()
    ) async throws(LatchkeyError) -> HTTP.Response {
        try await send(request, to: origin, limits: limits, provingKey: false)
    }

    /// Sends a request as ``send(_:to:limits:)`` does.
    ///
    /// If `provesKey` is `true` and the device has a certificate, a request to the identity server also
    /// contains a proof of possession of the device's key.
    package func send(
        _ request: HTTP.Request,
        to origin: String,
        limits: RequestLimits = RequestLimits(),
        provingKey provesKey: Bool
    ) async throws(LatchkeyError) -> HTTP.Response {
        var request = request
        let isSafe = request.method == .get || request.method == .head
        if case .always(let key) = retry, !isSafe, request.headers["Idempotency-Key"] == nil {
            request.headers["Idempotency-Key"] = key
        }
        let response: HTTP.Response
        do throws(LatchkeyError) {
            response = try await requests.send(
                request,
                to: origin,
                limits: limits,
                onlyAs: session.identity.id,
                provingKey: provesKey
            )
        } catch {
            if !isSafe, error.mayHaveBeenSent { mayHaveChangedData.withLock { $0 = true } }
            throw keeper.settled(error)
        }
        guard response.status == 401 else {
            // A request that requires a duty has not been applied.
            if !isSafe, requests.duty(in: response, to: request, at: origin) == nil {
                mayHaveChangedData.withLock { $0 = true }
            }
            return response
        }
        await requests.maintenance.finishCheck()
        guard keeper.held?.handle.login == login else {
            throw keeper.settled(.endedDuringAction)
        }
        return response
    }

    /// Whether the retry policy allows the action to run again.
    var mayRepeat: Bool {
        switch retry {
        case .never: false
        case .ifNotSent: !mayHaveChangedData.withLock { $0 }
        case .always: true
        }
    }
}

extension LatchkeyError {
    /// The identity server confirmed that the session ended.
    fileprivate static let endedDuringAction = LatchkeyError(
        .sessionEnded,
        message: "The session ended while an action was running."
    )

    /// Whether the failed request may have reached the server.
    fileprivate var mayHaveBeenSent: Bool {
        switch code {
        case .signedOut, .originNotAllowed, .invalidInput, .storageUnavailable: false
        default: (cause as? TransportError).map { !$0.neverSent } ?? true
        }
    }
}
