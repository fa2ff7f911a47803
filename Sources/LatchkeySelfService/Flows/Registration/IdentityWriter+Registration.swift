import LatchkeyAccounts
import LatchkeyModel
import LatchkeyWire

extension IdentityWriter {
    /// Returns the JSON response to a registration.
    ///
    /// If the registration created a session, the response includes the session and its token.
    /// `continue_with` lists the answers to an authorization request, the verification flows and the token, or
    /// is `null` if there are none.
    func registration(
        _ registered: RegistrationCompletion.Registered,
        duties: [AccountDuty],
        answering answers: [ContinueWith] = []
    ) -> [UInt8] {
        var steps = answers + registered.verifications.map(\.continuation)
        if let (_, token) = registered.session { steps.append(.sessionToken(token.secret)) }
        return registration(registered, token: registered.session?.1, duties: duties, then: steps)
    }

    /// Returns the JSON response to a registration with the given next steps.
    ///
    /// The token is `nil` for browsers, whose scripts must not read it.
    func registration(
        _ registered: RegistrationCompletion.Registered,
        token: SessionToken?,
        duties: [AccountDuty],
        then steps: [ContinueWith]
    ) -> [UInt8] {
        var writer = JSONWriter(reserving: 4096)
        writer.object { writer in
            if let token {
                writer.name("session_token")
                writer.string(token.secret.exposed)
            }
            if let (session, _) = registered.session {
                writer.name("session")
                write(session, of: registered.identity, duties: duties, to: &writer)
            }
            writer.name("identity")
            write(registered.identity, to: &writer)
            writer.name("continue_with")
            if steps.isEmpty { writer.null() } else { writer.continuation(steps) }
        }
        return writer.bytes
    }
}
