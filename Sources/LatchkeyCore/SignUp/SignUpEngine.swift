/// The dependencies that all steps of a sign-up share.
package struct SignUpEngine: Sendable {
    let api: IdentityAPI
    let keeper: SessionKeeper
    let completion: LoginCompletion
    let flows: FlowEngine
    /// The only schema whose accounts are allowed to log in, or `nil` for all.
    let schema: String?

    /// Runs a step of a sign-up; if it fails, sets `sessionHolds` of its error according to the current
    /// state.
    func settled<Value: Sendable>(
        _ step: (SignUpEngine) async throws(LatchkeyError) -> Value
    ) async throws(LatchkeyError) -> Value {
        do throws(LatchkeyError) {
            return try await step(self)
        } catch {
            throw keeper.settled(error)
        }
    }

    /// Returns a copy that accepts only accounts with the given schema.
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
    /// Returns an error with `sessionHolds` set according to the current state.
    package func settled(_ error: LatchkeyError) -> LatchkeyError {
        var error = error
        error.sessionHolds = held != nil
        return error
    }
}
