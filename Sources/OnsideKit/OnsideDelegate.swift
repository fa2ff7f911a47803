/// A delegate that customizes OnsideKit.
@MainActor public protocol OnsideDelegate: AnyObject {
    /// Returns whether logins always use OnsideKit's own screen, even if the store app is installed.
    ///
    /// This method is called for each login that is presented. The result only selects the screen, and users
    /// can log in with the same credentials either way. The default implementation returns `false`.
    func onsideShouldForceLocalLoginMethods() -> Bool
}

extension OnsideDelegate {
    /// Returns `false`, so users log in through the store app if it is installed.
    public func onsideShouldForceLocalLoginMethods() -> Bool { false }
}
