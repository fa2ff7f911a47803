/// Checks whether an app on this device can open URLs with a given scheme.
public protocol URLSchemeHandlers: Sendable {
    /// Returns whether an app is registered for a URL scheme.
    ///
    /// - Parameter scheme: The scheme without the colon. Case is ignored.
    /// - Returns: `true` if an app is registered for the scheme.
    func isHandled(_ scheme: String) async -> Bool
}
