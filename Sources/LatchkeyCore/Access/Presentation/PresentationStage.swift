/// Holds the login that is being presented.
@MainActor final class PresentationStage {
    private var current: (number: UInt32, login: LoginPresentation)?
    private let flows: Flows
    private let browserSignIn: BrowserSignIn?

    /// Creates a stage without a presentation.
    nonisolated init(flows: FlowEngine, browserSignIn: BrowserSignIn?) {
        self.flows = Flows(engine: flows)
        self.browserSignIn = browserSignIn
    }

    /// Begins a presentation.
    ///
    /// If none of the presenters exists anymore, the presentation is reported as dismissed.
    ///
    /// - Parameters:
    ///   - number: The number of the presentation.
    ///   - reason: The reason for the login.
    ///   - duties: The steps that the user still has to complete.
    ///   - entry: The form to start with.
    ///   - chooseApp: Chooses the app in which the user can log in instead.
    ///   - candidates: The slots of the presenters to try, in order.
    ///   - coordinator: Receives the events of the presentation.
    func begin(
        _ number: UInt32,
        because reason: LoginReason,
        duties: [OpenDuty],
        entry: LoginStart,
        chooseApp: (@MainActor () async -> AppHandOff?)?,
        among candidates: [PresenterSlot],
        coordinator: AccessCoordinator
    ) {
        guard let presenter = candidates.lazy.compactMap(\.presenter).first else {
            return coordinator.send(.presenterReturned(number))
        }
        let login = LoginPresentation(
            number,
            because: reason,
            duties: duties,
            entry: entry,
            flows: flows,
            browserSignIn: browserSignIn,
            chooseApp: chooseApp,
            coordinator: coordinator
        )
        current = (number, login)
        login.start()
        login.presenting = Task {
            await presenter.present(login)
            coordinator.send(.presenterReturned(number))
        }
    }

    /// Shows the steps that the user still has to complete, if the presentation is still the current one.
    func show(_ duties: [OpenDuty], in number: UInt32) {
        if current?.number == number { current?.login.show(duties) }
    }

    /// Restarts the login in the current presentation.
    func restart(_ number: UInt32) {
        if current?.number == number { current?.login.restart() }
    }

    /// Ends the current presentation.
    func end(_ number: UInt32, as ending: LoginPresentation.Ending) {
        guard current?.number == number else { return }
        current?.login.end(ending)
        current = nil
    }
}
