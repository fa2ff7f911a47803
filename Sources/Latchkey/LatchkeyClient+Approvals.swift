public import LatchkeyCore
import LatchkeyWire

extension LatchkeyClient {
    /// Reads the request of another app, such as a game that hands its login over to this one.
    ///
    /// If no user is logged in, a login is presented first. Only one session can read a request. It can read it
    /// again, for example if the user taps twice, and gets the same id.
    ///
    /// - Parameter url: The URL with which this app was opened, `<scheme>://authorize?client_id=…&request_uri=…`. It
    ///   may come from any program. Don't show its text.
    /// - Returns: The request, which comes from the identity server.
    /// - Throws: ``LatchkeyCore/LatchkeyError``. The code is `invalidInput` if the URL has another form, `flowUnknown`
    ///   if there is no such request, or if another session has read it, `flowExpired` if it was withdrawn,
    ///   `identityMismatch` if the request asks for another account, `dismissed` if the user dismissed the login, or
    ///   one of the other codes of ``requestLogin(because:)``.
    @concurrent public func authorizationApproval(
        for url: String
    ) async throws(LatchkeyError) -> AuthorizationApproval {
        guard let question = ApprovalAPI.Question(url) else {
            throw LatchkeyError(.invalidInput, message: "The URL isn't the request of another app.")
        }
        let api = ApprovalAPI(engine.api) { [self] request throws(LatchkeyError) in
            // The answer belongs to the session that has read the request, so no other one is presented.
            try await send(approval: request, .never)
        }
        return try await ApprovalAPI(engine.api) { [self] request throws(LatchkeyError) in
            try await send(approval: request, .onDemand)
        }.open(question, answeringWith: api)
    }

    private func send(
        approval request: HTTP.Request,
        _ policy: LoginPolicy
    ) async throws(LatchkeyError) -> HTTP.Response {
        do {
            return try await withSession(policy, because: .action("approval")) { access in
                let response = try await access.send(request, to: serverOrigin, provingKey: true)
                try ApprovalAPI.requireNoDuty(response)
                return response
            }
        } catch let error as LatchkeyError {
            throw error
        } catch {
            throw .cancelled
        }
    }
}
