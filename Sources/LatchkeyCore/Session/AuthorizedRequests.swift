import LatchkeyModel
package import LatchkeyWire

/// Sends the app's own requests as the person who is logged in.
package struct AuthorizedRequests: Sendable {
    private let transport: any Transport
    private let api: IdentityAPI
    private let keeper: SessionKeeper
    private let check: SessionCheck

    init(transport: any Transport, api: IdentityAPI, keeper: SessionKeeper, check: SessionCheck) {
        self.transport = transport
        self.api = api
        self.keeper = keeper
        self.check = check
    }

    /// Sends a request with the session's token.
    ///
    /// A 401 of the identity server ends the session. One of another server proves nothing, so the identity
    /// server is asked; the answer is passed on in both cases.
    ///
    /// - Returns: The answer, whatever its status.
    /// - Throws: ``LatchkeyError``; ``LatchkeyError/Code/signedOut`` when nobody is logged in.
    package func send(_ request: HTTPRequest, to origin: String) async throws(LatchkeyError) -> HTTPResponse {
        await keeper.ready()
        guard let held = keeper.held else {
            if case .unavailable(.store(let error)) = keeper.state { throw LatchkeyError(store: error) }
            throw .notSignedIn
        }
        guard !Task.isCancelled else { throw .cancelled }
        var request = request
        request.headers["Authorization"] = "Bearer \(held.stored.token.exposed)"
        let answer: HTTPResponse
        do throws(TransportError) {
            answer = try await transport.send(request, to: origin)
        } catch {
            throw LatchkeyError(transport: error)
        }
        if answer.status == 401 {
            if api.owns(request, at: origin), ServerRefusal(decoding: answer).endsSession {
                await keeper.end(held)
            } else {
                // Whatever comes of it: the caller gets the answer to the question that it asked.
                _ = try? await check()
            }
        } else {
            await check.renewCertificate()
        }
        return answer
    }
}
