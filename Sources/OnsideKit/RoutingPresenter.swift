import Latchkey
import LatchkeyPurchases

/// The presenter that OnsideKit passes to its client.
///
/// This presenter selects the kind of login and forwards the call to the app's presenter.
@MainActor final class RoutingPresenter: Presenter {
    private weak var presenter: (any OnsidePresenter)?
    private let schemeHandlers: (any URLSchemeHandlers)?
    private let storeAppScheme: String
    private let log: OnsideLog

    init(_ configuration: OnsideConfiguration, log: OnsideLog) {
        presenter = configuration.presenter
        schemeHandlers = configuration.schemeHandlers
        storeAppScheme = configuration.storeAppScheme
        self.log = log
    }

    /// The app's presenter, or `nil` if it was deallocated.
    var current: (any OnsidePresenter)? { presenter }

    func present(_ login: LoginPresentation) async {
        guard presenter != nil else {
            return log.write(.warning, name: "presenter", message: "The app's presenter was deallocated.")
        }
        let isInstalled = await schemeHandlers?.isHandled(storeAppScheme) ?? false
        let route = OnsideLoginRoute(
            isStoreAppInstalled: isInstalled,
            hasCallbackScheme: Onside.callbackScheme != nil,
            isLocalForced: Onside.delegate?.onsideShouldForceLocalLoginMethods() ?? false
        )
        switch route {
        case .inSDK: break
        // The server does not support handing off to the store app, so the store app's login cannot be used.
        case .appToApp:
            log.write(
                .info,
                name: "route",
                message: "The login in the store app is not available; using our own."
            )
        }
        await presenter?.present(login)
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
