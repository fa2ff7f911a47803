import LatchkeyAccounts
import LatchkeyModel
import LatchkeyWire

extension IdentityWriter {
    /// Returns the JSON response to a registration.
    ///
    /// If the registration created a session, the response includes the session and its token.
    /// `continue_with` lists the verification flows and the token, or is `null` if there are none.
    func registration(_ registered: RegistrationCompletion.Registered) -> [UInt8] {
        var continuation = registered.verifications.map(\.continuation)
        var writer = JSONWriter(reserving: 4096)
        writer.object { writer in
            if let (session, token) = registered.session {
                writer.name("session_token")
                writer.string(token.secret.exposed)
                writer.name("session")
                write(session, of: registered.identity, to: &writer)
                continuation.append(.sessionToken(token.secret))
            }
            writer.name("identity")
            write(registered.identity, to: &writer)
            writer.name("continue_with")
            if continuation.isEmpty { writer.null() } else { writer.continuation(continuation) }
        }
        return writer.bytes
    }
}
