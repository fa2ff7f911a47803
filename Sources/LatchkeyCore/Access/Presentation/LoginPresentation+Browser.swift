import LatchkeyModel

/// Logins with the provider's pages in a browser.
extension LoginPresentation {
    /// Leads the user to the browser, and ends an earlier visit.
    func openBrowser() {
        guard let browser, let browserSignIn else { return }
        visit?.cancel()
        (otherAppRequest, isInOtherApp) = (nil, false)
        failedWork = { $0.openBrowser() }
        show(.browser)
        visit = Task { [weak self, options = browserOptions] in
            do throws(LatchkeyError) {
                let arrival = try await browserSignIn.visit(browser, options: options)
                let isAdmitted = await self?.admit(arrival) { $0.browserFailed($1) }
                if isAdmitted != true { await browserSignIn.forget(arrival) }
            } catch {
                self?.browserFailed(error)
            }
        }
    }

    /// Completes the login in the browser or another app, after the operation in progress has ended.
    ///
    /// - Parameters:
    ///   - arrival: How the user has come back.
    ///   - fail: Shows an error.
    /// - Returns: `false` if the presentation has ended in the meantime, or the user has come back from an earlier
    ///   page.
    func admit(
        _ arrival: BrowserSignIn.Arrival,
        failing fail: @escaping @MainActor (LoginPresentation, LatchkeyError) async -> Void
    ) async -> Bool {
        while let work {
            await work.value
            await Task.yield()
        }
        guard isOpen, !isLoggedIn, !Task.isCancelled else { return false }
        visit = nil
        let again = failedWork
        await perform { login in
            if let again { login.failedWork = again }
            await login.complete(arrival, failing: fail)
        }
        return true
    }

    private func complete(
        _ arrival: BrowserSignIn.Arrival,
        failing fail: @MainActor (LoginPresentation, LatchkeyError) async -> Void
    ) async {
        guard let browserSignIn else { return }
        show(.loading)
        coordinator.send(.admitting(number))
        do throws(LatchkeyError) {
            let session = try await browserSignIn.complete(arrival)
            coordinator.admitted(session, duties: [], by: number)
        } catch {
            coordinator.send(.admissionFailed(number))
            await fail(self, error)
        }
    }

    /// Returns to the form if the user has refused in the browser, and shows other errors.
    private func browserFailed(_ error: LatchkeyError) {
        switch screen {
        case .browser, .loading: break
        default: return
        }
        guard error.code == .dismissed, let flow else { return show(.failed(error)) }
        show(flow)
    }
}
