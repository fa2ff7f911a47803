/// The rules for callers and presentations.
extension AccessMachine {
    /// Processes an event.
    ///
    /// - Parameter event: The event. Events about a presentation that has already ended are ignored.
    /// - Returns: The effects, which the driver must perform in the given order.
    package mutating func reduce(_ event: Event) -> [Effect] {
        switch event {
        case .sessionChanged(let status): sessionChanged(to: status)
        case .signedOut: signOut()
        case .asked(let caller, let need): ask(Waiter(caller: caller, need: need))
        case .left(let caller): leave(caller)
        case .finished(let caller): finish(caller)
        case .sessionEnded(let caller, let mayRepeat): sessionEnded(under: caller, mayRepeat: mayRepeat)
        case .dutyRequired(let caller, let mayRepeat): dutyRequired(by: caller, mayRepeat: mayRepeat)
        case .admitting(let number): admitting(number)
        case .admitted(let number, let login, let duties): admitted(login, duties: duties, by: number)
        case .admissionFailed(let number): admissionEnded(of: number)
        case .dutyFulfilled(let number): dutyFulfilled(in: number)
        case .dismissed(let number): dismiss(number)
        case .presenterMissing(let number): presenterMissing(for: number)
        case .presenterReturned(let number): presenterReturned(from: number)
        }
    }

    /// Whether a presentation is visible and not about to disappear.
    private var isPresenting: Bool {
        presentation.map { $0.phase != .closing } ?? false
    }

    /// Whether the open duties were required by an action that is waiting for them, and not by the login.
    ///
    /// Other actions don't have to wait for such a duty.
    private var requestsDuty: Bool {
        waiters.contains { isWaitingForDuty($0) }
    }

    /// Returns whether an action waits for a duty of the login that it has already run with.
    private func isWaitingForDuty(_ waiter: Waiter) -> Bool {
        guard case .signedIn(let login) = status else { return false }
        return waiter.former == login
    }

    // MARK: The session

    /// Handles a change of the session status.
    private mutating func sessionChanged(to new: Status) -> [Effect] {
        if case .signedIn(let former) = status, case .signedIn(let login) = new, former == login { return [] }
        (status, openDuties) = (new, 0)
        guard let number = presentation?.number, presentation?.phase == .duties else { return settle() }
        presentation?.phase = .flow
        return (status == .signedOut ? [.restart(number)] : []) + settle()
    }

    /// Fails all waiting callers with `signedOut`, and ends the presentation if there is one.
    private mutating func signOut() -> [Effect] {
        (status, openDuties) = (.signedOut, 0)
        for caller in runners.keys { runners[caller]?.mayRepeat = false }
        defer { waiters = [] }
        return close(.signedOut) + waiters.map { .refuse($0.caller, .signedOut) }
    }

    // MARK: Callers

    /// Responds to a caller right away, or makes the caller wait until the store is read or the user logs in.
    private mutating func ask(_ waiter: Waiter) -> [Effect] {
        if waiter.need == .login, isPresenting, !requestsDuty { presentation?.isExplicit = true }
        if let verdict = verdict(on: waiter) { return [verdict] }
        waiters.append(waiter)
        return present()
    }

    /// Removes a cancelled caller, and withdraws the presentation if no other caller needs it.
    private mutating func leave(_ caller: Caller) -> [Effect] {
        runners[caller] = nil
        let requestedDuty = requestsDuty
        waiters.removeAll { $0.caller == caller }
        guard requestedDuty, !requestsDuty else { return settle() }
        openDuties = 0
        return close(.withdrawn) + settle()
    }

    /// Removes a caller whose action has finished.
    private mutating func finish(_ caller: Caller) -> [Effect] {
        runners[caller] = nil
        return []
    }

    /// Handles the end of a session while an action is running: the caller waits for the next session if the
    /// action may be repeated, and otherwise receives an error.
    private mutating func sessionEnded(under caller: Caller, mayRepeat: Bool) -> [Effect] {
        guard let runner = runners.removeValue(forKey: caller) else { return [] }
        guard runner.mayRepeat, mayRepeat, status != .signedIn(runner.login) else {
            return [.refuse(caller, .notRepeated)]
        }
        return ask(Waiter(caller: caller, need: .action(runner.policy), former: runner.login))
    }

    /// Handles a duty that an action needs: the caller waits until the user has completed it if the action
    /// may be repeated and allows a presentation, and otherwise receives an error.
    private mutating func dutyRequired(by caller: Caller, mayRepeat: Bool) -> [Effect] {
        guard let runner = runners.removeValue(forKey: caller) else { return [] }
        guard
            runner.mayRepeat, mayRepeat, runner.policy == .onDemand, status == .signedIn(runner.login)
        else { return [.refuse(caller, .notRepeated)] }
        openDuties = max(openDuties, 1)
        waiters.append(Waiter(caller: caller, need: .action(runner.policy), former: runner.login))
        return settle()
    }

    /// Returns the response to a caller, or `nil` if the caller has to wait.
    ///
    /// If the caller is an action and receives a session, it is added to the list of running actions.
    private mutating func verdict(on waiter: Waiter) -> Effect? {
        let (caller, need) = (waiter.caller, waiter.need)
        switch status {
        case .unread: return nil
        case .unavailable: return .refuse(caller, .unavailable)
        case .signedOut: return need.allowsPresentation ? nil : .refuse(caller, .signedOut)
        case .signedIn(let login):
            // An action that began as one user must not continue as another.
            if let former = waiter.former, former.account != login.account {
                return .refuse(caller, .superseded)
            }
            if admission != nil { return nil }
            if openDuties > 0, !requestsDuty || isWaitingForDuty(waiter) {
                return need.allowsPresentation ? nil : .refuse(caller, .dutyRequired)
            }
            if case .action(let policy) = need {
                runners[caller] = Runner(policy: policy, login: login, mayRepeat: waiter.former == nil)
            }
            return .grant(caller, login)
        }
    }

    /// Resumes callers that no longer have to wait, and begins or ends a presentation if necessary.
    ///
    /// A presentation is ended when it is complete or no caller needs it anymore.
    private mutating func settle() -> [Effect] {
        var effects: [Effect] = []
        if case .signedIn = status, let presentation, isPresenting, admission == nil {
            if openDuties == 0 {
                effects = close(.finished)
            } else if presentation.phase == .flow {
                self.presentation?.phase = .duties
                effects = [.showDuties(presentation.number)]
            }
        }
        var waiting: [Waiter] = []
        for waiter in waiters {
            if let verdict = verdict(on: waiter) { effects.append(verdict) } else { waiting.append(waiter) }
        }
        waiters = waiting
        if let presentation, !presentation.isExplicit, !waiters.contains(where: \.need.allowsPresentation) {
            effects += close(.withdrawn)
        }
        return effects + present()
    }

    // MARK: Presentations

    /// Begins a presentation if a caller is waiting for one and none is in progress.
    private mutating func present() -> [Effect] {
        let phase: Presentation.Phase
        switch status {
        case .unread, .unavailable: return []
        case .signedOut: phase = .flow
        case .signedIn:
            guard openDuties > 0, admission == nil else { return [] }
            phase = .duties
        }
        guard presentation == nil, let first = waiters.first(where: \.need.allowsPresentation) else {
            return []
        }
        presentationCount += 1
        presentation = Presentation(
            number: presentationCount,
            phase: phase,
            isExplicit: waiters.contains { $0.need == .login }
        )
        return [.present(presentationCount, for: first.caller)]
    }

    /// Ends the presentation if it is visible.
    private mutating func close(_ ending: Ending) -> [Effect] {
        guard let number = presentation?.number, isPresenting else { return [] }
        presentation?.phase = .closing
        return [.close(number, ending)]
    }

    /// Remembers that the next session may have required steps.
    private mutating func admitting(_ number: UInt32) -> [Effect] {
        admission = number
        return []
    }

    /// Stores the number of steps that a new login requires, or restarts the login if its session has already
    /// ended.
    private mutating func admitted(_ login: Login, duties: UInt8, by number: UInt32) -> [Effect] {
        if status == .signedIn(login) { openDuties = duties }
        let isAgain = status == .signedOut && presentation?.number == number && presentation?.phase == .flow
        return (isAgain ? [.restart(number)] : []) + admissionEnded(of: number)
    }

    /// Resumes the callers that were waiting for the login to be stored.
    private mutating func admissionEnded(of number: UInt32) -> [Effect] {
        if admission == number { admission = nil }
        return settle()
    }

    /// Decrements the number of required steps.
    private mutating func dutyFulfilled(in number: UInt32) -> [Effect] {
        guard presentation?.number == number, presentation?.phase == .duties else { return [] }
        openDuties -= min(openDuties, 1)
        return settle()
    }

    /// Fails the callers that were waiting for a presentation that the user dismissed.
    private mutating func dismiss(_ number: UInt32) -> [Effect] {
        guard presentation?.number == number, isPresenting else { return [] }
        let refusal: Refusal = presentation?.phase == .duties ? .dutyRequired : .dismissed
        return close(.dismissed) + refuseWaiters(refusal) + settle()
    }

    /// Fails the callers that were waiting for a presentation that could not begin.
    private mutating func presenterMissing(for number: UInt32) -> [Effect] {
        guard presentation?.number == number else { return [] }
        let refusal: Refusal = requestsDuty ? .dutyRequired : .noPresenter
        let effects = isPresenting ? close(.noPresenter) + refuseWaiters(refusal) : []
        presentation = nil
        return effects + settle()
    }

    /// Allows the next presentation to begin.
    ///
    /// If the presenter returns before the presentation has ended, the login is treated as dismissed.
    private mutating func presenterReturned(from number: UInt32) -> [Effect] {
        guard presentation?.number == number else { return [] }
        let effects = dismiss(number)
        presentation = nil
        return effects + settle()
    }

    /// Fails all callers that are waiting for a presentation.
    ///
    /// A duty that an action required is dropped, so that it doesn't delay other callers.
    private mutating func refuseWaiters(_ refusal: Refusal) -> [Effect] {
        if requestsDuty { openDuties = 0 }
        defer { waiters.removeAll(where: \.need.allowsPresentation) }
        return waiters.filter(\.need.allowsPresentation).map { .refuse($0.caller, refusal) }
    }
}
