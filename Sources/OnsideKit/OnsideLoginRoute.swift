/// The kind of login that is presented.
package enum OnsideLoginRoute: Hashable, Sendable {
    /// The store app asks the user for consent, and returns to this app.
    case appToApp
    /// OnsideKit's own screen asks for a phone number and a code.
    case inSDK

    /// Selects the login: app-to-app needs the store app and a scheme to return to, and the delegate must permit it.
    ///
    /// - Parameters:
    ///   - isStoreAppInstalled: Whether an app opens the scheme of the store app.
    ///   - hasCallbackScheme: Whether ``Onside/callbackScheme`` is set.
    ///   - isLocalForced: The value of ``OnsideDelegate/onsideShouldForceLocalLoginMethods()``.
    package init(isStoreAppInstalled: Bool, hasCallbackScheme: Bool, isLocalForced: Bool) {
        self = isStoreAppInstalled && hasCallbackScheme && !isLocalForced ? .appToApp : .inSDK
    }
}
