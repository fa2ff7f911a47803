/// Looks up whether apps on this device open URLs with a scheme.
public protocol URLSchemeHandlers: Sendable {
    /// Returns whether an app is registered for a scheme.
    ///
    /// - Parameter scheme: The scheme without a colon; case-insensitive.
    func isHandled(_ scheme: String) async -> Bool
}
