/// A delegate that customizes OnsideKit.
@MainActor public protocol OnsideDelegate: AnyObject {
    /// Returns whether logins always use OnsideKit's own screen, even if the store app is installed.
    ///
    /// Called for each login that is presented. It selects the screen only; the accepted credentials are the same. The
    /// default implementation returns `false`.
    func onsideShouldForceLocalLoginMethods() -> Bool
}

extension OnsideDelegate {
    /// Returns `false`, so that the store app is preferred.
    public func onsideShouldForceLocalLoginMethods() -> Bool { false }
}
