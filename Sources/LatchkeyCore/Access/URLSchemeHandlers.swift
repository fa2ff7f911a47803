/// The apps on this device that open URLs with certain schemes.
public protocol URLSchemeHandlers: Sendable {
    /// Returns whether an app is registered for a URL scheme.
    ///
    /// - Parameter scheme: The scheme without the colon. Case is ignored.
    /// - Returns: `true` if an app is registered for the scheme.
    func isHandled(_ scheme: String) async -> Bool

    /// Opens a URL with the app that is registered for its scheme.
    ///
    /// - Parameter url: The URL.
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/noPresenter`` if no app can be started.
    func open(_ url: String) async throws(LatchkeyError)
}
