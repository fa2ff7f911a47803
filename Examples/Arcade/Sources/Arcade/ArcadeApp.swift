import LatchkeyTerminal
import OnsideKit

/// A terminal arcade where users browse and buy games and coins.
///
/// Users log in when they buy something.
///
/// The app has no login code. OnsideKit presents a login when an action needs an account.
@MainActor
public final class ArcadeApp: OnsidePaymentTransactionObserver {
    /// A menu item.
    private enum Entry: CaseIterable {
        case shop, restore, paymentMethods, history, account, quit
    }

    private let terminal: any Terminal
    private let library = ArcadeLibrary()
    private var queue: OnsidePaymentQueue { Onside.defaultPaymentQueue() }

    /// Creates the app.
    ///
    /// `Onside.initialize(configuration:)` must be called first.
    ///
    /// - Parameter terminal: The terminal that the app runs on.
    public init(terminal: any Terminal) {
        self.terminal = terminal
        queue.add(observer: self)
    }

    deinit {
        Onside.defaultPaymentQueue().remove(observer: self)
    }

    // MARK: The menu

    /// Shows the menu until the user quits.
    public func run() async {
        terminal.write("Welcome to the Arcade!")
        while true {
            terminal.write("")
            terminal.write(status)
            guard let entry = await choose(from: Entry.allCases, label: label), entry != .quit else { break }
            await perform(entry)
        }
        terminal.write("See you soon!")
    }

    /// A line that shows whether a user is logged in, and the user's coins and games.
    var status: String {
        let games = library.games.isEmpty ? "no games" : library.games.sorted().joined(separator: ", ")
        guard let region = queue.storefront?.countryCode else { return "Not logged in · \(games)" }
        return "Logged in (\(region)) · \(library.coins) coins · \(games)"
    }

    private func label(of entry: Entry) -> String {
        switch entry {
        case .shop: "Shop"
        case .restore: "Restore purchases"
        case .paymentMethods: "Payment methods"
        case .history: "Purchase history for our server"
        case .account: queue.storefront == nil ? "Log in" : "Log out"
        case .quit: "Quit"
        }
    }

    private func perform(_ entry: Entry) async {
        switch entry {
        case .shop: await shop()
        case .restore: await restore()
        case .paymentMethods: await showPaymentMethods()
        case .history: await showHistory()
        case .account: await logInOrOut()
        case .quit: break
        }
    }

    // MARK: Actions

    private func shop() async {
        let products = await withCheckedContinuation { continuation in
            OnsideProductsRequest().start { continuation.resume(returning: $0) }
        }
        switch products {
        case .failure(let error): terminal.write("! The shop is closed: \(error)")
        case .success(let response):
            terminal.write(
                "Prices for \(response.storefront.countryCode)\(response.isGuess ? " (a guess)" : ""):"
            )
            let product = await choose(from: response.products) {
                "\($0.localizedTitle), \($0.priceDescription)"
            }
            if let product { await buy(product) }
        }
    }

    private func buy(_ product: OnsideProduct) async {
        let result = await withCheckedContinuation { continuation in
            queue.add(OnsidePayment(product: product)) { continuation.resume(returning: $0) }
        }
        switch result {
        case .success: break
        case .failure(.loginDiscarded): terminal.write("Log in to buy \(product.localizedTitle).")
        case .failure(.priceChanged): terminal.write("The price has changed. Please check it again.")
        case .failure(.alreadyPurchased):
            terminal.write("You own \(product.localizedTitle). Restore it instead.")
        case .failure(let error): terminal.write("! \(error)")
        }
    }

    private func restore() async {
        let result = await withCheckedContinuation { continuation in
            queue.restoreCompletedTransactions { continuation.resume(returning: $0) }
        }
        switch result {
        case .success: terminal.write("Your purchases are up to date.")
        case .failure(.loginDiscarded): terminal.write("Log in to restore your purchases.")
        case .failure(let error): terminal.write("! \(error)")
        }
    }

    private func showPaymentMethods() async {
        let result = await withCheckedContinuation { continuation in
            Onside.presentPaymentMethodsManager { continuation.resume(returning: $0) }
        }
        if case .failure(let error) = result { terminal.write("! \(error)") }
    }

    private func showHistory() async {
        let result = await withCheckedContinuation { continuation in
            Onside.makeSignedInAppsHistoryRequest().start { continuation.resume(returning: $0) }
        }
        switch result {
        case .success(let document): terminal.write("Signed by the store: \(document)")
        case .failure(.notLoggedIn): terminal.write("Log in to see your history.")
        case .failure(let error): terminal.write("! \(error)")
        }
    }

    private func logInOrOut() async {
        guard queue.storefront == nil else {
            Onside.logout()
            // The observer will be notified later.
            return library.clear()
        }
        let result = await withCheckedContinuation { continuation in
            Onside.requestLogin { continuation.resume(returning: $0) }
        }
        if case .failure(.loginDiscarded) = result { terminal.write("You are not logged in.") }
    }

    // MARK: Transactions

    /// Delivers what the user has bought and finishes the transactions.
    public func onsidePaymentQueue(
        _ queue: OnsidePaymentQueue,
        updatedTransactions: [OnsidePaymentTransaction]
    ) {
        for transaction in updatedTransactions {
            let product = transaction.payment.productIdentifier
            switch transaction.transactionState {
            case .purchasing: continue
            case .deferred: terminal.write("\(product): waiting for a confirmation.")
            case .failed:
                terminal.write("\(product): the payment failed.")
                queue.finishTransaction(transaction)
            case .purchased, .restored:
                library.deliver(
                    product,
                    quantity: transaction.payment.quantity,
                    transaction: transaction.transactionIdentifier ?? ""
                )
                terminal.write(
                    "\(product): \(transaction.transactionState == .restored ? "restored" : "yours now")."
                )
                queue.finishTransaction(transaction)
            }
        }
    }

    /// Clears the library when the user logs out.
    public func onsidePaymentQueueDidChangeStorefront(_ queue: OnsidePaymentQueue) {
        if queue.storefront == nil { library.clear() }
    }

    // MARK: Input

    /// Asks the user to select one of several choices by its number.
    ///
    /// Returns `nil` after an empty line, Control-C or Control-D.
    private func choose<Choice>(from choices: [Choice], label: (Choice) -> String) async -> Choice? {
        for (number, choice) in zip(1..., choices) { terminal.write("  \(number)  \(label(choice))") }
        while true {
            guard let line = try? await terminal.readLine("> ", isHidden: false), !line.isEmpty else {
                return nil
            }
            if let number = Int(line), choices.indices.contains(number - 1) { return choices[number - 1] }
            terminal.write("Enter a number from 1 to \(choices.count).")
        }
    }
}
