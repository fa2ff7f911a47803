/// What all steps of a sign-up work with.
package struct SignUpEngine: Sendable {
    let api: IdentityAPI
    let keeper: SessionKeeper
    let admission: Admission
    let schema: String?

    /// Runs a step and says in its error whether the session that was there still holds.
    func settled<Value: Sendable>(
        _ step: (SignUpEngine) async throws(LatchkeyError) -> Value
    ) async throws(LatchkeyError) -> Value {
        do throws(LatchkeyError) {
            return try await step(self)
        } catch {
            throw keeper.settled(error)
        }
    }

    /// The same, letting in accounts of one schema only.
    package func onlyAs(_ schema: String) -> SignUpEngine {
        SignUpEngine(api: api, keeper: keeper, admission: admission, schema: schema)
    }
}

extension SessionKeeper {
    /// An error as it goes out: says whether the session still holds.
    package func settled(_ error: LatchkeyError) -> LatchkeyError {
        var error = error
        error.sessionHolds = held != nil
        return error
    }
}
