import Latchkey
import LatchkeyPurchases

/// The presenter that OnsideKit passes to its client.
///
/// It selects the kind of login, and forwards the calls to the app's presenter.
@MainActor final class RoutingPresenter: Presenter {
    private weak var presenter: (any OnsidePresenter)?
    private let schemeHandlers: (any URLSchemeHandlers)?
    private let storeAppScheme: String
    private let storeAppName: String
    private let log: OnsideLog

    init(_ configuration: OnsideConfiguration, log: OnsideLog) {
        presenter = configuration.presenter
        schemeHandlers = configuration.schemeHandlers
        storeAppScheme = configuration.storeAppScheme
        storeAppName = configuration.storeAppName
        self.log = log
    }

    /// The app's presenter, or `nil` if it was deallocated.
    var current: (any OnsidePresenter)? { presenter }

    /// Returns the hand-off to the store app, or `nil` if this login is OnsideKit's own.
    ///
    /// The delegate is asked once per login.
    func handOff() async -> AppHandOff? {
        guard presenter != nil else { return nil }
        let isInstalled = await schemeHandlers?.isHandled(storeAppScheme) ?? false
        let redirect = Onside.callbackAddress
        let route = OnsideLoginRoute(
            isStoreAppInstalled: isInstalled,
            hasCallbackScheme: redirect != nil,
            isLocalForced: Onside.delegate?.onsideShouldForceLocalLoginMethods() ?? false
        )
        guard route == .appToApp, let redirect, let schemeHandlers else { return nil }
        return AppHandOff(
            to: storeAppScheme,
            named: storeAppName,
            returningTo: redirect.text,
            through: schemeHandlers
        )
    }

    func present(_ login: LoginPresentation) async {
        guard let presenter else {
            return log.write(.warning, name: "presenter", message: "The app's presenter was deallocated.")
        }
        await presenter.present(login)
    }
}

extension RoutingPresenter {
    /// Asks the user to confirm a payment.
    ///
    /// Returns `nil` if the user wants to decide later or the app's presenter was deallocated.
    func approval(of transaction: StoreTransaction) async -> Bool? {
        await current?.confirmPayment(transaction)
    }
}
