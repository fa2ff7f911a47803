import LatchkeyCore
import LatchkeyModel
import LatchkeyWire

/// The prompts for presenting a single login.
@MainActor final class PresentationDialog {
    private let login: LoginPresentation
    private let prompter: FormPrompter
    private let ways: [LoginMethod]

    /// The id of the flow whose title was printed most recently.
    private var titledFlow: String?
    /// The values that the user has entered so far.
    ///
    /// Later prompts suggest these values.
    private var known: [String: JSONValue] = [:]

    private var terminal: any Terminal { prompter.terminal }
    private var texts: UITexts { prompter.texts }

    /// Creates the prompts.
    ///
    /// - Parameters:
    ///   - login: The presented login.
    ///   - prompter: Asks the user for the values of forms.
    ///   - ways: Ways to log in that the first form offers in addition to its own methods.
    init(_ login: LoginPresentation, prompter: FormPrompter, ways: [LoginMethod]) {
        (self.login, self.prompter, self.ways) = (login, prompter, ways)
    }

    /// Shows a screen and handles the user's response.
    ///
    /// If the task is cancelled, the prompt is dismissed.
    func show(_ screen: LoginPresentation.Screen) async {
        switch screen {
        case .loading: terminal.showProgress(texts.sending)
        case .form(let flow):
            let all = login.canUseBrowser ? ways + [.browser] : ways
            let offered = flow.kind == .login ? all : []
            await ask(for: flow, ways: login.otherAppName == nil ? offered : offered + [.otherApp])
        case .duty(_, let flow): await ask(for: flow, ways: [])
        case .browser: await waitForBrowser()
        case .otherApp: await waitForOtherApp()
        case .failed(let error): await askToRetry(after: error)
        case .ended: terminal.showProgress(nil)
        }
    }

    /// Shows a form and submits the user's input.
    private func ask(for flow: Flow, ways: [LoginMethod]) async {
        if titledFlow != flow.id {
            titledFlow = flow.id
            terminal.write("")
            // The first form of a code login is a registration form that logs in existing users as well.
            let title = login.isLoginOrSignUp ? texts.loginTitle : texts.title(of: flow)
            terminal.write(texts.heading(title, of: login.serverHost))
        }
        if let error = login.handOffError, let app = login.otherAppName {
            terminal.write("! " + texts.otherApp.reason(of: error, app: app.displayable))
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

    /// Returns to the previous form.
    ///
    /// On the first form, or if the user is already logged in, this dismisses the login.
    private func goBack(from flow: Flow) async {
        let isFirst = (flow.kind == .login || login.isLoginOrSignUp) && flow.state == .chooseMethod
        guard !login.isLoggedIn, !isFirst else {
            return login.dismiss()
        }
        terminal.showProgress(texts.sending)
        await login.back()
    }

    /// Waits until the user has logged in in the browser, and offers to open the page again.
    private func waitForBrowser() async {
        terminal.write("(/back: \(texts.back), /cancel: \(texts.cancel))")
        await waitElsewhere(texts.openAgain, reopening: .browser)
    }

    /// Waits until the user has confirmed the login in the other app, and offers to open that app again.
    private func waitForOtherApp() async {
        terminal.showProgress(nil)
        terminal.write(texts.otherApp.open((login.otherAppName ?? "").displayable))
        terminal.write("(/back: \(texts.otherApp.logInHere), /cancel: \(texts.cancel))")
        await waitElsewhere(texts.otherApp.openAgain, reopening: .otherApp)
    }

    private func waitElsewhere(_ prompt: String, reopening method: LoginMethod) async {
        let line: String
        do throws(TerminalInputError) {
            line = try await terminal.readLine(prompt + ": ", isHidden: false)
        } catch {
            if !Task.isCancelled { login.dismiss() }
            return
        }
        guard !Task.isCancelled else { return }
        switch line {
        case "/cancel": login.dismiss()
        case "/back": await login.back()
        default: await login.use(method)
        }
    }

    /// Shows an error and offers to retry the request.
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
