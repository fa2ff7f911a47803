import LatchkeyModel

/// Logins that are handed over to another app.
extension LoginPresentation {
    /// The request in the other app.
    enum OtherAppRequest {
        /// The request is being pushed, or the other app is being opened.
        case opening
        /// The other app was opened with this URL.
        case opened(String)
    }

    /// Begins the login in the other app if there is one, and otherwise with a form.
    func begin() async {
        if let chooseApp {
            let handOff = await chooseApp()
            guard isOpen, !Task.isCancelled else { return }
            self.chooseApp = nil
            if browserSignIn != nil { self.handOff = handOff }
        }
        guard handOff != nil else { return await beginLogin() }
        await openOtherApp()
    }

    /// Opens the request in the other app, and creates one if there is none.
    func openOtherApp() async {
        guard let handOff, let browserSignIn else { return }
        (failedWork, handOffError, isInOtherApp) = ({ await $0.openOtherApp() }, nil, true)
        switch otherAppRequest {
        case .opened(let address): return await reopen(address, in: handOff)
        case .opening: return show(.loading)
        case nil: break
        }
        visit?.cancel()
        otherAppRequest = .opening
        show(.loading)
        let browser = OtherApp(handOff: handOff) { [weak self] in await self?.opened($0) }
        visit = Task { [weak self, options = browserOptions] in
            do throws(LatchkeyError) {
                let arrival = try await browserSignIn.visit(browser, options: options)
                let isAdmitted = await self?.admit(arrival) { login, error in
                    // The screen shows that the answer is being processed, even if the user had returned to the form.
                    if await !login.otherAppFailed(error) { await login.performNext { await $0.showForm() } }
                }
                if isAdmitted != true { await browserSignIn.forget(arrival) }
            } catch {
                // Otherwise, this visit was replaced by another one.
                if !Task.isCancelled { await self?.otherAppFailed(error) }
            }
        }
    }

    private func opened(_ address: String) {
        guard !Task.isCancelled else { return }
        otherAppRequest = .opened(address)
        if isInOtherApp { show(.otherApp) }
    }

    /// Opens the same request again.
    private func reopen(_ address: String, in handOff: AppHandOff) async {
        show(.otherApp)
        do throws(LatchkeyError) {
            try await handOff.open(address)
        } catch {
            visit?.cancel()
            await otherAppFailed(error)
        }
    }

    /// Ends the presentation if the user has refused in the other app, and otherwise continues with the form.
    ///
    /// - Returns: `false` if the user has returned to the form in the meantime.
    @discardableResult
    private func otherAppFailed(_ error: LatchkeyError) async -> Bool {
        otherAppRequest = nil
        guard isInOtherApp, isOpen, !isLoggedIn else { return false }
        isInOtherApp = false
        if error.code == .dismissed {
            dismiss()
        } else {
            handOffError = error
            coordinator.logFailedHandOff(error)
            await performNext { await $0.showForm() }
        }
        return true
    }
}

/// The other app, in the role of a browser.
private struct OtherApp: BrowserHandOff {
    let handOff: AppHandOff
    /// Called when the other app has been opened.
    let opened: @Sendable (String) async -> Void

    func prepare() async throws(LatchkeyError) -> any BrowserVisit { Visit(app: self) }

    struct Visit: BrowserVisit {
        let app: OtherApp

        var redirectURI: String { app.handOff.redirectURI }
        var appScheme: String? { app.handOff.scheme }

        func open(
            _ address: String,
            until isAnswer: @escaping @Sendable (String) -> Bool
        ) async throws(LatchkeyError) -> String? {
            guard !Task.isCancelled else { throw .cancelled }
            try await app.handOff.open(address)
            await app.opened(address)
            return nil
        }

        func end() {}
    }
}
