import LatchkeyModel
package import LatchkeyWire

/// Sends the app's own requests as the person who is logged in.
package struct AuthorizedRequests: Sendable {
    private let transport: any Transport
    private let api: IdentityAPI
    private let keeper: SessionKeeper
    private let check: SessionCheck
    private let time: any TimeSource

    init(
        transport: any Transport,
        api: IdentityAPI,
        keeper: SessionKeeper,
        check: SessionCheck,
        time: any TimeSource
    ) {
        self.transport = transport
        self.api = api
        self.keeper = keeper
        self.check = check
        self.time = time
    }

    /// Sends a request with the session's credential.
    ///
    /// An access token is renewed ahead of its end, and once when a 401 says that it is no good; then the request is sent
    /// again. A 401 of the identity server to a session's token ends the session. One of another server proves nothing,
    /// so the identity server is asked; the answer is passed on in both cases.
    ///
    /// - Returns: The answer, whatever its status.
    /// - Throws: ``LatchkeyError``; ``LatchkeyError/Code/signedOut`` when nobody is logged in.
    package func send(_ request: HTTPRequest, to origin: String) async throws(LatchkeyError) -> HTTPResponse {
        let now = time.now
        var session = try await usable(keeper.access(), at: now)
        var answer = try await send(request, to: origin, as: session)
        if answer.status == 401, session.handle.isPair,
            let renewed = try? await keeper.access(fresherThan: session), renewed.stored.pair != nil
        {
            session = renewed
            answer = try await send(request, to: origin, as: session)
        }
        guard answer.status == 401 else {
            if now >= session.stored.certificate.renewalDate { await check.renewCertificate() }
            return answer
        }
        if !session.handle.isPair, api.owns(request, at: origin), ServerRefusal(decoding: answer).endsSession
        {
            await keeper.end(
                session,
                because: "The identity server refused a request: it does not know the session."
            )
        } else {
            // Whatever comes of it: the caller gets the answer to the question that it asked.
            _ = try? await check()
        }
        return answer
    }

    /// The session with a credential that is good for now.
    private func usable(
        _ session: HeldSession,
        at now: Timestamp
    ) async throws(LatchkeyError) -> HeldSession {
        guard session.handle.isPair else { return session }
        guard let pair = session.stored.pair else { return try await keeper.access(fresherThan: session) }
        guard now >= pair.renewAt else { return session }
        do throws(LatchkeyError) {
            return try await keeper.access(fresherThan: session)
        } catch {
            // What cannot be renewed now is used as long as it lasts.
            guard error.code != .signedOut, error.code != .cancelled, time.now < pair.expiresAt else {
                throw error
            }
            return session
        }
    }

    private func send(
        _ request: HTTPRequest,
        to origin: String,
        as session: HeldSession
    ) async throws(LatchkeyError) -> HTTPResponse {
        guard !Task.isCancelled else { throw .cancelled }
        let token =
            session.handle.isPair ? session.stored.pair?.access ?? session.stored.token : session.stored.token
        var request = request
        request.headers["Authorization"] = "Bearer \(token.exposed)"
        do throws(TransportError) {
            return try await transport.send(request, to: origin)
        } catch {
            throw LatchkeyError(transport: error)
        }
    }
}
