import LatchkeyCore
import LatchkeyWire

/// The prompts for one presentation of a login.
@MainActor final class PresentationDialog {
    private let login: LoginPresentation
    private let prompter: FormPrompter
    private let ways: [LoginWay]

    /// The flow whose title was written last.
    private var titledFlow: String?
    /// The values that the user has entered, which later prompts suggest.
    private var known: [String: JSONValue] = [:]

    private var terminal: any Terminal { prompter.terminal }
    private var texts: UITexts { prompter.texts }

    /// Creates the prompts.
    ///
    /// - Parameters:
    ///   - login: The presentation.
    ///   - prompter: The prompter for forms.
    ///   - ways: The ways to log in that the first form offers besides its methods.
    init(_ login: LoginPresentation, prompter: FormPrompter, ways: [LoginWay]) {
        (self.login, self.prompter, self.ways) = (login, prompter, ways)
    }

    /// Shows a screen, and performs the user's reaction.
    ///
    /// Cancelling the task withdraws the prompt.
    func show(_ screen: LoginPresentation.Screen) async {
        switch screen {
        case .loading: terminal.showProgress(texts.sending)
        case .form(let flow): await ask(for: flow, ways: flow.kind == .login ? ways : [])
        case .duty(_, let flow): await ask(for: flow, ways: [])
        case .failed(let error): await askToRetry(after: error)
        case .ended: terminal.showProgress(nil)
        }
    }

    /// Shows a form, and submits the answers.
    private func ask(for flow: Flow, ways: [LoginWay]) async {
        if titledFlow != flow.id {
            titledFlow = flow.id
            terminal.write("")
            // The first form of a code login is a registration that also logs existing users in.
            terminal.write(login.isEntry ? texts.loginTitle : texts.title(of: flow))
        }
        prompter.writeMessages(of: flow)
        let isFirst = flow.state == .chooseMethod
        let reply = await prompter.ask(for: flow, known: known, ways: isFirst ? ways : [])
        guard !Task.isCancelled else { return }
        switch reply {
        case .cancelled: login.dismiss()
        case .back: await goBack(from: flow)
        case .use(let way):
            terminal.showProgress(texts.sending)
            await login.use(way)
        case .answers(let answers):
            known.merge(answers.visibleValues(in: flow)) { _, new in new }
            terminal.showProgress(texts.sending)
            await login.submit(answers)
        }
    }

    /// Returns to an earlier form; from the first form of a login and from duties, the user leaves the presentation.
    private func goBack(from flow: Flow) async {
        let isFirst = (flow.kind == .login || login.isEntry) && flow.state == .chooseMethod
        guard !login.isLoggedIn, !isFirst else {
            return login.dismiss()
        }
        terminal.showProgress(texts.sending)
        await login.back()
    }

    /// Shows an error, and repeats the request if the user wishes.
    private func askToRetry(after error: LatchkeyError) async {
        terminal.write("! " + error.message.displayable)
        terminal.write("(/cancel: \(texts.cancel))")
        let line: String
        do throws(TerminalInputError) {
            line = try await terminal.readLine(texts.tryAgain + ": ", isHidden: false)
        } catch {
            if !Task.isCancelled { login.dismiss() }
            return
        }
        guard !Task.isCancelled else { return }
        guard line != "/cancel" else { return login.dismiss() }
        terminal.showProgress(texts.sending)
        await login.retry()
    }
}
