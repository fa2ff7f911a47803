import LatchkeyModel
public import LatchkeyWire

/// A user's session, as an action receives it from `withSession`.
public struct SessionAccess: Sendable {
    /// The session that the action runs with.
    public let session: UserSession

    private let login: UInt32
    private let keeper: SessionKeeper
    private let requests: AuthorizedRequests
    private let replay: Replay
    private let mayHaveChangedData = Locked(false)

    init(
        session: UserSession,
        login: UInt32,
        keeper: SessionKeeper,
        requests: AuthorizedRequests,
        replay: Replay
    ) {
        (self.session, self.login, self.keeper) = (session, login, keeper)
        (self.requests, self.replay) = (requests, replay)
    }

    /// Sends a request as the user of this session, with its credential.
    ///
    /// After a 401 response, it waits until the identity server was asked whether the session is still valid.
    ///
    /// - Parameters:
    ///   - request: The request; its path starts with a slash.
    ///   - origin: Scheme, host and port, such as `https://api.example.com`; must be one of the client's
    ///     `apiOrigins` or the identity server's.
    /// - Returns: The response, regardless of its status.
    /// - Throws: ``LatchkeyError`` with the code ``LatchkeyError/Code/sessionEnded`` after a 401 response if the
    ///   session has ended, and ``LatchkeyError/Code/signedOut`` if there is no session, or it belongs to another
    ///   user than when the action began. An action should not catch these two errors, because they let it run
    ///   again.
    @concurrent public func send(
        _ request: HTTP.Request,
        to origin: String
    ) async throws(LatchkeyError) -> HTTP.Response {
        var request = request
        let isSafe = request.method == .get || request.method == .head
        if case .always(let key) = replay, !isSafe, request.headers["Idempotency-Key"] == nil {
            request.headers["Idempotency-Key"] = key
        }
        let response: HTTP.Response
        do throws(LatchkeyError) {
            response = try await requests.send(request, to: origin, onlyAs: session.identity.id)
        } catch {
            if !isSafe, error.mayHaveBeenSent { mayHaveChangedData.withLock { $0 = true } }
            throw error
        }
        guard response.status == 401 else {
            if !isSafe { mayHaveChangedData.withLock { $0 = true } }
            return response
        }
        await requests.maintenance.finishCheck()
        guard keeper.held?.handle.login == login else { throw .endedDuringAction }
        return response
    }

    /// Whether the policy permits the action to run again.
    var mayRepeat: Bool {
        switch replay {
        case .never: false
        case .ifNotSent: !mayHaveChangedData.withLock { $0 }
        case .always: true
        }
    }
}

extension LatchkeyError {
    /// The session of an action ended, as the identity server confirmed.
    fileprivate static let endedDuringAction = LatchkeyError(
        .sessionEnded,
        message: "The session ended while an action was running."
    )

    /// Whether the request that failed with this error may have reached the server.
    fileprivate var mayHaveBeenSent: Bool {
        switch code {
        case .signedOut, .originNotAllowed, .invalidInput, .storageUnavailable: false
        default: (cause as? TransportError).map { !$0.neverSent } ?? true
        }
    }
}
