/// Holds the app's presenter and the login that it is presenting.
@MainActor final class PresentationStage {
    weak var presenter: (any Presenter)?
    /// The form that future logins start with.
    var entry = LoginEntry.login

    private var current: (number: UInt32, login: LoginPresentation)?
    private let flows: Flows

    /// Creates a stage that doesn't have a presenter yet.
    nonisolated init(flows: FlowEngine) {
        self.flows = Flows(engine: flows)
    }

    /// Begins a presentation.
    ///
    /// If there is no presenter anymore, the presentation is reported as dismissed.
    func begin(
        _ number: UInt32,
        because reason: LoginReason,
        duties: [OpenDuty],
        coordinator: AccessCoordinator
    ) {
        guard let presenter else { return coordinator.send(.presenterReturned(number)) }
        let login = LoginPresentation(
            number,
            because: reason,
            duties: duties,
            entry: entry,
            flows: flows,
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
