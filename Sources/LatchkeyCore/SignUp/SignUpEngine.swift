/// The dependencies shared by all steps of a sign-up.
package struct SignUpEngine: Sendable {
    let api: IdentityAPI
    let keeper: SessionKeeper
    let completion: LoginCompletion
    let flows: FlowEngine
    /// The schema that accounts must have to be allowed to log in, or `nil` to allow all of them.
    let schema: String?

    /// Runs a step of a sign-up.
    ///
    /// If an error is thrown, its `isStillSignedIn` property is updated to reflect the current state.
    func settled<Value: Sendable>(
        _ step: (SignUpEngine) async throws(LatchkeyError) -> Value
    ) async throws(LatchkeyError) -> Value {
        do throws(LatchkeyError) {
            return try await step(self)
        } catch {
            throw keeper.settled(error)
        }
    }

    /// Returns a copy that only accepts accounts with the given schema.
    package func onlyAs(_ schema: String) -> SignUpEngine {
        SignUpEngine(
            api: api,
            keeper: keeper,
            completion: completion,
            flows: flows.onlyAs(schema),
            schema: schema
        )
    }
}

extension SessionKeeper {
    /// Returns a copy of the error with `isStillSignedIn` set to reflect the current state.
    package func settled(_ error: LatchkeyError) -> LatchkeyError {
        var error = error
        error.isStillSignedIn = held != nil
        return error
    }
}
