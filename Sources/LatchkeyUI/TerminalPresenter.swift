public import LatchkeyCore
import LatchkeyWire

/// A presenter that shows logins on demand on a terminal.
///
/// ```swift
/// let presenter = TerminalPresenter(terminal: terminal, languages: ["nb"])
/// latchkey.presenter = presenter
/// ```
///
/// The client holds its presenter weakly, so the app has to hold it. The prompts and commands are those of
/// ``FlowDialog``; `/signup` and `/recover` create or recover an account. `/cancel` and Control-C dismiss the login at
/// any prompt. A network error is shown, and the user can try again.
@MainActor public final class TerminalPresenter: Presenter {
    private let terminal: any Terminal
    private let texts: UITexts
    private let prompter: FormPrompter
    private let ways: [LoginWay]

    /// Creates a presenter.
    ///
    /// - Parameters:
    ///   - terminal: The terminal.
    ///   - languages: The user's languages, most preferred first, for the texts that the server does not provide.
    ///   - ways: The ways to log in that a login offers besides the methods of its form.
    public init(
        terminal: any Terminal,
        languages: [String] = [],
        ways: [LoginWay] = [.signUp, .recovery]
    ) {
        self.terminal = terminal
        self.ways = ways
        texts = .texts(in: UILanguage(preferring: languages))
        prompter = FormPrompter(terminal: terminal, texts: texts)
    }

    /// Shows the screens of a login until it has ended.
    public func present(_ login: LoginPresentation) async {
        if login.reason == .sessionEnded { terminal.write(texts.sessionEnded) }
        let dialog = PresentationDialog(login, prompter: prompter, ways: ways)
        var prompt: Task<Void, Never>?
        for await screen in login.screens {
            // The presentation can show another screen while the user types, for instance after a login elsewhere.
            prompt?.cancel()
            await prompt?.value
            prompt = Task { await dialog.show(screen) }
        }
        prompt?.cancel()
        await prompt?.value
        terminal.showProgress(nil)
    }
}
