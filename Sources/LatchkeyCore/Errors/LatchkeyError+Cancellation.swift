/// Helpers for code that expects cancelled calls to throw `CancellationError`, like Swift's own functions.
extension LatchkeyError {
    /// Whether the call failed because its task was cancelled, or because a closure of the app cancelled it.
    ///
    /// The ``cause`` is a `CancellationError`, or the error that the closure has thrown. Don't show this
    /// error to the user.
    public var isCancellation: Bool { code == .cancelled }

    /// Calls a closure, and throws `CancellationError` if the closure throws a ``LatchkeyError`` with the
    /// code ``Code/cancelled``.
    ///
    /// This is useful when the calling code handles `CancellationError` specially, such as in SwiftUI's
    /// `refreshable`.
    ///
    /// - Parameter body: A closure that calls one or more of the client's methods.
    /// - Returns: The value returned by the closure.
    /// - Throws: `CancellationError` if the call was cancelled, or the error thrown by the closure.
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
