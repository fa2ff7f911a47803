import LatchkeyPurchases

/// Presents the list of payment methods, and makes sure that it isn't presented twice at the same time.
@MainActor final class PaymentMethodsPresentation {
    private let presenter: RoutingPresenter
    private let purchases: Purchases
    private var current: Task<Void, Never>?

    init(presenter: RoutingPresenter, purchases: Purchases) {
        (self.presenter, self.purchases) = (presenter, purchases)
    }

    /// Presents the payment methods, or joins the presentation in progress, and waits until it ends.
    ///
    /// - Returns: `false` if they were not presented because the app's presenter was deallocated.
    func present() async -> Bool {
        if let current {
            await current.value
            return true
        }
        guard let presenter = presenter.current else { return false }
        let task = Task { [purchases] in await presenter.presentPaymentMethods(purchases) }
        current = task
        await task.value
        if current == task { current = nil }
        return true
    }

    /// Cancels the presentation in progress when the user logs out.
    func cancel() {
        current?.cancel()
    }
}
