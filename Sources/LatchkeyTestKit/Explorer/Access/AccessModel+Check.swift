import LatchkeyCore

extension AccessModel {
    /// Passes an event to a process's machine, performs the effects, and checks the process's invariants.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - isRepetitionAllowed: Whether the caller may run its action again. Only used for `sessionEnded` and
    ///     `dutyRequired`.
    ///   - number: The process's number.
    ///   - reducer: The transition function.
    /// - Throws: ``AccessViolation``.
    mutating func send(
        _ event: AccessMachine.Event,
        isRepetitionAllowed: Bool = false,
        to number: Int,
        reducer: Reducer
    ) throws(AccessViolation) {
        let visible = processes[number].call.flatMap { $0.isOpen ? $0 : nil }
        var isRefused = false
        for effect in reducer(&processes[number].machine, event) {
            switch effect {
            case .grant(let caller, let login):
                if event.failedCaller == caller, !isRepetitionAllowed { throw .ranTooOften }
                try grant(login, to: Int(caller), in: number, because: event)
            case .refuse(let caller, let refusal):
                if event.failedCaller == caller { isRefused = true }
                try refuse(
                    Int(caller),
                    as: refusal,
                    in: number,
                    because: event,
                    visible: visible,
                    isRepetitionAllowed: isRepetitionAllowed
                )
            case .present(let presentation, _): try present(presentation, in: number, because: event)
            case .restart(let presentation):
                try show(.login, in: presentation, of: number)
            case .showDuties(let presentation):
                try show(.duties, in: presentation, of: number)
            case .close(let presentation, let ending):
                try close(presentation, as: ending, in: number, because: event)
            }
        }
        if event.failedCaller != nil, !isRefused, !isRepetitionAllowed { throw .ranTooOften }
        // The machine may already have begun the next presentation in response.
        if let call = processes[number].call, event.endsCall(of: call.number) { processes[number].call = nil }
        if event == .signedOut {
            guard processes[number].call?.isOpen != true else { throw .leftOpen }
            let isWaiting = processes[number].callers.contains {
                if case .waiting = $0 { true } else { false }
            }
            guard !isWaiting else { throw .ignoredSignOut }
        }
        try check(number)
    }

    // MARK: Effects

    private mutating func grant(
        _ login: AccessMachine.Login,
        to caller: Int,
        in number: Int,
        because event: AccessMachine.Event
    ) throws(AccessViolation) {
        let process = processes[number]
        guard case .waiting(let need, let former) = process.callers[caller] else { throw .answeredTwice }
        guard process.known == .signedIn(login) else { throw .grantedWithoutSession }
        guard process.duties == 0 else { throw .grantedBeforeDuties }
        if former == login {
            guard case .dutyFulfilled = event else { throw .grantedBeforeDuties }
        }
        if let former, former.account != login.account { throw .repeatedAsAnotherUser }
        guard case .action(let policy) = need else {
            processes[number].callers[caller] = .idle
            return
        }
        processes[number].callers[caller] = .running(
            policy,
            login,
            isRepetition: former != nil,
            hasSignedOut: false
        )
    }

    private mutating func refuse(
        _ caller: Int,
        as refusal: AccessMachine.Refusal,
        in number: Int,
        because event: AccessMachine.Event,
        visible: PresenterCall?,
        isRepetitionAllowed: Bool
    ) throws(AccessViolation) {
        let process = processes[number]
        guard case .waiting(let need, let former) = process.callers[caller] else { throw .answeredTwice }
        let allowsPresentation = need != .action(.never)
        let isJustified =
            switch refusal {
            case .signedOut: event == .signedOut || process.known == .signedOut && !allowsPresentation
            case .dismissed:
                allowsPresentation && visible != nil && event.isDismissal(of: visible?.number)
            case .dutyRequired:
                if let former, process.known == .signedIn(former) {
                    visible.map { event.isDismissal(of: $0.number) || event == .presenterMissing($0.number) }
                        ?? false
                } else {
                    process.duties > 0
                        && (!allowsPresentation || visible != nil && event.isDismissal(of: visible?.number))
                }
            case .noPresenter:
                allowsPresentation && visible.map { event == .presenterMissing($0.number) } ?? false
            case .unavailable: process.known == .unavailable
            case .superseded:
                if case .signedIn(let login) = process.known, let former {
                    login.account != former.account
                } else {
                    false
                }
            case .notRepeated:
                event.failedCaller == UInt32(caller) && !isRepetitionAllowed
            }
        guard isJustified else { throw .refusedWithoutReason }
        processes[number].callers[caller] = .idle
    }

    private mutating func present(
        _ presentation: UInt32,
        in number: Int,
        because event: AccessMachine.Event
    ) throws(AccessViolation) {
        let process = processes[number]
        guard process.call.map({ event.endsCall(of: $0.number) }) ?? true else { throw .presentedTwice }
        switch process.known {
        case .unread, .unavailable: throw .presentedWithoutNeed
        case .signedOut: break
        case .signedIn:
            guard process.duties > 0 || process.requestsDuty else { throw .presentedWithoutNeed }
        }
        guard process.needsPresentation else { throw .presentedWithoutNeed }
        let isExplicit = process.callers.contains { $0 == .waiting(.login, former: nil) }
        processes[number].call = PresenterCall(
            number: presentation,
            isExplicit: isExplicit,
            content: process.duties > 0 || process.requestsDuty ? .duties : .login
        )
    }

    private mutating func show(
        _ content: PresenterCall.Content,
        in presentation: UInt32,
        of number: Int
    ) throws(AccessViolation) {
        let process = processes[number]
        guard let call = process.call, call.number == presentation, call.isOpen, call.content != content
        else { throw .redirectedWithoutReason }
        let isJustified =
            content == .login ? process.known == .signedOut : process.duties > 0 || process.requestsDuty
        guard isJustified else { throw .redirectedWithoutReason }
        processes[number].call?.content = content
    }

    private mutating func close(
        _ presentation: UInt32,
        as ending: AccessMachine.Ending,
        in number: Int,
        because event: AccessMachine.Event
    ) throws(AccessViolation) {
        let process = processes[number]
        guard let call = process.call, call.number == presentation, call.isOpen else { throw .closedTwice }
        let isJustified =
            switch ending {
            case .finished:
                if case .signedIn = process.known {
                    process.duties == 0 && (!process.requestsDuty || event == .dutyFulfilled(presentation))
                } else {
                    false
                }
            case .dismissed: event.isDismissal(of: presentation)
            case .signedOut: event == .signedOut
            case .withdrawn: !process.needsPresentation
            case .noPresenter: event == .presenterMissing(presentation)
            }
        guard isJustified else { throw .closedWithoutReason }
        if ending == .withdrawn, call.isExplicit { throw .withdrewExplicit }
        processes[number].call?.isOpen = false
    }

    // MARK: Invariants

    /// Checks a process's invariants, which must hold between any two events.
    private func check(_ number: Int) throws(AccessViolation) {
        let process = processes[number]
        for case .waiting(let need, let former) in process.callers {
            let waitsForDuty = former.map { process.known == .signedIn($0) } ?? false
            let hasPresentation = need != .action(.never) && process.call != nil
            let mayWait =
                switch process.known {
                case .unread: true
                case .unavailable: false
                case .signedOut: hasPresentation
                case .signedIn:
                    process.admission != nil || (process.duties > 0 || waitsForDuty) && hasPresentation
                }
            guard mayWait else { throw .neverAnswered }
        }
        guard let call = process.call, call.isOpen else { return }
        switch process.known {
        case .signedOut: guard call.content == .login else { throw .leftAtDuties }
        case .signedIn where process.admission == nil:
            guard process.duties > 0 || process.requestsDuty else { throw .leftOpen }
            guard call.content == .duties else { throw .leftAtLogin }
        default: break
        }
        if !call.isExplicit, !process.needsPresentation { throw .leftOpenUnneeded }
    }

    /// Does not check any invariants, because all of them are checked in other places.
    ///
    /// A process's invariants are checked after each event of the process. All other invariants are checked
    /// when the effects that could violate them are performed.
    package func check() throws(AccessViolation) {}
}

extension AccessMachine.Event {
    /// The caller whose action failed in a way that may allow a repetition, or `nil` for other events.
    fileprivate var failedCaller: AccessMachine.Caller? {
        switch self {
        case .sessionEnded(let caller, _), .dutyRequired(let caller, _): caller
        default: nil
        }
    }

    /// Returns whether the event means that the user dismissed the presentation or that the presenter
    /// returned.
    fileprivate func isDismissal(of number: UInt32?) -> Bool {
        switch self {
        case .dismissed(let dismissed), .presenterReturned(let dismissed): dismissed == number
        default: false
        }
    }

    /// Returns whether this event ends the call to the presenter.
    fileprivate func endsCall(of number: UInt32) -> Bool {
        self == .presenterReturned(number) || self == .presenterMissing(number)
    }
}
