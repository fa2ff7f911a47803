public import LatchkeyCore
import LatchkeyWire

/// A presenter that shows logins on a terminal when they are needed.
///
/// ```swift
/// let presenter = TerminalPresenter(terminal: terminal)
/// latchkey.presenter = presenter
/// ```
///
/// The client keeps only a weak reference to its presenter, so the app must keep a strong one. The prompts
/// and commands are those of ``FlowDialog``. In addition, users can type `/signup` to create an account and
/// `/recover` to recover one. `/cancel` and Control-C dismiss the login at any prompt. After a network error,
/// the user can try again.
@MainActor public final class TerminalPresenter: Presenter {
    private let terminal: any Terminal
    private let languages: [String]?
    private let ways: [LoginMethod]
    private let browser: (any BrowserHandOff)?

    /// Creates a presenter.
    ///
    /// - Parameters:
    ///   - terminal: The terminal to use.
    ///   - languages: The user's languages, most preferred first. These languages are used for texts that the
    ///     server does not provide. If this is `nil`, the languages of the client are used.
    ///   - ways: Ways to log in that are offered in addition to the methods in the form.
    ///   - browser: Opens the provider's pages for users who type `/browser`. The app must be registered as an OAuth
    ///     client.
    public init(
        terminal: any Terminal,
        languages: [String]? = nil,
        ways: [LoginMethod] = [.signUp, .recovery],
        browser: (any BrowserHandOff)? = nil
    ) {
        self.terminal = terminal
        self.browser = browser
        self.languages = languages
        self.ways = ways
    }

    /// Shows the screens of a login until it ends.
    public func present(_ login: LoginPresentation) async {
        let texts = UITexts.texts(in: UILanguage(preferring: languages ?? login.languages))
        let prompter = FormPrompter(terminal: terminal, texts: texts)
        login.browser = browser
        if login.reason == .sessionEnded { terminal.write(texts.sessionEnded) }
        let dialog = PresentationDialog(login, prompter: prompter, ways: ways)
        var prompt: Task<Void, Never>?
        for await screen in login.screens {
            // The presentation may switch to another screen while the user types, for example after a login
            // elsewhere.
            prompt?.cancel()
            await prompt?.value
            prompt = Task { await dialog.show(screen) }
        }
        prompt?.cancel()
        await prompt?.value
        terminal.showProgress(nil)
    }
}
