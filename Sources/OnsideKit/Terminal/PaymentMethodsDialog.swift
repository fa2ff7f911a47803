import LatchkeyModel
import LatchkeyPurchases
import LatchkeyTerminal

/// Lets the user list, add and remove payment methods on a terminal, and choose the default one.
struct PaymentMethodsDialog: Sendable {
    /// A menu item.
    fileprivate enum Action: CaseIterable {
        case add, makeDefault, remove, done
    }

    let terminal: any Terminal
    let texts: StoreTexts
    /// The account whose payment methods are shown, if it is known.
    let account: String?
    let purchases: Purchases

    /// Shows the list and the menu until the user leaves the screen or the task is cancelled.
    func run() async {
        terminal.write("")
        terminal.write("\(texts.title) (\(purchases.serverHost))")
        if let account { terminal.write(texts.account(account.displayable)) }
        var methods: [PaymentMethod]?
        while !Task.isCancelled {
            if methods == nil {
                methods = await attempt { () async throws(PurchaseError) in
                    try await purchases.paymentMethods()
                }
            }
            guard let current = methods else {
                let choices = [(true, texts.tryAgain), (false, texts.done)]
                guard await choose(from: choices, prompt: texts.action) == true else { return }
                continue
            }
            show(current)
            let actions = current.isEmpty ? [Action.add, .done] : Action.allCases
            let action = await choose(
                from: actions.map { ($0, texts.label(of: $0)) },
                prompt: texts.action
            )
            guard let action, action != .done else { return }
            // Reload the list even after an error, because it may have been changed elsewhere.
            if await perform(action, on: current) { methods = nil }
        }
    }

    private func show(_ methods: [PaymentMethod]) {
        if methods.isEmpty { terminal.write(texts.empty) }
        for method in methods { terminal.write("  " + label(of: method)) }
    }

    private func label(of method: PaymentMethod) -> String {
        let name = "\(method.brand.displayable) •••• \(method.lastFour.displayable)"
        return method.isDefault ? "\(name) (\(texts.isDefault))" : name
    }

    /// Performs the action of a menu item.
    ///
    /// - Returns: Whether a request was sent.
    private func perform(_ action: Action, on methods: [PaymentMethod]) async -> Bool {
        let labelled = methods.map { ($0, label(of: $0)) }
        switch action {
        case .done: return false
        case .add:
            terminal.write(texts.sandbox)
            guard let number = await line(texts.cardNumber), !number.isEmpty else { return false }
            _ = await attempt { () async throws(PurchaseError) in
                try await purchases.addSandboxCard(number: number)
            }
        case .makeDefault:
            guard let method = await choose(from: labelled, prompt: texts.which) else { return false }
            await attempt { () async throws(PurchaseError) in try await purchases.makeDefault(method.id) }
        case .remove:
            guard let method = await choose(from: labelled, prompt: texts.which) else { return false }
            await attempt { () async throws(PurchaseError) in
                try await purchases.removePaymentMethod(method.id)
            }
        }
        return true
    }

    /// Asks the user to select one of several choices by its number.
    ///
    /// - Returns: The selected choice, or `nil` after an empty line, Control-C or Control-D.
    private func choose<Choice>(from choices: [(Choice, String)], prompt: String) async -> Choice? {
        for (number, choice) in zip(1..., choices) { terminal.write("  \(number)  \(choice.1)") }
        while true {
            guard let line = await line(prompt), !line.isEmpty else { return nil }
            if let number = Int(TypedText.withASCIIDigits(line)), number > 0, number <= choices.count {
                return choices[number - 1].0
            }
            terminal.write(texts.invalidChoice(choices.count))
        }
    }

    /// Reads a line and trims the spaces around it.
    ///
    /// Returns `nil` after Control-C or Control-D.
    private func line(_ prompt: String) async -> String? {
        do throws(TerminalInputError) {
            let line = try await terminal.readLine(prompt + ": ", isHidden: false)
            return String(line.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        } catch {
            return nil
        }
    }

    /// Sends a request and shows an error message if it fails.
    @discardableResult
    private func attempt<Value: Sendable>(
        _ request: @Sendable () async throws(PurchaseError) -> Value
    ) async -> Value? {
        terminal.showProgress(texts.sending)
        defer { terminal.showProgress(nil) }
        do throws(PurchaseError) {
            return try await request()
        } catch {
            terminal.showProgress(nil)
            terminal.write("! " + texts.text(for: error))
            return nil
        }
    }
}

extension StoreTexts {
    fileprivate func label(of action: PaymentMethodsDialog.Action) -> String {
        switch action {
        case .add: add
        case .makeDefault: makeDefault
        case .remove: remove
        case .done: done
        }
    }
}
