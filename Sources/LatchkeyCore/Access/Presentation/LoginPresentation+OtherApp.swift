import LatchkeyModel

/// Logins that are handed over to another app.
extension LoginPresentation {
    /// A request that another app shows to the user.
    struct OpenedRequest {
        let address: String
        let handOff: AppHandOff
    }

    /// Begins the login in the other app if there is one, and otherwise with a form.
    func begin() async {
        if let chooseApp {
            self.chooseApp = nil
            let handOff = await chooseApp()
            if browserSignIn != nil { self.handOff = handOff }
        }
        guard handOff != nil else { return await beginLogin() }
        await openOtherApp()
    }

    /// Opens the request in the other app, and creates one if there is none.
    func openOtherApp() async {
        guard let handOff, let browserSignIn else { return }
        (failedWork, handOffError, isInOtherApp) = ({ await $0.openOtherApp() }, nil, true)
        if let request = openedRequest { return await open(request) }
        visit?.cancel()
        show(.loading)
        let browser = OtherApp(handOff: handOff) { [weak self] in await self?.opened($0, in: handOff) }
        visit = Task { [weak self, options = browserOptions] in
            do throws(LatchkeyError) {
                let arrival = try await browserSignIn.visit(browser, options: options)
                let isAdmitted = await self?.admit(arrival) { await $0.otherAppFailed($1) }
                if isAdmitted != true { await browserSignIn.forget(arrival) }
            } catch {
                await self?.otherAppFailed(error)
            }
        }
    }

    private func opened(_ address: String, in handOff: AppHandOff) {
        guard !Task.isCancelled else { return }
        openedRequest = OpenedRequest(address: address, handOff: handOff)
        if isInOtherApp { show(.otherApp) }
    }

    /// Opens the same request again.
    private func open(_ request: OpenedRequest) async {
        show(.otherApp)
        do throws(LatchkeyError) {
            try await request.handOff.open(request.address)
        } catch {
            visit?.cancel()
            await otherAppFailed(error)
        }
    }

    /// Ends the presentation if the user has refused in the other app, and otherwise continues with the form.
    ///
    /// A user who has returned to the form in the meantime isn't interrupted.
    func otherAppFailed(_ error: LatchkeyError) async {
        guard error.code != .cancelled else { return }
        openedRequest = nil
        guard isInOtherApp, isOpen, !isLoggedIn else { return }
        guard error.code != .dismissed else { return dismiss() }
        (handOffError, isInOtherApp) = (error, false)
        coordinator.logFailedHandOff(error)
        await performNext { await $0.showForm() }
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
            try await app.handOff.open(address)
            await app.opened(address)
            return nil
        }

        func end() {}
    }
}
