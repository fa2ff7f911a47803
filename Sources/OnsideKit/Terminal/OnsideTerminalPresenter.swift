public import Latchkey
import LatchkeyModel
import LatchkeyPurchases
public import LatchkeyTerminal

/// A presenter that shows logins and payment methods on a terminal.
///
/// OnsideKit keeps only a weak reference to its presenter, so the app must keep a strong one. Pressing
/// Control-C or Control-D leaves the current screen.
@MainActor public final class OnsideTerminalPresenter: OnsidePresenter {
    private let terminal: any Terminal
    private let languages: [String]?
    private let login: any Presenter

    /// Creates a presenter.
    ///
    /// - Parameters:
    ///   - terminal: The terminal to use.
    ///   - languages: The user's languages, most preferred first. These languages are used for texts that the
    ///     server does not provide. If this is `nil`, the languages that OnsideKit was initialized with are
    ///     used.
    ///   - login: The presenter to use for logins. If `nil`, the server's forms are shown on the terminal.
    public init(terminal: any Terminal, languages: [String]? = nil, login: (any Presenter)? = nil) {
        self.terminal = terminal
        self.login = login ?? TerminalPresenter(terminal: terminal, languages: languages, ways: [])
        self.languages = languages
    }

    private var texts: StoreTexts {
        .texts(in: UILanguage(preferring: languages ?? Onside.client?.flows.languages ?? []))
    }

    /// Presents a login.
    public func present(_ login: LoginPresentation) async {
        await self.login.present(login)
    }

    /// Shows the payment methods and a menu until the user leaves the screen.
    public func presentPaymentMethods(_ purchases: Purchases) async {
        let dialog = PaymentMethodsDialog(
            terminal: terminal,
            texts: texts,
            account: Onside.account,
            purchases: purchases
        )
        await dialog.run()
    }

    /// Asks whether to approve a payment.
    ///
    /// An empty line, Control-C or Control-D means that the user decides later.
    public func confirmPayment(_ transaction: StoreTransaction) async -> Bool? {
        let price = transaction.price.multiplied(by: transaction.quantity) ?? transaction.price
        let texts = texts
        if let account = Onside.account { terminal.write(texts.account(account.displayable)) }
        let question = texts.confirm(price.description.displayable, transaction.productID.displayable)
        while true {
            let line: String
            do throws(TerminalInputError) {
                line = try await terminal.readLine(
                    "\(question) (\(texts.yes)/\(texts.no)): ",
                    isHidden: false
                )
            } catch {
                return nil
            }
            switch line.lowercased().first.map({ String($0) }) {
            case texts.yes: return true
            case texts.no: return false
            case nil: return nil
            default: continue
            }
        }
    }
}
