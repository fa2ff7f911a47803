/// How the user logs in.
package enum OnsideLoginRoute: Hashable, Sendable {
    /// The store app asks the user for consent and then returns to this app.
    case appToApp
    /// OnsideKit's own screen asks for a phone number and a code.
    case inSDK

    /// Selects app-to-app login if the store app is installed, a callback scheme is set, and the delegate
    /// allows it.
    ///
    /// - Parameters:
    ///   - isStoreAppInstalled: Whether an installed app opens the store app's scheme.
    ///   - hasCallbackScheme: Whether ``Onside/callbackScheme`` is set.
    ///   - isLocalForced: The value of ``OnsideDelegate/onsideShouldForceLocalLoginMethods()``.
    package init(isStoreAppInstalled: Bool, hasCallbackScheme: Bool, isLocalForced: Bool) {
        self = isStoreAppInstalled && hasCallbackScheme && !isLocalForced ? .appToApp : .inSDK
    }
}
