/// Cancellation, which Swift's own functions report with `CancellationError`.
extension LatchkeyError {
    /// Whether the call failed because its task was cancelled.
    ///
    /// ``cause`` is then a `CancellationError`. Do not show such an error to the user.
    public var isCancellation: Bool { code == .cancelled }

    /// Calls a closure, and throws `CancellationError` in place of a ``LatchkeyError`` with the code
    /// ``Code/cancelled``.
    ///
    /// Use it where callers filter `CancellationError`, such as in SwiftUI's `refreshable`.
    ///
    /// - Parameter body: Calls the client.
    /// - Returns: The result of the closure.
    /// - Throws: `CancellationError`, or the closure's error with another code.
    @discardableResult
    public static func throwingCancellation<Value>(
        _ body: () async throws(LatchkeyError) -> Value
    ) async throws -> Value {
        do throws(LatchkeyError) {
            return try await body()
        } catch {
            throw error.isCancellation ? CancellationError() : error
        }
    }
}
